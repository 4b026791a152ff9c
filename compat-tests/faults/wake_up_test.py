# SPDX-License-Identifier: Apache-2.0
"""Which waiters are woken, by what, at which cost: no wake-up is lost, and none is useless."""
import re
import time

import pytest

from support.waiting import wait_until

SESSION = {"session_timeout": 10000}


@pytest.fixture
def held_up(wired):
    return wired(retry="n:20:20", **SESSION)


def watches(server) -> int:
    return int(re.search(r"zk_watch_count\t(\d+)", server.told("mntr")).group(1))


def test_predecessor_gone_before_watch(held_up, mutex_of, zookeeper, admin, path):
    """
    apache/helix#44, go-zk#10: the predecessor is deleted between the list and the watch; no watch stays on its name.
    """
    held = mutex_of("c")
    mutex, wire = held_up
    for _ in range(5):
        held.acquire()
        predecessor = held.lock_path()
        rule = wire.on("getData").hold_request()
        waiting = mutex.begin("acquire")
        rule.wait()
        held.release()
        rule.go_on()
        waiting.wait()
        assert predecessor not in zookeeper.told("wchp")
        mutex.release()


def test_wakeup_before_wait(held_up, mutex_of, admin, path):
    """CURATOR-527, CURATOR-641: the watch has fired when the answer to setting it arrives, and both arrive together."""
    held = mutex_of("c")
    mutex, wire = held_up
    for _ in range(30):
        held.acquire()
        rule = wire.on("getData").hold_reply()
        waiting = mutex.begin("acquire")
        rule.wait()
        held.release()
        rule.go_on()
        waiting.wait()
        mutex.release()


def test_own_node_deleted_before_it_was_ever_listed(held_up, mutex_of, admin, path):
    """bsc-s2/pykit#239, CURATOR-211: with the list still to be made, or made before."""
    admin.create(path)
    mutex, wire = held_up
    for what in ("request", "reply"):
        rule = wire.on("getChildren2").hold(what)
        acquiring = mutex.begin("acquire")
        rule.wait()
        [name] = admin.wait_for_children(path, 1)
        admin.delete(f"{path}/{name}")
        rule.go_on()
        acquiring.wait()
        if what == "request":  # it was seen at once that the node is not there
            assert admin.children(path) == [mutex.lock_path().rsplit("/", 1)[1]]
            mutex.release()
        else:  # as with any deletion by somebody else right after the grant
            mutex.release(expect=None)
        admin.wait_for_children(path, 0)


def test_no_spin_and_late_watch(held_up, mutex_of, admin, path):
    """kazoo#26, go-zk#145, apache/accumulo#6197: a waiter asks once for each event, however many there are."""
    held = mutex_of("c")
    mutex, wire = held_up
    held.acquire()
    waiting = mutex.begin("acquire")
    queue = admin.wait_for_children(path, 2)
    wire.wait_for(2, "getData")
    wire.clear()
    for number in range(50):
        admin.zk.set(f"{path}/{queue[0]}", b"%d" % number)
    for _ in range(10):
        told = len(mutex.client.states())
        wire.blip()
        wait_until(lambda told=told: mutex.client.states()[told:] == ["SUSPENDED", "RECONNECTED"], "back again")
    time.sleep(0.3)  # in which one that spins asks often
    asked = wire.asked()
    assert asked.get("getChildren2", 0) <= 50 + 3 * 10 and asked.get("getData", 0) <= 50 + 4 * 10, asked
    assert admin.children(path) == queue and not waiting.done
    held.release()
    waiting.wait()
    wire.clear()
    time.sleep(0.2)
    assert sum(wire.asked().values()) <= 1  # what is left over of watches changes nothing
    mutex.release()


def test_a_release_wakes_the_next_one_only(wired, mutex_of, admin, path):
    """CURATOR-716: with 60 waiting threads of one object, a release costs a constant number of requests."""
    threads = 60
    held = mutex_of("c")
    mutex, wire = wired(**SESSION)
    held.acquire()
    waiting = []
    for number in range(threads):
        waiting.append(mutex.begin("acquire", thread=f"t{number}"))
        admin.wait_for_children(path, number + 2)
    wire.wait_for(3 * threads - 1, "getData")  # each itself, its predecessor and the one before that, if there is one
    wire.clear()
    held.release()
    waiting[0].wait()
    time.sleep(0.1)  # in which others would ask if they had been woken
    assert wire.asked().get("getChildren2", 0) <= 2, wire.count()
    assert sum(wire.asked().values()) <= 4, wire.count()
    for number in range(threads):
        waiting[number].wait()
        mutex.release(thread=f"t{number}")


def test_callback_thread_blocked_by_lock_mutex(late_ms, c_peer, zookeeper, new_proxy, mutex_of, admin, path):
    """CURATOR-495, apache/dolphinscheduler#2020: with a hundred threads on one object, states are reported at once."""
    held = mutex_of("c")
    held.acquire()
    proxy = new_proxy(zookeeper)
    mutex = c_peer.client(proxy.connect_string, **SESSION).mutex(path)
    waiting = [mutex.begin("acquire_for", 60000, thread=f"t{number}") for number in range(100)]
    admin.wait_for_children(path, 101)
    proxy.mute()
    more = [mutex.begin("acquire_for", 300, thread=f"more{number}") for number in range(20)]
    for call in more:
        call.wait("CURATOR_TIMED_OUT")
    began = time.monotonic() * 1000
    proxy.unmute()
    proxy.blip()
    assert mutex.client.wait_for_state("SUSPENDED").time < began + late_ms(1000)
    mutex.client.wait_for_state("RECONNECTED")
    assert mutex.client.states().count("LOST") == 0
    admin.wait_for_children(path, 101)
    mutex.destroy()
    for call in waiting:
        call.wait("CURATOR_CLOSED")
    held.release()


def test_exists_watch_leak(c_peer, own_zookeeper, path):
    """CURATOR-107: after hundreds of contended turns the server has no more watches than before."""
    clients = [c_peer.client(own_zookeeper.connect_string, **SESSION) for _ in range(3)]
    mutexes = [client.mutex(path) for client in clients]
    before = watches(own_zookeeper)
    calls = []
    for _ in range(70):
        for mutex in mutexes:
            calls += [mutex.begin(verb, thread=f"{mutex.name}-{number}") for number in range(2)
                      for verb in ("acquire", "release")]
    for call in calls:
        call.wait(seconds=60)
    wait_until(lambda: watches(own_zookeeper) <= before, "no watch left")


def test_timed_out_waiters_leave_watches(c_peer, own_zookeeper, path):
    """zalando/nakadi#1263, CURATOR-14: a hundred that gave up in vain leave one watch on the holder's node."""
    held, wanted = (c_peer.client(own_zookeeper.connect_string, **SESSION).mutex(path) for _ in range(2))
    held.acquire()
    for call in [wanted.begin("acquire_for", 5, thread=f"t{number % 4}") for number in range(100)]:
        call.wait("CURATOR_TIMED_OUT", seconds=60)
    wait_until(lambda: watches(own_zookeeper) <= 2, "the holder's watch on its node, and one of those who waited")
    held.release()
    wait_until(lambda: watches(own_zookeeper) == 0, "no watch left")
