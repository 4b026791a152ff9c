# SPDX-License-Identifier: Apache-2.0
"""The checks of the matrix find fault with contenders that misbehave, on the real server and with the real faults."""
import pytest

from matrix import checks, runner
from matrix.cases import CASES, Case, batches
from matrix.runner import Contender, run_cases
from matrix.setup import Setup
from support.waiting import SLOW

BUSY_MS = 400 * SLOW
pytestmark = pytest.mark.xdist_group("matrix-checks")  # they share a setup


@pytest.fixture(scope="module")
def setup():
    one = Setup("c")
    yield one
    one.remove()


def violations(setup, case, contender=Contender, late_ms=BUSY_MS) -> str:
    [outcome] = run_cases([case], setup, contender)
    return "\n".join(checks.violations(outcome, late_ms))


def test_who_does_as_promised_is_not_blamed(setup):
    assert violations(setup, Case("create", "reply_lost", "free", "mutex")) == ""


class ForgetsToRelease(Contender):
    """Claims to have released, and has not."""

    def release(self):
        return self.lock.begin("is_acquired")


def test_a_node_that_stays_is_found_and_so_is_a_lock_that_cannot_be_taken_again(setup, monkeypatch):
    monkeypatch.setattr(runner, "OTHERS_WAIT_MS", 5000)  # in vain
    found = violations(setup, Case("create", "request_lost", "free", "mutex"), ForgetsToRelease)
    assert "left a node behind, gone after None" in found
    assert "c did not get the lock at once" in found and "java did not get the lock at once" in found
    assert "but there was still" in found


class KnowsNoLimit(Contender):
    retry = "forever:50"

    def acquire(self):
        return self.lock.begin("acquire")


def test_a_call_that_is_late_is_found(setup):
    found = violations(setup, Case("create", "cut_until_dead", "free", "mutex"), KnowsNoLimit, late_ms=0)
    assert "ms late" in found


class HoldsWithoutLock(Contender):
    """Takes every answer for a grant."""

    def acquire(self):
        return self.lock.begin("is_acquired")

    def release(self):
        return self.lock.begin("is_acquired")


def test_two_holders_at_once_are_found(setup):
    found = violations(setup, Case("start", "reply_lost", "free", "mutex"), HoldsWithoutLock)
    assert "held at once" in found


class AnswersSomethingElse(Contender):
    """Its status is none of those that a timed acquire may give."""

    def acquire(self):
        return self.lock.begin("lock_path")


def test_a_status_that_does_not_say_what_happened_is_found(setup):
    found = violations(setup, Case("start", "request_lost", "free", "mutex"), AnswersSomethingElse)
    assert "is not a status for this" in found


def test_a_fault_that_never_came_is_found(setup):
    found = violations(setup, Case("create", "reply_lost", "free", "mutex"), HoldsWithoutLock)
    assert "the fault never came" in found


def test_every_case_is_in_a_batch_and_those_that_cannot_occur_are_named():
    batched = [case for _, batch in batches(CASES) for case in batch]
    assert sorted(map(str, batched)) == sorted(map(str, CASES))
    assert len(set(CASES)) == len(CASES) == 7 * 8 * 3 * 3 - 48 - 24
