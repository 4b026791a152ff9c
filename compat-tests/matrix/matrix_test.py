# SPDX-License-Identifier: Apache-2.0
"""The C half of the matrix: each operation meets each fault, with the lock free, held by Java, held by C."""
import warnings

import pytest

from matrix import checks
from matrix.cases import CASES, batches, sample
from matrix.runner import run_cases
from matrix.setup import Setup
from support.waiting import SLOW

pytestmark = pytest.mark.xdist_group("matrix")  # they share their setups
BUSY_MS = 400  # what a busy machine may add to a deadline
CHOSEN = CASES if SLOW == 1 else sample()
if SLOW != 1:
    warnings.warn(f"the matrix is run in part: {len(CHOSEN)} of {len(CASES)} cases (each operation with each fault "
                  "once), as programs run slowly here; the plain build runs them all")


class Setups:
    """One with a single server and one with three, started when they are first asked for."""

    def __init__(self):
        self.setups = {}

    def of(self, batch):
        ensemble = batch[0].fault == "leader_killed"
        if ensemble not in self.setups:
            self.setups[ensemble] = Setup("c", ensemble)
        return self.setups[ensemble]

    def remove(self):
        for setup in self.setups.values():
            setup.remove()


@pytest.fixture(scope="module")
def setups():
    all_of_them = Setups()
    yield all_of_them
    all_of_them.remove()


@pytest.mark.timeout(240 * SLOW)
@pytest.mark.parametrize("batch", [pytest.param(batch, id=name) for name, batch in batches(CHOSEN)])
def test_what_is_promised_holds_whatever_operation_the_fault_hits(lateness, setups, batch):
    with lateness() as late:
        outcomes = run_cases(batch, setups.of(batch))
    assert [outcome.case for outcome in outcomes] == batch
    reports = []
    for outcome in outcomes:
        if found := checks.violations(outcome, late.allowed_ms(BUSY_MS)):
            reports.append(checks.report(outcome, found))
    assert not reports, "\n" + "\n\n".join(reports)
