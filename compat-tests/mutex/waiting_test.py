# SPDX-License-Identifier: Apache-2.0
"""How waits end: by the grant, by the clock, by an interrupt; and what they leave behind."""
import signal
import time

import pytest

from support.waiting import wait_until


def test_a_timed_wait_ends_on_time(late_ms, mutex_of, admin, path):
    held, wanted = mutex_of("c"), mutex_of("c")
    held.acquire()
    for timeout_ms in (1, 50, 300, 1000):
        call = wanted.acquire_for(timeout_ms, expect="CURATOR_TIMED_OUT")
        assert timeout_ms <= call.elapsed < timeout_ms + late_ms()
        assert path in call.error
        admin.wait_for_children(path, 1)
    held.release()


def test_a_release_at_the_very_deadline_gives_either_the_lock_or_no_node(mutex_of, admin, path):
    """CURATOR-716."""
    held, wanted = mutex_of("c"), mutex_of("c")
    outcomes = []
    for number in range(40):
        held.acquire()
        waiting = wanted.begin("acquire_for", 20)
        time.sleep(0.0185 + 0.0001 * number)  # the race is the test
        held.release()
        waiting.wait(expect=None)
        outcomes.append(waiting.status)
        assert wanted.is_owned() == (waiting.status == "CURATOR_OK")
        if waiting.status == "CURATOR_OK":
            wanted.release()
        admin.wait_for_children(path, 0)
    assert set(outcomes) <= {"CURATOR_OK", "CURATOR_TIMED_OUT"}


def test_an_interrupt_ends_every_wait_on_the_object_and_no_other(late_ms, mutex_of, admin, path):
    held, wanted, bystander = mutex_of("c"), mutex_of("c"), mutex_of("c")
    held.acquire()
    waiting = [wanted.begin("acquire", thread="one"), wanted.begin("acquire", thread="two"),
               wanted.begin("acquire_for", 60000, thread="three")]
    other = bystander.begin("acquire")
    admin.wait_for_children(path, 5)
    interrupt = wanted.interrupt()
    for call in waiting:
        call.wait("CURATOR_INTERRUPTED")
        assert call.ended - interrupt.began < late_ms()
        assert path in call.error
    admin.wait_for_children(path, 2)
    assert held.is_acquired() and not other.done
    held.release()
    other.wait()


def test_an_interrupt_is_not_remembered(mutex_of, admin, path):
    """vitessio/vitess#11678, kazoo#87."""
    held, wanted = mutex_of("c"), mutex_of("c")
    wanted.interrupt()
    wanted.acquire()
    wanted.interrupt()
    assert wanted.is_owned()
    wanted.release()
    held.acquire()
    waiting = wanted.begin("acquire")
    admin.wait_for_children(path, 2)
    wanted.interrupt()
    waiting.wait("CURATOR_INTERRUPTED")
    wanted.acquire_for(100, expect="CURATOR_TIMED_OUT")
    again = wanted.begin("acquire")
    admin.wait_for_children(path, 2)
    held.release()
    again.wait()
    wanted.release()


def test_plain_signals_do_not_end_a_wait(late_ms, mutex_of, admin, path):
    held, wanted = mutex_of("c"), mutex_of("c")
    held.acquire()
    waiting = wanted.begin("acquire", thread="waiter")
    timed = wanted.begin("acquire_for", 2000, thread="timed")
    admin.wait_for_children(path, 3)
    while not timed.done:
        wanted.peer.signal(signal.SIGUSR1)
        time.sleep(0.01)
    timed.wait("CURATOR_TIMED_OUT")
    assert 2000 <= timed.elapsed < 2000 + late_ms()
    assert not waiting.done
    held.release()
    waiting.wait()


@pytest.mark.parametrize("timeout_ms", [0, 10])
def test_a_thousand_tries_leave_nothing(mutex_of, admin, path, timeout_ms):
    """spring-integration#1913, kazoo#315."""
    mutexes = [mutex_of("c") for _ in range(4)]
    count = 1000 if timeout_ms == 0 else 100
    tries = [mutexes[number % 4].begin("acquire_for", timeout_ms, thread=f"t{number % 8}") for number in range(count)]
    for call in tries:
        call.wait(expect=None, seconds=60)
        assert call.status in ("CURATOR_OK", "CURATOR_TIMED_OUT")
    got = sum(call.status == "CURATOR_OK" for call in tries)
    assert got > 0  # only re-entries of the one thread that got it
    for mutex in mutexes:
        mutex.destroy()
    wait_until(lambda: admin.children(path) == [], "no nodes left")
