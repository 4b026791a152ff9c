# SPDX-License-Identifier: Apache-2.0
"""An operator deletes nodes under the feet of holders and waiters; the server reaps empty parents."""
import pytest
from kazoo.security import ACL, Id

from support.waiting import wait_until

RETRY = "n:10:20"  # a vanished node is a matter for the retry policy; the default's first pause is a second


def test_a_holder_whose_node_is_deleted_is_told_and_can_acquire_again(mutex_of, admin, path):
    mutex = mutex_of("c")
    mutex.acquire()
    mutex.acquire()
    token, lock_path = mutex.token(), mutex.lock_path()
    assert mutex.losses() == []
    admin.delete(lock_path)
    mutex.wait_for_loss()
    assert not mutex.is_acquired() and not mutex.is_owned()
    assert (mutex.token(), mutex.lock_path()) == (token, lock_path)  # to tell what was lost
    mutex.acquire(expect="CURATOR_LOCK_LOST")
    mutex.acquire_for(0, expect="CURATOR_LOCK_LOST")
    lost = mutex.release(expect="CURATOR_LOCK_LOST")
    assert path in lost.error
    mutex.release(expect="CURATOR_LOCK_LOST")
    mutex.release(expect="CURATOR_NOT_OWNER")
    mutex.acquire()
    assert mutex.is_owned() and mutex.token() > token
    assert len(mutex.losses()) == 1
    mutex.release()
    assert mutex.client.states() == ["CONNECTED"]


def test_a_holder_is_told_no_later_than_the_next_one_gets_the_lock(late_ms, mutex_of, admin, path):
    held, wanted = mutex_of("c"), mutex_of("c")
    for _ in range(10):
        told = len(held.losses())
        held.acquire()
        waiting = wanted.begin("acquire")
        admin.wait_for_children(path, 2)
        admin.delete(held.lock_path())
        waiting.wait()
        wait_until(lambda told=told: len(held.losses()) > told, "the loss told")
        assert held.losses()[-1].time < waiting.ended + late_ms(100)
        held.release(expect="CURATOR_LOCK_LOST")
        wanted.release()


def test_a_waiter_whose_node_is_deleted_queues_again(mutex_of, admin, path):
    """bsc-s2/pykit#239, go-zk#20."""
    held, wanted = mutex_of("c"), mutex_of("c", retry=RETRY)
    held.acquire()
    for verb in (("acquire",), ("acquire_for", 20000)):
        waiting = wanted.begin(*verb)
        first, second = admin.wait_for_children(path, 2)
        admin.delete(f"{path}/{second}")
        wait_until(lambda second=second: len(set(admin.children(path)) - {second}) == 2, "a new node of the waiter")
        assert not waiting.done
        assert admin.children(path)[0] == first
        held.release()
        waiting.wait()
        wanted.release()
        held.acquire()
    assert wanted.losses() == []


def test_a_waiter_whose_node_is_deleted_again_and_again_still_ends_on_time(late_ms, mutex_of, admin, path):
    held, wanted = mutex_of("c"), mutex_of("c", retry="forever:20")
    held.acquire()
    first = admin.children(path)
    waiting = wanted.begin("acquire_for", 1000)
    while not waiting.done:
        for name in admin.children(path):
            if name not in first:
                admin.delete(f"{path}/{name}")
    waiting.wait("CURATOR_TIMED_OUT")
    assert waiting.elapsed < 1000 + late_ms(150)
    assert admin.wait_for_children(path, 1) == first


@pytest.mark.parametrize("order", ["waiter first", "holder first"])
def test_the_whole_directory_is_deleted_at_once_under_holder_and_waiter(mutex_of, admin, path, order):
    held, wanted = mutex_of("c"), mutex_of("c", retry=RETRY)
    held.acquire()
    waiting = wanted.begin("acquire")
    names = admin.wait_for_children(path, 2)
    transaction = admin.zk.transaction()
    for name in reversed(names) if order == "waiter first" else names:
        transaction.delete(f"{path}/{name}")
    transaction.delete(path)
    transaction.commit()
    held.wait_for_loss()
    waiting.wait()
    held.release(expect="CURATOR_LOCK_LOST")
    if order == "waiter first":
        assert wanted.is_owned() and admin.exists(wanted.lock_path())
        wanted.release()
    else:  # the end of the holder may be reported first, and its own right after
        wanted.release(expect=None)
    held.acquire()
    held.release()


def test_a_waiter_gets_the_lock_when_several_before_it_vanish(mutex_of, admin, path):
    held, between, last = mutex_of("c"), mutex_of("c"), mutex_of("c")
    held.acquire()
    middle = [between.begin("acquire_for", 60000, thread=f"t{number}") for number in range(3)]
    admin.wait_for_children(path, 4)
    waiting = last.begin("acquire")
    admin.wait_for_children(path, 5)
    between.destroy(thread="main")
    for call in middle:
        call.wait("CURATOR_CLOSED")
    assert not waiting.done
    held.release()
    waiting.wait()
    last.release()


def test_data_written_to_the_nodes_changes_nothing(mutex_of, admin, path):
    held, wanted = mutex_of("c"), mutex_of("c")
    held.acquire()
    waiting = wanted.begin("acquire")
    names = admin.wait_for_children(path, 2)
    for number in range(20):
        for name in names:
            admin.zk.set(f"{path}/{name}", b"%d" % number)
    assert not waiting.done and held.is_acquired() and held.losses() == []
    held.release()
    waiting.wait()
    for number in range(20):
        admin.zk.set(wanted.lock_path(), b"%d" % number)
    assert wanted.is_acquired() and wanted.losses() == []
    wanted.release()


def test_parents_that_the_server_reaps_are_made_again(c_peer, new_zookeeper, new_admin, path):
    """CURATOR-180, CURATOR-436."""
    server = new_zookeeper(container_check_ms=20)
    admin = new_admin(server.connect_string)
    mutexes = [c_peer.client(server.connect_string, retry=RETRY).mutex(path) for _ in range(2)]
    for number in range(5):
        mutexes[number % 2].acquire()
        mutexes[number % 2].release()
        admin.wait_until_gone(path)
    assert mutexes[0].participants() == []
    calls = [mutexes[number % 2].begin(verb, thread=f"t{number % 2}")
             for number in range(400) for verb in ("acquire", "release")]
    for call in calls:
        call.wait(seconds=60)


def test_a_hold_that_may_not_be_watched_is_logged_and_the_release_tells(c_peer, wired, admin, path):
    admin.create(path)
    mutex, wire = wired(log="debug")
    rule = wire.on("getChildren2").hold_reply()
    acquiring = mutex.begin("acquire")
    rule.wait()
    [name] = admin.wait_for_children(path, 1)
    admin.zk.set_acls(f"{path}/{name}", [ACL(31 & ~1, Id("world", "anyone"))])  # not to be read
    rule.go_on()
    acquiring.wait()
    wait_until(lambda: "cannot be watched" in c_peer.errors(), "the warning")
    admin.zk.delete(f"{path}/{name}")
    assert mutex.is_owned() and mutex.losses() == []
    mutex.release(expect="CURATOR_LOCK_LOST")
    assert c_peer.errors().count("cannot be watched") == 1
