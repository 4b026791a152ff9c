# SPDX-License-Identifier: Apache-2.0
"""A short soak, and one of contenders that do not keep to the lock, which must be found."""
import os
import re
import subprocess
import sys

import pytest

from support.programs import HERE as SUPPORT
from support.waiting import SLOW, bound, die_with_parent

TESTS = os.path.dirname(SUPPORT)
SEED = 20240229
# Sanitizers and valgrind get a shorter one, in which memory is not judged: they need some of their own.
MINUTES = 2 if SLOW == 1 else 0.7


def soak(*options, minutes):
    """The exit status and the report."""
    command = [sys.executable, "-B", os.path.join(TESTS, "soak", "soak.py"), "--minutes", str(minutes), *options]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "PYTHONPATH": TESTS}, preexec_fn=die_with_parent, check=False,
                          timeout=minutes * 60 + bound(240))
    return done.returncode, done.stdout.decode("utf-8", "replace")


@pytest.mark.timeout(MINUTES * 60 + 300 * SLOW)
def test_a_mixed_fleet_under_chaos_violates_nothing_and_leaks_nothing():
    status, report = soak("--seed", str(SEED), minutes=MINUTES)
    print(report)
    assert f"seed {SEED}" in report
    assert status == 0, report


@pytest.mark.timeout(300 * SLOW)
def test_contenders_that_take_a_time_out_for_a_grant_are_found():
    status, report = soak("--seed", str(SEED), "--broken", minutes=0.25)
    assert status == 1, report
    assert re.search(r"^- two at once: \d+", report, re.MULTILINE), report
    assert re.search(r"^- no node: \d+", report, re.MULTILINE), report


def test_the_same_seed_gives_the_same_schedule():
    def schedule(seed):
        _, plan = soak("--seed", str(seed), "--plan", minutes=20)
        return plan.splitlines()[1:]

    assert schedule(7) == schedule(7) != schedule(8)
    assert len(schedule(7)) > 400
