# SPDX-License-Identifier: Apache-2.0
"""C asks Java, and Java asks C."""
import pytest

from support.admin import new_path
from support.waiting import wait_until

BOTH_WAYS = pytest.mark.parametrize("holder, asker", [("c", "java"), ("java", "c")])
NAMESPACES = pytest.mark.parametrize("holder_space, asker_space",
                                     [(None, None), ("shop", "shop"), ("shop", None), (None, "shop")])


@BOTH_WAYS
def test_a_holder_of_the_other_language_lets_go_when_asked(mutex_of, admin, path, holder, asker):
    """CURATOR-84, kazoo#492."""
    held, wanted = mutex_of(holder), mutex_of(asker)
    held.make_revocable()
    held.acquire()
    waiting = wanted.begin("acquire")
    queue = admin.wait_for_children(path, 2)
    [node, _] = wanted.participants(thread="looker")
    assert node == f"{path}/{queue[0]}"
    wanted.client.revoke(node)
    told = held.wait_for_revocations(1)
    assert not waiting.done
    held.release()
    waiting.wait()
    assert told.time < waiting.ended
    wanted.release()


@BOTH_WAYS
def test_asking_again_tells_again(mutex_of, holder, asker):
    held, other = mutex_of(holder), mutex_of(asker)
    held.make_revocable()
    held.acquire()
    for number in range(1, 6):
        other.client.revoke(held.lock_path())
        held.wait_for_revocations(number)
    assert held.is_owned()


@BOTH_WAYS
def test_a_waiting_thread_of_the_other_language_can_be_asked(mutex_of, wired, admin, path, holder, asker):
    first, (wanted, wire) = mutex_of(asker), wired(holder)
    first.acquire()
    wanted.make_revocable()
    waiting = wanted.begin("acquire")
    _, second = admin.wait_for_children(path, 2)
    node = f"{path}/{second}"
    wait_until(lambda: [request for request in wire.requests if request.operation == "getData" and request.path == node
                        and request.replied is not None], "its own node watched")  # Curator sees nothing older
    first.client.revoke(node)
    wanted.wait_for_revocations(1)
    assert not waiting.done
    first.release()
    waiting.wait()


@BOTH_WAYS
@pytest.mark.parametrize("side", ["read", "write"])
def test_either_side_of_a_read_write_lock_of_the_other_language_lets_go(read_write_lock_of, admin, path, holder, asker,
                                                                       side):
    held, wanted = read_write_lock_of(holder), read_write_lock_of(asker)
    mutex = getattr(held, side)
    mutex.make_revocable()
    mutex.acquire()
    waiting = wanted.write.begin("acquire")
    admin.wait_for_children(path, 2)
    [node] = [node for node in getattr(wanted, side).participants(thread="looker") if node == mutex.lock_path()]
    wanted.client.revoke(node)
    mutex.wait_for_revocations(1)
    mutex.release()
    waiting.wait()


@BOTH_WAYS
@NAMESPACES
def test_a_node_is_named_within_the_name_space_of_the_one_who_asks(peer_of, zookeeper, holder, asker, holder_space,
                                                                   asker_space):
    path = new_path()

    def client_in(language, space):
        return peer_of(language).client(zookeeper.connect_string, **({"namespace": space} if space else {}))

    def within(full, space):
        return full[len("/shop"):] if space else full

    held = client_in(holder, holder_space).mutex(within("/shop" + path, holder_space))
    other = client_in(asker, asker_space).mutex(within("/shop" + path, asker_space))
    held.make_revocable()
    held.acquire()
    [node] = other.participants()
    other.client.revoke(node)
    held.wait_for_revocations(1)
    held.release()


@BOTH_WAYS
def test_asking_for_a_node_that_is_gone_is_no_error(mutex_of, holder, asker):
    held, other = mutex_of(holder), mutex_of(asker)
    held.acquire()
    node = held.lock_path()
    held.release()
    other.client.revoke(node)


def test_java_reads_the_data_of_a_revocable_lock(mutex_of, c_peer, zookeeper, path):
    java = mutex_of("java")
    mutex = c_peer.client(zookeeper.connect_string).mutex(path, data=b"order 17")
    mutex.make_revocable()
    mutex.acquire()
    assert java.client.read(mutex.lock_path())[0] == b"order 17"
    java.client.revoke(mutex.lock_path())
    mutex.wait_for_revocations(1)
    assert java.client.read(mutex.lock_path())[0] == b"__REVOKE__"
