# SPDX-License-Identifier: Apache-2.0
"""A server that enforces quotas, and one of them is reached. Run by the matrix, which names the server."""
import pytest

from support import jars

ENFORCED = "-Dzookeeper.enforceQuota=true"


@pytest.fixture
def limited(new_zookeeper, new_admin, path):
    """limited(limit): a server on which so many nodes may stand at the path and below it, and an operator of it."""
    server = new_zookeeper(java=jars.java() + [ENFORCED])
    admin = new_admin(server.connect_string)

    def limit_to(count):
        limits = f"count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit={count}".encode()
        node = f"/zookeeper/quota{path}/zookeeper_limits"
        if admin.exists(node):
            admin.zk.set(node, limits)
        else:
            admin.create(node, limits)
            admin.create(f"/zookeeper/quota{path}/zookeeper_stats", b"count=1,bytes=0")

    admin.create(path)
    limit_to(3)
    return server, admin, limit_to


@pytest.mark.parametrize("language", ["c", "java"])
def test_a_lock_beyond_the_quota_is_refused_and_nothing_is_left(c_peer, java_peer, limited, path, language):
    server, admin, limit_to = limited
    peer = c_peer if language == "c" else java_peer
    first, second, third = (peer.client(server.connect_string).mutex(path) for _ in range(3))
    first.acquire()
    waiting = second.begin("acquire")
    admin.wait_for_children(path, 2)
    for call in (third.acquire(expect="CURATOR_ERROR"), third.acquire_for(1000, expect="CURATOR_ERROR")):
        assert "quota is exceeded" in call.error if language == "c" else "QuotaExceeded" in call.error
    assert not third.is_owned() and len(admin.children(path)) == 2
    first.release()
    waiting.wait()
    third.acquire_for(300, expect="CURATOR_TIMED_OUT")  # there is room again
    limit_to(10)
    waiting = third.begin("acquire")
    admin.wait_for_children(path, 2)
    second.release()
    waiting.wait()
    third.release()
