# SPDX-License-Identifier: Apache-2.0
"""A holder is warned before it loses the lock, so early that its work can be stopped; a healthy one never is."""
import signal
import time

import pytest

from support.process_status import stopped
from support.waiting import wait_until

TIMEOUT_MS = 10000
BEFORE_MS = TIMEOUT_MS // 8  # a healthy hold keeps a third: a machine that is late by 2 s warns nobody


@pytest.fixture
def warned(linked):
    """warned(): a mutex that is held, with its link, and is warned before a loss."""

    def make():
        mutex, proxy = linked(session_timeout=TIMEOUT_MS)
        mutex.client.await_connected(20000)
        mutex.on_endangered(BEFORE_MS)
        mutex.acquire()
        return mutex, proxy

    return make


def test_nobody_is_warned_on_a_quiet_healthy_link(warned):
    mutex, _ = warned()
    began = time.monotonic()
    while time.monotonic() - began < 1.2 * TIMEOUT_MS / 1000:  # without a renewal it would be over
        mutex.lease_remaining()
        time.sleep(0.1)
    assert mutex.warnings() == [] and mutex.losses() == []
    mutex.release()


@pytest.mark.parametrize("fault", ["mute", "mute_answers", "cut"])
def test_the_warning_comes_before_the_loss_and_once(warned, fault):
    mutex, proxy = warned()
    getattr(proxy, fault)()
    warning = mutex.wait_for_warnings()
    assert mutex.lease_remaining() <= BEFORE_MS
    loss = mutex.wait_for_loss()
    assert warning.time < loss.time
    assert len(mutex.warnings()) == 1
    assert mutex.lease_remaining() == 0
    mutex.release(expect="CURATOR_LOCK_LOST")
    mutex.call("lease_remaining", expect="CURATOR_NOT_OWNER")


def test_after_a_renewal_the_next_danger_is_told_again(c_peer, new_zookeeper, new_proxy, path):
    timeout_ms = 2 * TIMEOUT_MS  # a quarter of it is enough to connect again on a slow machine
    proxy = new_proxy(new_zookeeper(tick_ms=1000))
    mutex = c_peer.client(proxy.connect_string, session_timeout=timeout_ms).mutex(path)
    mutex.client.await_connected(20000)
    mutex.on_endangered(timeout_ms // 4)
    mutex.acquire()
    for count in (1, 2):
        proxy.cut()
        mutex.wait_for_warnings(count)
        proxy.mend()
        wait_until(lambda: mutex.lease_remaining() > timeout_ms // 4, "the lease is renewed")
    assert mutex.is_owned() and mutex.losses() == []
    mutex.release()


def test_a_renewal_before_the_call_was_made_takes_it_back(c_peer, new_zookeeper, new_proxy, new_admin, path):
    """Another callback takes its time meanwhile."""
    timeout_ms = 2 * TIMEOUT_MS
    server = new_zookeeper(tick_ms=1000)
    proxy = new_proxy(server)
    client = c_peer.client(proxy.connect_string, session_timeout=timeout_ms)
    mutex, blocking = client.mutex(path), client.mutex(path + "-blocking")
    client.await_connected(20000)
    mutex.on_endangered(timeout_ms // 4)
    mutex.acquire()
    blocking.call("hold_loss")
    blocking.acquire()
    new_admin(server.connect_string).delete(blocking.lock_path())
    blocking.wait_for_loss()
    proxy.cut()
    wait_until(lambda: mutex.lease_remaining() < timeout_ms // 4 - 500, "the call is due", 30)
    proxy.mend()
    wait_until(lambda: mutex.lease_remaining() > timeout_ms // 4, "the lease is renewed")
    blocking.call("let_loss_go", thread="other")
    client.wait_for_state("RECONNECTED")  # whose callback comes after
    assert mutex.warnings() == [] and mutex.losses() == []
    mutex.release()


def test_the_time_is_cut_where_a_later_session_has_a_smaller_timeout(c_peer, new_zookeeper, path):
    """Otherwise a hold in it would be endangered from its begin to its end."""
    server = new_zookeeper(tick_ms=4000)
    mutex = c_peer.client(server.connect_string, session_timeout=80000).mutex(path)
    mutex.client.await_connected(20000)
    mutex.on_endangered(20000)
    server.kill()
    server.forget()
    server.tick_ms = 1000
    server.start()
    mutex.client.wait_for_state("RECONNECTED", 60)
    assert mutex.client.session_timeout() == 20000
    mutex.acquire_for(20000)
    held = time.monotonic()
    while time.monotonic() - held < 1:
        assert mutex.lease_remaining() > 5000
    assert mutex.warnings() == []
    mutex.release()


def test_a_hold_does_not_begin_endangered(c_peer, new_zookeeper, new_proxy, path):
    """The session has come back with little of its lease left."""
    timeout_ms = 2 * TIMEOUT_MS
    before_ms = timeout_ms // 4
    proxy = new_proxy(new_zookeeper(tick_ms=1000))
    mutex = c_peer.client(proxy.connect_string, session_timeout=timeout_ms).mutex(path)
    mutex.client.await_connected(20000)
    mutex.on_endangered(before_ms)
    mutex.acquire()
    wait_until(lambda: mutex.lease_remaining() > timeout_ms * 3 / 4, "the lease is renewed by each answer", 30)
    lease_ends = time.monotonic() + mutex.lease_remaining() / 1000
    mutex.release()
    proxy.cut()
    wait_until(lambda: time.monotonic() > lease_ends - before_ms / 1000, "little of the lease is left", 30)
    proxy.mend()
    mutex.client.wait_for_state("RECONNECTED")
    mutex.acquire_for(15000)
    assert mutex.lease_remaining() > before_ms
    mutex.release()
    assert mutex.warnings() == []


def test_what_is_not_held_any_more_is_not_endangered(warned, admin, path):
    mutex, proxy = warned()
    mutex.release()
    mutex.acquire()
    [node] = admin.children(path)
    admin.delete(f"{path}/{node}")
    mutex.wait_for_loss()
    other = mutex.client.mutex(path + "-other")
    other.on_endangered(BEFORE_MS)
    other.acquire()
    proxy.mute()
    other.wait_for_warnings()
    other.wait_for_loss()
    assert mutex.warnings() == []
    mutex.release(expect="CURATOR_LOCK_LOST")


def test_each_hold_of_a_lock_is_told_of(linked, c_peer):
    mutex, proxy = linked(session_timeout=TIMEOUT_MS)
    lock = mutex.client.read_write_lock(mutex.path)
    lock.read.on_endangered(BEFORE_MS)
    for thread in ("one", "two"):
        lock.read.acquire(thread=thread)
    proxy.mute()
    lock.read.wait_for_warnings(2)
    wait_until(lambda: len(lock.read.losses()) == 2, "two losses")
    assert max(event.time for event in lock.read.warnings()) < min(event.time for event in lock.read.losses())


def test_the_time_can_be_set_and_removed_while_the_lock_is_held(linked):
    mutex, proxy = linked(session_timeout=TIMEOUT_MS)
    mutex.client.await_connected(20000)
    mutex.acquire()
    mutex.on_endangered(100)
    mutex.not_on_endangered()
    mutex.on_endangered(BEFORE_MS)
    proxy.mute()
    mutex.wait_for_warnings()
    mutex.not_on_endangered()
    mutex.wait_for_loss()
    assert len(mutex.warnings()) == 1


def test_a_process_that_was_stopped_past_both_times_learns_of_the_loss_alone(new_peer, zookeeper, path):
    sleeper = new_peer("c")
    mutex = sleeper.client(zookeeper.connect_string, session_timeout=TIMEOUT_MS).mutex(path)
    mutex.on_endangered(BEFORE_MS)
    mutex.acquire()
    sleeper.signal(signal.SIGSTOP)
    wait_until(lambda: stopped(sleeper), "the process stopped")
    began = time.monotonic()
    wait_until(lambda: time.monotonic() - began > TIMEOUT_MS / 1000, "the lease is over", TIMEOUT_MS / 1000 + 10)
    sleeper.signal(signal.SIGCONT)
    mutex.wait_for_loss()
    assert mutex.warnings() == []


def test_a_process_that_was_stopped_past_the_first_time_is_warned_when_it_goes_on(new_peer, zookeeper, new_proxy, path):
    proxy, sleeper = new_proxy(zookeeper), new_peer("c")
    mutex = sleeper.client(proxy.connect_string, session_timeout=TIMEOUT_MS).mutex(path)
    mutex.on_endangered(BEFORE_MS)
    mutex.acquire()
    proxy.mute()
    remaining_ms = mutex.lease_remaining()
    asked = time.monotonic()
    sleeper.signal(signal.SIGSTOP)
    wait_until(lambda: (time.monotonic() - asked) * 1000 > remaining_ms - BEFORE_MS / 2, "half of the time is left",
               TIMEOUT_MS / 1000)
    assert mutex.warnings() == []
    sleeper.signal(signal.SIGCONT)
    warning = mutex.wait_for_warnings()
    assert warning.time < mutex.wait_for_loss().time
