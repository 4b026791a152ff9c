# SPDX-License-Identifier: Apache-2.0
"""Waiting for conditions with a bound, and processes that do not outlive the tests."""
import ctypes
import os
import signal
import time

SLOW = float(os.environ.get("CURATOR_SLOW", "1"))
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL("libc.so.6", use_errno=True)


def bound(seconds: float) -> float:
    """A time limit, stretched where programs run slowly (CURATOR_SLOW=10 for valgrind)."""
    return seconds * SLOW


def wait_until(condition, what: str, seconds: float = 10):
    """Polls until the condition gives something true, hands that out; fails after the bound."""
    deadline = time.monotonic() + bound(seconds)
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {bound(seconds):g} s: {what}")
        time.sleep(0.005)


def die_with_parent():
    """For preexec_fn: the child is killed when this process ends, however it ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
