# SPDX-License-Identifier: Apache-2.0
"""
When a call that has a deadline returns. What is asserted is a promise about the library, not about the machine: a
second process, in which a thread does nothing but sleep for a millisecond at a time, tells how late threads are let
run, and that is allowed on top, for each of the steps that a call takes after its deadline.
"""
import contextlib

import pytest

from support.peers import CPeer
from support.waiting import SLOW

LATE_MS = 100
STEPS = 4  # woken by the clock; the delete's answer to the network thread, the callback thread, and the caller


class Lateness:
    """How late the machine let a thread run while a block of the test ran."""

    worst_ms = 0.0

    def allowed_ms(self) -> float:
        return LATE_MS * SLOW + STEPS * self.worst_ms


@pytest.fixture(scope="session")
def sleeper():
    peer = CPeer()
    yield peer
    peer.finish()


@pytest.fixture
def lateness(sleeper):
    """with lateness() as late: ...; then late.allowed_ms()"""

    @contextlib.contextmanager
    def measure():
        late = Lateness()
        sleeper.begin("lateness", "lateness", "begin").wait()
        try:
            yield late
        finally:
            late.worst_ms = float(sleeper.begin("lateness", "lateness", "end").wait().value)

    return measure


@pytest.fixture
def in_vain(lateness, record_property):
    """in_vain(mutex, 500): an acquire that must time out when it is due, and neither earlier nor later."""

    def acquire(mutex, timeout_ms, meanwhile=lambda: None, **options):
        with lateness() as late:
            call = mutex.begin("acquire_for", timeout_ms, **options)
            meanwhile()
            call.wait(expect=None)
        after = call.elapsed - timeout_ms
        measured = f"{after:.1f} ms after its deadline; others were up to {late.worst_ms:.1f} ms late"
        record_property("measured", measured)
        print(measured)
        assert call.status == "CURATOR_TIMED_OUT", call
        assert timeout_ms <= call.elapsed <= timeout_ms + late.allowed_ms(), measured
        return call

    return acquire
