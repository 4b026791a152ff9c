# SPDX-License-Identifier: Apache-2.0
"""Servers that are not there, times and paths that cannot be, rights that are missing."""
import re

import pytest
from kazoo.security import ACL, Id, make_digest_acl

from support.ports import free_port
from support.waiting import wait_until

SHORT = {"connection_timeout": 500, "retry": "n:1:50"}
SHORT_LIMIT_MS = 2 * 500 + 50  # two tries, each as long as the connection timeout, and the pause between them


def test_without_a_server_every_call_ends_in_time_and_says_which_servers_were_tried(late_ms, c_peer, path):
    servers = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    client = c_peer.client(",".join(servers), await_ms=None, **SHORT)
    mutex = client.mutex(path)
    call = client.await_connected(300, expect="CURATOR_TIMED_OUT")
    assert 300 <= call.elapsed < 300 + late_ms()
    calls = [call, client.await_connected(0, expect="CURATOR_TIMED_OUT")]
    call = mutex.acquire_for(300, expect="CURATOR_TIMED_OUT")
    assert 300 <= call.elapsed < 300 + late_ms()
    calls.append(call)
    for verb in (("acquire",), ("acquire_for", 10000), ("acquire_for", 0), ("participants",)):
        call = mutex.call(*verb, expect=None)
        assert call.status in ("CURATOR_CONNECTION_LOSS",) + (("CURATOR_TIMED_OUT",) if verb[-1] == 0 else ())
        assert call.elapsed < SHORT_LIMIT_MS + late_ms()
        calls.append(call)
    for call in calls:
        for server in servers:
            assert server in call.error, call
    assert client.state() == "CONNECTING"
    assert client.close(expect=None).elapsed < 500 + late_ms()


def test_an_unknown_host_is_named(late_ms, c_peer, path):
    client = c_peer.client("no-such-host.invalid:2181", await_ms=None, **SHORT)
    mutex = client.mutex(path)
    for call in (client.await_connected(300, expect="CURATOR_TIMED_OUT"),
                 mutex.acquire_for(300, expect="CURATOR_TIMED_OUT"),
                 mutex.acquire(expect="CURATOR_CONNECTION_LOSS")):
        assert call.elapsed < SHORT_LIMIT_MS + late_ms()
        assert "no-such-host.invalid" in call.error, call
    assert client.close(expect=None).elapsed < 1000 + late_ms()


def test_a_server_that_comes_up_later_is_found(c_peer, new_zookeeper, path):
    port = free_port()
    client = c_peer.client(f"127.0.0.1:{port}", await_ms=None)
    mutex = client.mutex(path)
    waiting = client.peer.begin("waiter", "await", client.name, 20000)
    acquiring = mutex.begin("acquire")
    new_zookeeper(port=port)
    waiting.wait()
    acquiring.wait()
    mutex.release()


def test_one_unknown_host_among_good_ones_does_no_harm(c_peer, zookeeper, path):
    client = c_peer.client(f"no-such-host.invalid:2181,{zookeeper.connect_string}")
    mutex = client.mutex(path)
    mutex.acquire()
    mutex.release()


def test_a_dead_server_among_good_ones_does_no_harm(c_peer, zookeeper, path):
    for servers in (f"127.0.0.1:{free_port()},{zookeeper.connect_string}",
                    f"{zookeeper.connect_string},127.0.0.1:{free_port()}"):
        mutex = c_peer.client(servers).mutex(path)
        mutex.acquire()
        mutex.release()


def test_something_that_is_no_zookeeper_is_not_waited_for(late_ms, c_peer, zookeeper, new_proxy, path):
    proxy = new_proxy(zookeeper)
    proxy.mute()
    client = c_peer.client(proxy.connect_string, await_ms=None, **SHORT)
    assert client.await_connected(300, expect="CURATOR_TIMED_OUT").elapsed < 300 + late_ms()
    mutex = client.mutex(path)
    assert mutex.acquire_for(300, expect="CURATOR_TIMED_OUT").elapsed < 300 + late_ms()
    assert mutex.acquire(expect="CURATOR_CONNECTION_LOSS").elapsed < SHORT_LIMIT_MS + late_ms()


def test_negative_times_are_refused(c_peer, zookeeper, path):
    client = c_peer.client(zookeeper.connect_string)
    mutex = client.mutex(path)
    for call in (mutex.acquire_for(-1, expect="CURATOR_INVALID_ARGUMENT"),
                 mutex.acquire_for(-(2**63), expect="CURATOR_INVALID_ARGUMENT"),
                 client.await_connected(-1, expect="CURATOR_INVALID_ARGUMENT")):
        assert "negative" in call.error


def test_a_very_long_time_is_long(mutex_of, admin, path):
    held, wanted = mutex_of("c"), mutex_of("c")
    held.acquire()
    waiting = wanted.begin("acquire_for", 2**63 - 1)
    admin.wait_for_children(path, 2)
    assert not waiting.done
    held.release()
    waiting.wait()
    wanted.release()


@pytest.mark.parametrize("asked, granted", [(60000, 10000), (100, 1000), (4000, 4000)])
def test_the_session_timeout_told_is_the_one_the_server_granted(c_peer, zookeeper, asked, granted):
    nowhere = c_peer.client(f"127.0.0.1:{free_port()}", await_ms=None, session_timeout=asked)
    assert nowhere.session_timeout() == asked
    client = c_peer.client(zookeeper.connect_string, session_timeout=asked)
    assert client.session_timeout() == granted


def test_the_root_is_refused_as_a_lock_path(c_peer, zookeeper):
    client = c_peer.client(zookeeper.connect_string)
    refused = client.mutex("/", expect="CURATOR_INVALID_ARGUMENT").created
    assert '"/"' in refused.error


@pytest.mark.parametrize("path", ["/z", "/" + "n" * 999, "/d" * 60 + "/" + "e" * 879], ids=["1", "999", "60 levels"])
def test_short_and_long_paths_are_locked_by_both(c_peer, java_peer, zookeeper, admin, path):
    """ZOOKEEPER-2282, ZOOKEEPER-1027."""
    c, java = (peer.client(zookeeper.connect_string).mutex(path) for peer in (c_peer, java_peer))
    c.acquire()
    [name] = admin.children(path)
    assert c.lock_path() == f"{path}/{name}"
    java.acquire_for(0, expect="CURATOR_TIMED_OUT")
    c.release()
    java.acquire()
    c.acquire_for(0, expect="CURATOR_TIMED_OUT")
    java.release()
    assert admin.children(path) == []


def test_a_parent_that_is_ephemeral_is_named(late_ms, c_peer, zookeeper, admin, path):
    admin.create(path, ephemeral=True)
    for lock_path in (path, path + "/below", path + "/far/below"):
        mutex = c_peer.client(zookeeper.connect_string).mutex(lock_path)
        call = mutex.acquire_for(10000, expect="CURATOR_ERROR")
        assert call.elapsed < 500 + late_ms()
        assert path in call.error and "ephemeral" in call.error
    admin.delete(path)


def test_a_chroot_that_is_not_there_is_told(c_peer, zookeeper, path):
    client = c_peer.client(zookeeper.connect_string + path, await_ms=None, retry="n:1:50")
    mutex = client.mutex("/lock")
    call = mutex.acquire_for(20000, expect="CURATOR_ERROR")
    assert f"chroot {path} " in call.error


def test_missing_rights_are_told_at_once_with_path_and_operation(late_ms, mutex_of, admin, path):
    """CURATOR-715, CURATOR-228."""
    owner = make_digest_acl("user", "password", all=True)

    def acl_without(**rights):
        return [owner, ACL(31 & ~sum(rights.values()), Id("world", "anyone"))]

    admin.create(path)
    mutex = mutex_of("c")
    try:
        admin.zk.set_acls(path, acl_without(create=4))
        call = mutex.acquire_for(20000, expect="CURATOR_NO_AUTH")
        assert call.elapsed < 500 + late_ms()
        assert path in call.error and "create" in call.error

        admin.zk.set_acls(path, acl_without(read=1))
        call = mutex.acquire(expect="CURATOR_NO_AUTH")
        assert call.elapsed < 500 + late_ms()
        assert path in call.error and "getChildren" in call.error
        call = mutex.call("participants", expect="CURATOR_NO_AUTH")
        assert path in call.error and "getChildren" in call.error
        admin.zk.set_acls(path, acl_without())
        admin.wait_for_children(path, 0)

        mutex.acquire()
        [name] = admin.children(path)
        admin.zk.set_acls(path, acl_without(delete=8))
        call = mutex.release(expect="CURATOR_NO_AUTH")
        assert call.elapsed < 500 + late_ms()
        assert name in call.error and "delete" in call.error
        assert not mutex.is_acquired()
        mutex.release(expect="CURATOR_NOT_OWNER")
        assert admin.children(path) == [name]
    finally:
        admin.zk.set_acls(path, acl_without())
    mutex.client.close()
    admin.wait_for_children(path, 0)


def test_parents_that_may_not_be_read_or_created_are_told(late_ms, mutex_of, admin, path):
    parent = path.rsplit("/", 1)[0]
    admin.create(parent)
    admin.zk.set_acls(parent, [ACL(1 | 2 | 16, Id("world", "anyone"))])
    call = mutex_of("c").acquire_for(20000, expect="CURATOR_NO_AUTH")
    assert call.elapsed < 500 + late_ms()
    assert path in call.error and "create" in call.error


def test_an_unknown_auth_scheme_is_told(late_ms, c_peer, zookeeper, path):
    client = c_peer.client(zookeeper.connect_string, await_ms=None, auth_scheme="no-such-scheme", auth="x", **SHORT)
    mutex = client.mutex(path)
    wait_until(lambda: mutex.acquire_for(5000, expect=None).status == "CURATOR_NO_AUTH", "refused credentials")
    for call in (client.await_connected(5000, expect="CURATOR_NO_AUTH"), mutex.acquire(expect="CURATOR_NO_AUTH"),
                 mutex.acquire_for(5000, expect="CURATOR_NO_AUTH"), mutex.acquire_for(0, expect="CURATOR_NO_AUTH")):
        assert "no-such-scheme" in call.error
        assert call.elapsed < 1000 + late_ms()


def test_a_failure_leaves_the_client_usable(mutex_of, admin, path):
    mutex = mutex_of("c")
    mutex.acquire_for(-1, expect="CURATOR_INVALID_ARGUMENT")
    mutex.release(expect="CURATOR_NOT_OWNER")
    mutex.client.mutex("no/path", expect="CURATOR_INVALID_ARGUMENT")
    mutex.acquire()
    mutex.release()
    assert admin.children(path) == []


def test_reasons_stand_beside_servers_however_many_there_are(c_peer):
    names = [f"zookeeper-{number}.zookeeper-headless.payments-production.cluster.invalid:2181" for number in range(9)]
    client = c_peer.client(",".join(names), await_ms=None)
    wait_until(lambda: "cannot resolve the host name" in client.await_connected(200, expect="CURATOR_TIMED_OUT").error,
               "the reason")
    call = client.await_connected(200, expect="CURATOR_TIMED_OUT")
    assert f"{names[0]} (cannot resolve" in call.error and re.search(r"\), and \d more$", call.error)
