# SPDX-License-Identifier: Apache-2.0
"""The machine sleeps while the servers count on: a loss is reported within a second of waking."""
import time

import pytest

from support.jumping_clock import JumpingClock

HOUR = 3600
PROMISED_MS = 1000
TIMEOUT_MS = 10000


@pytest.fixture
def sleeper_peer():
    peer = JumpingClock()
    yield peer
    peer.finish()


def sleep_for_an_hour(peer) -> float:
    woken = time.monotonic() * 1000
    peer.sleep(HOUR)
    return woken


@pytest.mark.parametrize("how", ["disconnected", "silent", "connected"])
def test_loss_is_told_after_sleep(sleeper_peer, zookeeper, new_proxy, lateness, path, how):
    proxy = new_proxy(zookeeper)
    mutex = sleeper_peer.client(proxy.connect_string, session_timeout=TIMEOUT_MS).mutex(path)
    mutex.acquire()
    if how != "connected":
        {"disconnected": proxy.cut, "silent": proxy.mute}[how]()
        mutex.client.wait_for_state("SUSPENDED")
    with lateness() as late:
        woken = sleep_for_an_hour(sleeper_peer)
        lost = mutex.wait_for_loss()
    assert lost.time - woken < PROMISED_MS + late.allowed_ms()
    proxy.mend()
    proxy.unmute()
    mutex.release(expect="CURATOR_LOCK_LOST")
    mutex.acquire()
    mutex.release()


def test_the_end_of_a_session_without_locks_is_told_after_sleep(sleeper_peer, zookeeper, new_proxy, lateness):
    proxy = new_proxy(zookeeper)
    client = sleeper_peer.client(proxy.connect_string, session_timeout=TIMEOUT_MS)
    proxy.cut()
    client.wait_for_state("SUSPENDED")
    with lateness() as late:
        woken = sleep_for_an_hour(sleeper_peer)
        lost = client.wait_for_state("LOST")
    assert lost.time - woken < PROMISED_MS + late.allowed_ms()
    proxy.mend()
    client.wait_for_state("RECONNECTED")


def test_a_lock_is_got_after_sleep(sleeper_peer, zookeeper, path):
    """The session may have survived a short sleep; without a lock nothing is lost."""
    mutex = sleeper_peer.client(zookeeper.connect_string, session_timeout=TIMEOUT_MS).mutex(path)
    for seconds in (5, HOUR):
        sleeper_peer.sleep(seconds)
        mutex.acquire()
        mutex.release()
    assert mutex.client.states() == ["CONNECTED"]
