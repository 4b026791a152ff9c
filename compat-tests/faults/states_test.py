# SPDX-License-Identifier: Apache-2.0
"""Which connection states are reported, and when, in long and short interruptions."""
import time

import pytest

from support.waiting import wait_until


def test_stuck_suspended(c_peer, zookeeper, new_proxy, admin, path):
    """
    CURATOR-405, CURATOR-561, CURATOR-525: each state is reported once, few lines are logged, and the state recovers at
    once.
    """
    proxy = new_proxy(zookeeper)
    mutex = c_peer.client(proxy.connect_string, session_timeout=1000, log="debug").mutex(path)
    mutex.acquire()
    proxy.cut()
    lines = c_peer.errors().count("\n")
    began = time.monotonic()
    wait_until(lambda: time.monotonic() - began > 4, "four session timeouts")
    proxy.mend()
    mutex.client.wait_for_state("RECONNECTED")
    assert mutex.client.states() == ["CONNECTED", "SUSPENDED", "LOST", "RECONNECTED"]
    assert c_peer.errors().count("\n") - lines < 4000  # of the ZooKeeper client's debugging mostly
    mutex.release(expect="CURATOR_LOCK_LOST")
    mutex.acquire_for(5000)
    mutex.release()


@pytest.mark.parametrize("early_ms", [500, 300, 60, 20, 0, -20])
def test_the_link_comes_back_at_the_moment_of_the_loss(c_peer, zookeeper, new_proxy, admin, path, early_ms):
    """CURATOR-561, CURATOR-627: whichever comes first, the state agrees with what follows."""
    timeout_ms = 1000
    proxy = new_proxy(zookeeper)
    asked = time.monotonic()
    mutex = c_peer.client(proxy.connect_string, session_timeout=timeout_ms).mutex(path)
    mutex.acquire()
    proxy.cut()
    wait_until(lambda: (time.monotonic() - asked) * 1000 > timeout_ms - early_ms, "the moment")
    proxy.mend()
    wait_until(lambda: mutex.client.states()[-1] == "RECONNECTED", "connected again")
    states = mutex.client.states()
    if "LOST" in states:
        assert states == ["CONNECTED", "SUSPENDED", "LOST", "RECONNECTED"]
        mutex.wait_for_loss()
        mutex.release(expect="CURATOR_LOCK_LOST")
    else:
        assert states == ["CONNECTED", "SUSPENDED", "RECONNECTED"]
        assert mutex.is_owned() and mutex.losses() == []
        mutex.release()
    mutex.acquire_for(5000)
    mutex.release()
    admin.wait_for_children(path, 0)


def test_reconnected_is_told_when_the_lease_is_renewed(late_ms, wired, admin, path):
    """Not before the leader has answered; until then nothing begins, and waits end on time."""
    mutex, wire = wired(session_timeout=10000)
    other = mutex.client.mutex(path + "-other")
    mutex.acquire()
    probes = wire.on("sync", nth=None).hold_reply()
    probes.wait()
    wire.blip()
    wait_until(lambda: [request for request in wire.requests
                        if request.operation == "sync" and request.connection != wire.requests[0].connection],
               "a probe on the next connection")
    mutex.client.wait_for_state("SUSPENDED")
    call = other.acquire_for(300, expect="CURATOR_TIMED_OUT")
    assert call.elapsed < 300 + late_ms(150)
    assert mutex.client.states() == ["CONNECTED", "SUSPENDED"]
    assert mutex.is_owned()
    released = mutex.begin("release")
    probes.go_on()
    mutex.client.wait_for_state("RECONNECTED")
    released.wait()
    assert mutex.losses() == []
    admin.wait_for_children(path, 0)
    other.acquire()
    other.release()
    assert mutex.client.states() == ["CONNECTED", "SUSPENDED", "RECONNECTED"]


def test_a_lease_that_is_nearly_over_is_renewed_before_reconnected_is_told(linked, path):
    """Else the loss would follow at once."""
    timeout_ms = 4000
    mutex, proxy = linked(session_timeout=timeout_ms)
    mutex.acquire()
    held = time.monotonic()
    wait_until(lambda: time.monotonic() - held > 2, "past the first moments of the hold")
    proxy.cut()
    cut = time.monotonic()
    wait_until(lambda: (time.monotonic() - cut) * 1000 > 1600, "the lease has about two seconds left, with a reconnect")
    proxy.mend()
    wait_until(lambda: len(mutex.client.states()) > 2, "the end of SUSPENDED")
    if mutex.client.states()[2] == "RECONNECTED":
        told = time.monotonic()
        while time.monotonic() - told < timeout_ms / 1000:
            assert mutex.is_owned()
        assert mutex.client.states() == ["CONNECTED", "SUSPENDED", "RECONNECTED"]
        mutex.release()
    else:
        mutex.release(expect="CURATOR_LOCK_LOST")


def test_lost_timer_counts_from_suspend(late_ms, c_peer, new_zookeeper, new_proxy, path):
    """CURATOR-460: a session timeout that the server does not grant is not what the loss is measured by."""
    server = new_zookeeper(tick_ms=100)  # which grants two seconds at most
    proxy = new_proxy(server)
    held = c_peer.client(proxy.connect_string, session_timeout=60000).mutex(path)
    wanted = c_peer.client(server.connect_string, session_timeout=60000).mutex(path)
    assert held.client.session_timeout() == 2000
    held.acquire()
    waiting = wanted.begin("acquire")
    wait_until(lambda: len(wanted.participants(thread="looker")) == 2, "both in the queue")
    muted = time.monotonic() * 1000
    proxy.mute()
    lost = held.wait_for_loss()
    waiting.wait()
    assert lost.time < waiting.ended and lost.time < muted + 2000 + late_ms(150)
    assert not held.is_acquired()
    wanted.release()
    held.release(expect="CURATOR_LOCK_LOST")
