# SPDX-License-Identifier: Apache-2.0
"""A holder is asked to release: which changes of its node's data call the listener, how often, and with what."""
import pytest

from support.admin import expire
from support.waiting import wait_until

MESSAGE = b"__REVOKE__"
NOT_THE_MESSAGE = [b"", b"x", b"__REVOKE_", b"__REVOKE__x", b" __REVOKE__", b"__revoke__", b"__REVOKE__\0", b"x" * 100]


@pytest.fixture
def revocable(mutex_of):
    """revocable(): a C mutex that has been made revocable."""

    def make(**options):
        mutex = mutex_of("c", **options)
        mutex.make_revocable()
        return mutex

    return make


def test_a_holder_that_is_asked_releases_and_the_next_one_gets_the_lock(revocable, mutex_of, path):
    held, wanted = revocable(), mutex_of("c")  # TestInterProcessMutex.testRevoking
    held.acquire()
    [node] = wanted.participants()
    waiting = wanted.begin("acquire_for", 5000)
    wanted.client.revoke(node)
    held.wait_for_revocations(1)
    held.release()
    waiting.wait()
    wanted.release()


def test_the_listener_runs_once_for_each_message_and_for_nothing_else(revocable, admin):
    mutex = revocable()
    mutex.acquire()
    node = mutex.lock_path()
    for number in range(1, 4):
        for data in NOT_THE_MESSAGE:
            admin.zk.set(node, data)
        assert mutex.revocation_requested() == (number > 1)
        admin.zk.set(node, MESSAGE)
        mutex.wait_for_revocations(number)
        assert mutex.revocation_requested()
    assert mutex.is_owned() and mutex.losses() == []
    mutex.release()


def test_every_change_is_looked_at_once_and_the_watch_set_again(c_peer, zookeeper, new_wire, admin, path):
    wire = new_wire(zookeeper)
    mutex = c_peer.client(wire.connect_string).mutex(path)
    mutex.make_revocable()
    mutex.acquire()
    node = mutex.lock_path()
    for number, data in enumerate(NOT_THE_MESSAGE + [MESSAGE] + NOT_THE_MESSAGE, start=1):
        wire.wait_for(number, "getData")
        mutex.participants()  # served after it, so the watch is set
        admin.zk.set(node, data)
    mutex.wait_for_revocations(1)
    wire.wait_for(18, "getData")
    assert wire.events == 17
    assert {request.path for request in wire.requests if request.operation == "getData"} == {node}
    assert len(mutex.revocations()) == 1


def test_the_data_given_at_creation_is_no_message(c_peer, zookeeper, admin, path):
    mutex = c_peer.client(zookeeper.connect_string).mutex(path, data=MESSAGE)
    mutex.make_revocable()
    mutex.acquire()
    admin.zk.set(mutex.lock_path(), b"x")
    admin.zk.set(mutex.lock_path(), MESSAGE)
    mutex.wait_for_revocations(1)


def test_the_data_of_the_user_is_kept(c_peer, zookeeper, admin, path):
    """Netflix#117, CURATOR-347."""
    for data in (b"order 17", b""):
        mutex = c_peer.client(zookeeper.connect_string, default_data="not this").mutex(path, data=data)
        mutex.make_revocable()
        mutex.acquire()
        assert admin.data(mutex.lock_path()) == data
        mutex.release()
    mutex = c_peer.client(zookeeper.connect_string, default_data="a client").mutex(path)
    mutex.make_revocable()
    mutex.acquire()
    assert admin.data(mutex.lock_path()) == b"a client"


def test_a_lock_made_revocable_while_it_is_held_is(mutex_of):
    mutex = mutex_of("c")
    mutex.acquire()
    mutex.make_revocable()
    mutex.client.revoke(mutex.lock_path())
    mutex.wait_for_revocations(1)


def test_a_lock_stays_revocable_after_its_release(revocable):
    mutex = revocable()
    for number in range(1, 4):
        mutex.acquire()
        assert not mutex.revocation_requested()
        mutex.client.revoke(mutex.lock_path())
        mutex.wait_for_revocations(number)
        assert mutex.revocation_requested()
        mutex.release()


def test_a_lock_made_irrevocable_is_left_alone(revocable, admin):
    mutex = revocable()
    mutex.acquire()
    mutex.make_irrevocable()
    mutex.client.revoke(mutex.lock_path())
    admin.zk.set(mutex.lock_path(), b"x")
    mutex.make_revocable()
    admin.zk.set(mutex.lock_path(), MESSAGE)
    mutex.wait_for_revocations(1)


def test_a_message_in_the_first_moment_of_a_hold_is_told(revocable):
    mutex = revocable()
    for number in range(1, 21):
        mutex.acquire()
        mutex.client.revoke(mutex.lock_path())
        mutex.wait_for_revocations(number)
        mutex.release()


def test_a_waiting_thread_can_be_asked_and_still_knows_when_it_holds(revocable, mutex_of, admin, path):
    held, wanted = mutex_of("c"), revocable()
    held.acquire()
    waiting = wanted.begin("acquire")
    _, second = admin.wait_for_children(path, 2)
    held.client.revoke(f"{path}/{second}")
    wanted.wait_for_revocations(1)
    assert not waiting.done
    wanted.call("revocation_requested", thread="other", expect="CURATOR_NOT_OWNER")
    held.client.revoke(f"{path}/{second}")
    wanted.wait_for_revocations(2)
    held.release()
    waiting.wait()
    assert wanted.revocation_requested()
    held.client.revoke(f"{path}/{second}")
    wanted.wait_for_revocations(3)


def test_of_several_objects_the_one_whose_node_was_written_is_told(c_peer, zookeeper, path):
    client = c_peer.client(zookeeper.connect_string)
    mutexes = [client.mutex(f"{path}-{number}") for number in range(3)]
    for mutex in mutexes:
        mutex.make_revocable()
        mutex.acquire()
    client.revoke(mutexes[1].lock_path())
    mutexes[1].wait_for_revocations(1)
    assert [len(mutex.revocations()) for mutex in mutexes] == [0, 1, 0]
    assert [mutex.revocation_requested() for mutex in mutexes] == [False, True, False]


def test_of_several_holders_of_one_object_each_can_ask_whether_it_is_meant(read_write_lock_of):
    lock = read_write_lock_of("c")
    lock.read.make_revocable()
    threads = [f"t{number}" for number in range(4)]
    for thread in threads:
        lock.read.acquire(thread=thread)
    lock.client.revoke(lock.read.lock_path(thread="t2"))
    lock.read.wait_for_revocations(1)
    assert [lock.read.revocation_requested(thread=thread) for thread in threads] == [False, False, True, False]
    lock.read.release(thread="t2")
    lock.read.call("revocation_requested", thread="t2", expect="CURATOR_NOT_OWNER")
    lock.client.revoke(lock.read.lock_path(thread="t0"))
    lock.read.wait_for_revocations(2)
    assert lock.read.revocation_requested(thread="t0")
    assert lock.write.revocations() == []


def test_the_sides_of_a_read_write_lock_are_revocable_each_by_itself(read_write_lock_of, admin, path):
    lock, writer = read_write_lock_of("c"), read_write_lock_of("c")
    lock.read.make_revocable()
    writer.write.make_revocable()
    lock.write.acquire()
    lock.client.revoke(lock.write.lock_path())
    lock.read.acquire()
    lock.write.release()
    waiting = writer.write.begin("acquire")
    names = admin.wait_for_children(path, 2)
    for name in names:  # a reader in a writer's place, and a waiting writer
        lock.client.revoke(f"{path}/{name}")
    lock.read.wait_for_revocations(1)
    writer.write.wait_for_revocations(1)
    assert lock.write.revocations() == []
    lock.read.release()
    waiting.wait()


def test_a_node_that_is_gone_is_no_error(mutex_of, admin, path):
    mutex = mutex_of("c")
    mutex.client.revoke(f"{path}/never-was")
    mutex.acquire()
    node = mutex.lock_path()
    mutex.release()
    mutex.client.revoke(node)
    assert admin.children(path) == []


@pytest.mark.parametrize("bad", ["", "no/slash", "/a/", "/a//b"])
def test_a_bad_path_is_refused_in_words(mutex_of, bad):
    assert mutex_of("c").client.revoke(bad, expect="CURATOR_INVALID_ARGUMENT").error


def test_one_who_may_not_write_is_told_so(mutex_of):
    held = mutex_of("c", auth_scheme="digest", auth="user:password", acl="creator")
    held.make_revocable()
    held.acquire()
    stranger, friend = mutex_of("c"), mutex_of("c", auth_scheme="digest", auth="user:password")
    assert held.lock_path() in stranger.client.revoke(held.lock_path(), expect="CURATOR_NO_AUTH").error
    friend.client.revoke(held.lock_path())
    held.wait_for_revocations(1)


def test_the_watch_survives_reconnects_and_a_message_meanwhile_is_told(c_peer, mutex_of, zookeeper, new_proxy, path):
    proxy, other = new_proxy(zookeeper), mutex_of("c")
    held = c_peer.client(proxy.connect_string).mutex(path)
    held.make_revocable()
    held.acquire()
    node = held.lock_path()
    for number in range(1, 9, 2):
        told = len(held.client.states())
        if number % 4 == 1:
            proxy.blip()
            wait_until(lambda told=told: held.client.states()[told:] == ["SUSPENDED", "RECONNECTED"], "reconnected")
            other.client.revoke(node)
        else:
            proxy.cut()
            other.client.revoke(node)
            proxy.mend()
        held.wait_for_revocations(number)
        other.client.revoke(node)
        held.wait_for_revocations(number + 1)
    assert held.is_owned() and held.losses() == []


def test_a_waiting_thread_is_told_after_a_reconnect_too(c_peer, mutex_of, zookeeper, new_proxy, admin, path):
    proxy, held = new_proxy(zookeeper), mutex_of("c")
    wanted = c_peer.client(proxy.connect_string).mutex(path)
    wanted.make_revocable()
    held.acquire()
    waiting = wanted.begin("acquire")
    _, second = admin.wait_for_children(path, 2)
    proxy.cut()
    held.client.revoke(f"{path}/{second}")
    proxy.mend()
    wanted.wait_for_revocations(1)
    held.release()
    waiting.wait()
    assert wanted.revocation_requested()


def test_a_new_hold_after_a_lost_one_has_not_been_asked(c_peer, zookeeper, new_proxy, path):
    proxy = new_proxy(zookeeper)
    mutex = c_peer.client(proxy.connect_string).mutex(path)
    mutex.make_revocable()
    mutex.acquire()
    mutex.client.revoke(mutex.lock_path())
    mutex.wait_for_revocations(1)
    expire(mutex.client, proxy, zookeeper)
    mutex.wait_for_loss()
    assert mutex.revocation_requested()  # still the lost one's answer
    mutex.release(expect="CURATOR_LOCK_LOST")
    mutex.acquire()
    assert not mutex.revocation_requested()
    mutex.client.revoke(mutex.lock_path())
    mutex.wait_for_revocations(2)


def test_without_a_link_a_revocation_fails_as_the_retry_policy_says(c_peer, zookeeper, new_proxy, path):
    proxy = new_proxy(zookeeper)
    client = c_peer.client(proxy.connect_string, connection_timeout=300, retry="n:1:50")
    proxy.cut()
    client.wait_for_state("SUSPENDED")
    assert path in client.revoke(path, expect="CURATOR_CONNECTION_LOSS").error


def cost_of_short_hold(mutex, wire):
    """The requests of a cycle. A hold that took longer than it should has its node watched: then it is tried again."""
    cost = {}

    def short():
        nonlocal cost
        wire.clear()
        mutex.acquire()
        mutex.release()
        cost = wire.asked()
        return "getData" not in cost

    wait_until(short, "a hold of less than 20 ms")
    return cost


def test_a_revocable_lock_costs_no_request_more(c_peer, zookeeper, new_wire, path):
    costs = []
    for revocable in (False, True):
        wire = new_wire(zookeeper)
        mutex = c_peer.client(wire.connect_string).mutex(path)
        if revocable:
            mutex.make_revocable()
        mutex.acquire()  # and makes the directory
        mutex.release()
        costs.append(cost_of_short_hold(mutex, wire))
    assert costs[0] == costs[1] == {"create2": 1, "getChildren2": 1, "delete": 1}


def test_the_listener_may_call_the_library_and_destroy_the_lock(run_scenario, zookeeper, path):
    run_scenario("revocation_calls", zookeeper.connect_string, path)
