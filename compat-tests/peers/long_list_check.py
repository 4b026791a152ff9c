# SPDX-License-Identifier: Apache-2.0
"""
A list of children beyond jute.maxbuffer. The server sends it all the same; Java's client refuses it, the C client has
no such limit. Run by the matrix, which names the server.
"""
import pytest

CHILDREN = 14000
NAME = "_c_{:08d}-0000-4000-8000-000000000000-other-recipe-with-a-long-name-{:010d}"  # 80 bytes
MORE_THAN_A_MEGABYTE = 1 << 20


@pytest.fixture
def crowded(zookeeper, new_admin, path):
    """A path with many children of another recipe, whose numbers are higher than those of the locks."""
    admin = new_admin(zookeeper.connect_string)
    admin.create(path)
    names = [NAME.format(number, number + 1000000) for number in range(CHILDREN)]
    assert sum(map(len, names)) > MORE_THAN_A_MEGABYTE
    for created in [admin.zk.create_async(f"{path}/{name}") for name in names]:
        created.get(timeout=60)
    yield path
    for deleted in [admin.zk.delete_async(f"{path}/{name}") for name in names]:
        deleted.get(timeout=60)


def locks_in(zookeeper_admin, path) -> list:
    return [name for name in zookeeper_admin.children(path) if "-lock-" in name]


def test_java_fails_and_holds_nothing_and_c_takes_turns(mutex_of, zookeeper, new_admin, crowded):
    """What Java says is that its connection was lost; it gives the session up with its node."""
    admin = new_admin(zookeeper.connect_string)
    refused = mutex_of("java", retry="n:1:100", session_timeout=4000)
    call = refused.begin("acquire").wait(expect=None, seconds=60)
    assert call.status != "CURATOR_OK" and not refused.is_owned()
    refused.client.close()
    first, second = mutex_of("c"), mutex_of("c")
    first.acquire(seconds=60)
    waiting = second.begin("acquire")
    second.client.mutex(crowded).contenders(seconds=60)
    assert not waiting.done and len(locks_in(admin, crowded)) == 2
    first.release()
    waiting.wait(seconds=60)
    second.release()
    assert locks_in(admin, crowded) == []
