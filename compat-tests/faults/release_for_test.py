# SPDX-License-Identifier: Apache-2.0
"""curator_mutex_release_for(): the delete that nobody waits for, and what becomes of it when the link is bad."""
import pytest
from kazoo.security import ACL, Id, make_digest_acl

from support.admin import expire
from support.waiting import wait_until

SESSION = {"session_timeout": 10000}
PENDING = "CURATOR_RELEASE_PENDING"


def test_the_next_acquire_goes_out_behind_the_delete(wired, admin, path):
    """One round trip: the create has arrived while the delete's answer is still on its way."""
    admin.create(path)
    mutex, wire = wired(**SESSION)
    mutex.acquire()
    first = mutex.lock_path()
    answered = wire.on("delete").hold_reply()
    mutex.release_for(0, expect=PENDING)
    acquiring = mutex.begin("acquire")
    answered.wait()
    wait_until(lambda: [f"{path}/{name}" for name in admin.children(path)] not in ([], [first]), "the second node")
    [second] = admin.children(path)
    assert not acquiring.done
    answered.go_on()
    acquiring.wait()
    assert mutex.lock_path() == f"{path}/{second}"
    mutex.release()
    assert admin.children(path) == []
    assert [wire.count()[name] for name in ("create2", "getChildren2", "delete")] == [2, 2, 2]


@pytest.mark.parametrize("timeout_ms", [0, 200])
@pytest.mark.parametrize("fault", ["request", "reply", "silence"])
def test_a_delete_that_meets_a_fault(wired, mutex_of, admin, lateness, path, fault, timeout_ms):
    """It returns in time, the node goes, and a Java peer that waits gets the lock, then the same thread again."""
    mutex, wire = wired(**SESSION)
    other = mutex_of("java")
    mutex.acquire()
    first = mutex.lock_path()
    waiting = other.begin("acquire")
    admin.wait_for_children(path, 2)
    if fault == "silence":
        wire.mute()
    else:
        wire.on("delete").lose(fault)
    with lateness() as late:
        released = mutex.release_for(timeout_ms, expect=None)
    assert released.status in ([PENDING] if fault == "silence" or timeout_ms == 0 else [PENDING, "CURATOR_OK"])
    assert released.elapsed <= timeout_ms + late.allowed_ms()
    assert not mutex.is_acquired()
    again = mutex.begin("acquire")
    if fault == "silence":
        wire.blip()
        wire.unmute()
    waiting.wait()
    assert not again.done and not admin.exists(first)
    other.release()
    again.wait()
    mutex.release()
    assert admin.children(path) == []


@pytest.mark.parametrize("timeout_ms", [0, 50])
def test_in_an_outage_it_returns_in_time(wired, admin, lateness, path, timeout_ms):
    mutex, wire = wired(connection_timeout=20000, **SESSION)
    mutex.acquire()
    wire.cut()
    mutex.client.wait_for_state("SUSPENDED")
    with lateness() as late:
        released = mutex.release_for(timeout_ms, expect=PENDING)
    assert released.elapsed <= timeout_ms + late.allowed_ms()
    mutex.release_for(timeout_ms, expect="CURATOR_NOT_OWNER")
    wire.mend()
    admin.wait_for_children(path, 0)
    assert mutex.client.states() == ["CONNECTED", "SUSPENDED", "RECONNECTED"]


def test_a_try_is_not_refused_by_the_own_node_that_is_on_its_way_out(wired, admin, path):
    """After a reconnect the node is looked at before it is deleted, so the try's own list still shows it."""
    mutex, wire = wired(connection_timeout=20000, **SESSION)
    mutex.acquire()
    wire.cut()
    mutex.client.wait_for_state("SUSPENDED")
    mutex.release_for(0, expect=PENDING)
    looked = wire.on("exists").hold_reply()
    wire.mend()
    looked.wait()
    trying = mutex.begin("acquire_for", 0)
    admin.wait_for_children(path, 2)
    looked.go_on()
    trying.wait()
    mutex.release()
    assert admin.children(path) == []


def test_a_try_is_refused_by_others_behind_the_own_node(wired, mutex_of, admin, path):
    mutex, wire = wired(connection_timeout=20000, **SESSION)
    other = mutex_of("c")
    mutex.acquire()
    waiting = other.begin("acquire")
    admin.wait_for_children(path, 2)
    wire.cut()
    mutex.client.wait_for_state("SUSPENDED")
    mutex.release_for(0, expect=PENDING)
    wire.mend()
    assert "not free: " in mutex.acquire_for(0, expect="CURATOR_TIMED_OUT").error
    waiting.wait()
    other.release()
    admin.wait_for_children(path, 0)


def test_a_delete_that_is_refused_blocks_no_acquire_for_ever(mutex_of, admin, path):
    """Nobody was told of the refusal; whoever meets the node is."""
    owner = make_digest_acl("user", "password", all=True)
    admin.create(path)
    mutex = mutex_of("c")
    mutex.acquire()
    waiting = mutex.begin("acquire", thread="waiting")
    [name, _] = sorted(admin.wait_for_children(path, 2), key=lambda one: one[-10:])
    admin.zk.set_acls(path, [owner, ACL(31 & ~8, Id("world", "anyone"))])
    try:
        mutex.release_for(0, expect=PENDING)
        assert name in waiting.wait("CURATOR_NO_AUTH").error
        for refused in (mutex.acquire(expect="CURATOR_NO_AUTH"), mutex.acquire_for(0, expect="CURATOR_NO_AUTH")):
            assert "delete" in refused.error  # of the node that the one before could not delete either
        assert not mutex.is_acquired()
    finally:
        admin.zk.set_acls(path, [owner, ACL(31, Id("world", "anyone"))])
    mutex.client.close()
    admin.wait_for_children(path, 0)


@pytest.mark.parametrize("ending", ["destroy", "close"])
def test_the_end_of_mutex_or_framework_with_a_delete_on_its_way(wired, admin, path, ending):
    mutex, wire = wired(**SESSION)
    mutex.acquire()
    answered = wire.on("delete").hold_reply()
    mutex.release_for(0, expect=PENDING)
    answered.wait()
    ended = mutex.begin("destroy") if ending == "destroy" else mutex.client.peer.begin("main", "close",
                                                                                      mutex.client.name)
    if ending == "destroy":
        ended.wait()
    answered.go_on()
    ended.wait()
    admin.wait_for_children(path, 0)


def test_a_hold_that_was_lost(wired, zookeeper, admin, path):
    mutex, wire = wired(**SESSION)
    mutex.acquire()
    expire(mutex.client, wire, zookeeper)
    mutex.wait_for_loss()
    mutex.release_for(0, expect="CURATOR_LOCK_LOST")
    mutex.release_for(0, expect="CURATOR_NOT_OWNER")
    mutex.acquire()
    mutex.release()
    assert admin.children(path) == []


def test_several_acquires_and_wrong_threads(mutex_of, admin, path):
    mutex = mutex_of("c")
    mutex.acquire()
    mutex.acquire()
    [name] = admin.children(path)
    assert "negative" in mutex.release_for(-1, expect="CURATOR_INVALID_ARGUMENT").error
    mutex.release_for(0, thread="another", expect="CURATOR_NOT_OWNER")
    mutex.release_for(0)
    assert mutex.is_owned() and admin.children(path) == [name]
    mutex.release_for(0, expect=PENDING)
    mutex.acquire()
    mutex.release_for(10000)
    assert admin.children(path) == []


def test_the_sides_of_a_read_write_lock(c_peer, java_peer, zookeeper, admin, path):
    """Each side follows the other's release, also the downgrade, and a Java writer comes in at the end."""
    lock = c_peer.client(zookeeper.connect_string).read_write_lock(path)
    java = java_peer.client(zookeeper.connect_string).read_write_lock(path)
    for _ in range(20):
        lock.write.acquire()
        lock.read.acquire()
        lock.write.release_for(0, expect=PENDING)
        lock.read.release_for(0, expect=PENDING)
        lock.read.acquire_for(0)
        lock.read.release_for(0, expect=PENDING)
        lock.write.acquire_for(0)
        lock.write.release_for(0, expect=PENDING)
    java.write.acquire()
    java.write.release()
    assert admin.children(path) == []
