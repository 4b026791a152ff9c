# SPDX-License-Identifier: Apache-2.0
"""
A client or its link stops for a while, and then its follower loses the leader before the leader knows of the client
again.
"""
import signal
import time

import pytest

from support.process_status import stopped
from support.waiting import bound, wait_until

TICK_MS = 1000
TIMEOUT_MS = 10000
STOOD_STILL = 6.4  # seconds; the ZooKeeper client breaks its connection after 6.67 s without an answer
MARGIN = 0.25


class Case:
    """A holder on the follower, behind a forwarder, and a contender that waits on another server."""

    def __init__(self, peer, other_peer, ensemble, wire, path):
        self.ensemble = ensemble
        self.wire = wire
        self.peer = peer
        self.held = peer.client(wire.connect_string, session_timeout=TIMEOUT_MS).mutex(path)
        self.wanted = other_peer.client(ensemble.others[0].connect_string, session_timeout=20000).mutex(path)
        assert self.held.client.session_timeout() == TIMEOUT_MS

    def stop(self):
        self.peer.signal(signal.SIGSTOP)
        wait_until(lambda: stopped(self.peer), "the client stopped")

    def answered_since(self, moment, *operations):
        return [request for request in self.wire.requests
                if request.operation in operations and request.time > moment and request.replied is not None]

    def stand_still_until(self, moment):
        wait_until(lambda: time.monotonic() > moment, "stood still for long", 20)

    def go_on_and_cut_off(self, go_on, *operations):
        """The leader hears of nothing that happens from here on, although it answers."""
        self.ensemble.hold_pings_back()
        moment = time.monotonic()
        go_on()
        wait_until(lambda: self.answered_since(moment, *operations), f"an answer to {operations}")
        self.ensemble.cut_off()


@pytest.fixture
def new_case(new_peer, new_ensemble, new_wire, path):
    def start():
        ensemble = new_ensemble(TICK_MS)
        return Case(new_peer("c"), new_peer("c"), ensemble, new_wire(ensemble.follower), path)

    return start


def hold_past_the_first_moments(case):
    case.held.acquire()
    waiting = case.wanted.begin("acquire")
    wait_until(lambda: len(case.wanted.participants(thread="counter")) == 2, "both in the queue")
    held = time.monotonic()
    wait_until(lambda: time.monotonic() - held > 3, "the hold is no longer in its first moments")
    return waiting


def assert_told_before_another_holds(case, waiting):
    waiting.wait(seconds=bound(40))
    wait_until(case.held.losses, "the loss told")
    assert case.held.losses()[-1].time < waiting.ended
    assert not case.held.is_acquired()
    case.ensemble.mend()
    case.held.release(expect="CURATOR_LOCK_LOST")
    case.wanted.release()


def test_client_that_stood_still_counts_its_lease_from_before(new_case):
    """Stopped, or its machine frozen, for most of the session timeout."""
    case = new_case()
    waiting = hold_past_the_first_moments(case)
    rule = case.wire.on("sync").pass_reply(then=case.stop)  # it reads the answer when it continues
    rule.wait()
    case.stand_still_until(time.monotonic() + STOOD_STILL)
    case.go_on_and_cut_off(lambda: case.peer.signal(signal.SIGCONT), "sync")
    assert_told_before_another_holds(case, waiting)


def test_client_whose_link_stood_still_counts_its_lease_from_before(new_case):
    """What was sent at the end of the stall arrives together with what was sent at its beginning."""
    case = new_case()
    waiting = hold_past_the_first_moments(case)
    began = time.monotonic()
    wait_until(lambda: case.answered_since(began, "sync"), "an answer")
    last = case.answered_since(began, "sync")[-1].replied
    case.wire.mute()
    case.stand_still_until(last + STOOD_STILL - MARGIN)
    case.go_on_and_cut_off(case.wire.unmute, "sync")
    assert_told_before_another_holds(case, waiting)


def test_client_that_stood_still_without_a_lock_gets_none_by_what_was_before(new_case):
    case = new_case()
    case.held.acquire()
    case.held.release()
    idle = time.monotonic()
    wait_until(lambda: time.monotonic() - idle > 3, "the session is idle")
    case.held.participants()
    case.stop()
    case.stand_still_until(time.monotonic() + STOOD_STILL - MARGIN)
    acquiring = case.held.begin("acquire")
    case.go_on_and_cut_off(lambda: case.peer.signal(signal.SIGCONT), "getChildren2")
    waiting = case.wanted.begin("acquire")
    waiting.wait(seconds=bound(40))
    if acquiring.done:
        wait_until(case.held.losses, "the loss told")
        assert case.held.losses()[-1].time < waiting.ended
        case.held.release(expect="CURATOR_LOCK_LOST")
        acquiring = case.held.begin("acquire")
    assert not case.held.is_acquired(thread="looker")
    case.ensemble.mend()
    case.wanted.release()
    acquiring.wait(seconds=bound(60))
    case.held.release()


def test_client_that_stood_still_without_a_lock_may_go_on(new_peer, zookeeper, path):
    """A pause of an idle process costs no session, and its next acquire a moment at most."""
    peer = new_peer("c")
    mutex = peer.client(zookeeper.connect_string, session_timeout=TIMEOUT_MS).mutex(path)
    mutex.acquire()
    mutex.release()
    session = mutex.client.states()
    for _ in range(2):
        peer.signal(signal.SIGSTOP)
        moment = time.monotonic()
        wait_until(lambda moment=moment: time.monotonic() > moment + TIMEOUT_MS / 2000, "half of the session timeout")
        acquiring = mutex.begin("acquire")
        peer.signal(signal.SIGCONT)
        acquiring.wait()
        mutex.release()
    assert mutex.client.states() == session and "LOST" not in session
