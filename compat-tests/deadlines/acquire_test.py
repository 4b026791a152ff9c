# SPDX-License-Identifier: Apache-2.0
"""acquire_for(500) ends after 500 ms, whatever goes wrong, and cleans up as soon as that is possible."""
import itertools
import signal
import time
import uuid

import pytest

from support.admin import NODE_NAME
from support.jumping_clock import JumpingClock
from support.waiting import bound, wait_until

T_MS = 500
TRIES = 5  # a slow machine may not get as far as the fault in that time
SESSION = {"session_timeout": 10000}

LINK_FAULTS = {
    "cut": (lambda proxy: proxy.cut(), lambda proxy: proxy.mend()),
    "dropped silently": (lambda proxy: proxy.mute(), lambda proxy: proxy.unmute()),
    "only answers dropped": (lambda proxy: proxy.mute_answers(), lambda proxy: proxy.unmute()),
}


@pytest.mark.parametrize("fault", LINK_FAULTS)
def test_the_link_is_broken_before_the_call(linked, in_vain, admin, path, fault):
    """spring-integration#1863, CURATOR-559: connecting, retries and clean-up are inside the time."""
    mutex, proxy = linked(retry="n:20:1000", **SESSION)
    break_it, mend = LINK_FAULTS[fault]
    break_it(proxy)
    for _ in range(2):
        in_vain(mutex, T_MS)
    mend(proxy)
    mutex.acquire()  # once the link is back; and nothing of before is in the way
    mutex.release()
    admin.wait_for_children(path, 0)


@pytest.mark.parametrize("fault", LINK_FAULTS)
def test_the_link_breaks_while_the_call_waits(linked, in_vain, mutex_of, admin, path, fault):
    """spring-integration#1863: the delete at the deadline has no link either."""
    held = mutex_of("c")
    held.acquire()
    mutex, proxy = linked(**SESSION)
    break_it, mend = LINK_FAULTS[fault]

    def queue_then_break():
        admin.wait_for_children(path, 2)
        break_it(proxy)

    in_vain(mutex, T_MS + int(bound(2000)), meanwhile=queue_then_break)
    if fault != "only answers dropped":
        assert len(admin.children(path)) == 2  # the node cannot be deleted yet
    mend(proxy)
    admin.wait_for_children(path, 1)
    held.release()


def test_the_server_hangs(c_peer, new_zookeeper, in_vain, new_admin, path):
    own_zookeeper = new_zookeeper(tick_ms=2000)  # no session ends meanwhile
    connect = own_zookeeper.connect_string
    held, mutex = (c_peer.client(connect, session_timeout=40000).mutex(path) for _ in range(2))
    held.acquire()
    own_zookeeper.pause()
    try:
        in_vain(mutex, T_MS)
    finally:
        own_zookeeper.resume()
    admin = new_admin(connect)
    admin.wait_for_children(path, 1)

    def queue_then_hang():
        admin.wait_for_children(path, 2)
        own_zookeeper.pause()

    try:
        in_vain(mutex, T_MS + int(bound(2000)), meanwhile=queue_then_hang)
    finally:
        own_zookeeper.resume()
    admin.wait_for_children(path, 1)
    held.release()


@pytest.mark.parametrize("what, operation", [("reply", "create2"), ("request", "create2"), ("reply", "getChildren2"),
                                             ("reply", "create_parent"), ("request", "create_parent"),
                                             ("reply", "getData"), ("reply", "delete"), ("request", "delete")])
def test_one_request_is_never_answered(wired, in_vain, mutex_of, admin, path, what, operation):
    """
    CURATOR-79, go-zk#229, yfinkelstein/node-zookeeper#80: a create that is answered after its caller gave up leaves no
    node.
    """
    mutex, wire = wired(**SESSION)
    held = mutex_of("c")
    if operation == "create_parent":
        operations = ("createContainer", "create")
        left = 0
    else:
        operations = (operation,)
        left = 1
        held.acquire()
    for _ in range(TRIES):
        rule = wire.on(*operations).hold(what)
        in_vain(mutex, T_MS)
        met = rule.fired.is_set()
        rule.stop()
        rule.go_on()
        admin.wait_for_children(path, left)
        if met:
            break
    assert met, f"in {TRIES} tries no {operation} was on its way in time"
    if left:
        held.release()
    mutex.acquire()
    mutex.release()


def test_ten_thousand_wait_already(c_peer, own_zookeeper, in_vain, new_admin, path):
    admin = new_admin(own_zookeeper.connect_string)
    admin.create(path)
    for _ in range(20):
        transaction = admin.zk.transaction()
        for _ in range(500):
            transaction.create(f"{path}/_c_{uuid.uuid4()}-lock-", sequence=True)
        assert all(isinstance(result, str) for result in transaction.commit())
    mutex = c_peer.client(own_zookeeper.connect_string, **SESSION).mutex(path)
    in_vain(mutex, T_MS)
    wait_until(lambda: admin.zk.exists(path).numChildren == 10000, "the node of the one that gave up is gone")
    call = mutex.acquire_for(0, expect="CURATOR_TIMED_OUT")
    assert "10000 before us" in call.error
    assert all(NODE_NAME.fullmatch(name) for name in itertools.islice(admin.children(path), 10))


def test_the_process_sleeps_past_the_deadline(new_peer, zookeeper, lateness, mutex_of, admin, path):
    """It ends as soon as the process runs again, even if the lock is free by then."""
    sleeper = new_peer("c")
    held = mutex_of("c")
    mutex = sleeper.client(zookeeper.connect_string, **SESSION).mutex(path)
    held.acquire()
    call = mutex.begin("acquire_for", T_MS)
    admin.wait_for_children(path, 2)
    sleeper.signal(signal.SIGSTOP)
    began = time.monotonic()
    wait_until(lambda: time.monotonic() - began > 3 * T_MS / 1000, "slept past the deadline")
    with lateness() as late:
        resumed = time.monotonic() * 1000
        sleeper.signal(signal.SIGCONT)
        call.wait("CURATOR_TIMED_OUT")
    assert call.elapsed >= 3 * T_MS
    assert call.ended - resumed <= late.allowed_ms()
    admin.wait_for_children(path, 1)
    held.release()


def test_the_time_of_day_is_set_meanwhile(zookeeper, in_vain, mutex_of, admin, path):
    """kazoo#722, ZOOKEEPER-1626: neither a wait nor the lease of a lock is measured by a clock that can be set."""
    held = mutex_of("c")
    peer = JumpingClock()
    try:
        mutex = peer.client(zookeeper.connect_string, **SESSION).mutex(path)
        held.acquire()
        for _ in range(2):
            in_vain(mutex, T_MS)
        held.release()
        mutex.acquire()
        began = time.monotonic()
        wait_until(lambda: time.monotonic() - began > 1, "the clock has jumped some times while the lock was held")
        assert mutex.is_owned() and mutex.losses() == []
        mutex.release()
        admin.wait_for_children(path, 0)
    finally:
        peer.finish()


def test_a_path_of_thousands_of_levels_holds_up_nobody(late_ms, c_peer, zookeeper, path):
    """Its parents are made some at a time, and the deadline is looked at in between."""
    client = c_peer.client(zookeeper.connect_string)
    deep, other = client.mutex(path + 9000 * "/a", data=b""), client.mutex(path + "-other")
    other.acquire(thread="other")
    other.release(thread="other")
    trying = deep.begin("acquire_for", 1000, thread="deep")
    while not trying.done:
        call = other.acquire_for(1000, thread="other")
        assert call.elapsed < 1000 + late_ms()
        other.release(thread="other")
    trying.wait("CURATOR_TIMED_OUT")
    assert trying.elapsed < 1000 + late_ms(50)
