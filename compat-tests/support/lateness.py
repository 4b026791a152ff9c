# SPDX-License-Identifier: Apache-2.0
"""
Whether a call was late, or the machine. A thread that sleeps for a millisecond at a time measures how late the machine
lets threads run. That is allowed on top of what the library promises, for each step of a call after its deadline.
"""
import contextlib

from support.peers import CPeer
from support.waiting import SLOW

PROMISED_MS = 100
# Where the deadline is not what is tested: shorter than any error would take.
NOT_TESTED_MS = 1000
STEPS = 4  # woken by the clock; the delete's answer to the network thread, the callback thread, and the caller


class Lateness:
    """How late the machine let a thread run while a block of the test ran, or has let one run so far."""

    def __init__(self, ask):
        self.ask = ask  # "so-far" or "end"
        self.at_the_end = None

    @property
    def worst_ms(self) -> float:
        return self.ask("so-far") if self.at_the_end is None else self.at_the_end

    def allowed_ms(self, least=PROMISED_MS) -> float:
        return least * SLOW + STEPS * self.worst_ms


class Sleeper:
    """One for all tests; it measures one block at a time."""

    def __init__(self):
        self.peer = CPeer()

    def ask(self, what) -> float:
        return float(self.peer.begin("lateness", "lateness", what).wait().value)

    @contextlib.contextmanager
    def measure(self):
        late = Lateness(self.ask)
        self.peer.begin("lateness", "lateness", "begin").wait()
        try:
            yield late
        finally:
            late.at_the_end = self.ask("end")

    def finish(self):
        self.peer.finish()
