# SPDX-License-Identifier: Apache-2.0
"""
Whether a call was late, or the machine. A process in which a thread does nothing but sleep for a millisecond at a time
tells how late threads are let run; that is allowed on top of what the library promises, for each of the steps that a
call takes after its deadline.
"""
import contextlib

from support.peers import CPeer
from support.waiting import SLOW

LATE_MS = 100
STEPS = 4  # woken by the clock; the delete's answer to the network thread, the callback thread, and the caller


class Lateness:
    """How late the machine let a thread run while a block of the test ran."""

    worst_ms = 0.0

    def allowed_ms(self) -> float:
        return LATE_MS * SLOW + STEPS * self.worst_ms


class Sleeper:
    """One for all tests; it measures one block at a time."""

    def __init__(self):
        self.peer = CPeer()

    @contextlib.contextmanager
    def measure(self):
        late = Lateness()
        self.peer.begin("lateness", "lateness", "begin").wait()
        try:
            yield late
        finally:
            late.worst_ms = float(self.peer.begin("lateness", "lateness", "end").wait().value)

    def finish(self):
        self.peer.finish()
