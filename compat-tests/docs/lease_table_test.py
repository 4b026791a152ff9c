# SPDX-License-Identifier: Apache-2.0
"""The table of the lease in docs/guarantees.md is what the constants of the code make of it."""
import re

import pytest

from docs.pages import ROOT

PAGE = ROOT / "docs" / "guarantees.md"
TIMEOUTS = (4, 10, 30, 40)  # seconds


def constants() -> dict:
    """The numbers that the lease is made of, by the names that lease.c gives them."""
    (source,) = (ROOT / "lib").glob("*/lease.c")
    return {name: int(value) for name, value in re.findall(r"^#define (\w+) (\d+)\b", source.read_text(), re.M)}


def rows(timeout: float) -> dict:
    """What stands in the first column of a row -> seconds."""
    lease = constants()
    probe = timeout / lease["PROBES_PER_TIMEOUT"]
    idle_probe = timeout / lease["IDLE_PROBES_PER_TIMEOUT"]
    half_tick = min(lease["HALF_TICK_MS"] / 1000, timeout / 4)
    suspended = timeout / lease["UNRESPONSIVE_PER_TIMEOUT"]
    lost = timeout - 2 * probe - half_tick  # the three requests of the proof are that far apart
    lost_idle = timeout - 2 * idle_probe - half_tick
    return {
        "probe interval, locks held": probe,
        "probe interval, no lock held": idle_probe,
        "half a tick, h": half_tick,
        "a grant needs a lease of": half_tick + lease["PROBES_TO_RENEW"] * probe,
        "SUSPENDED": suspended,
        "LOST, at the earliest": lost,
        "LOST, at the earliest, new lock on an idle session": lost_idle,
        "LOST, at the latest": timeout - half_tick,
        "the server ends the session, at the earliest": timeout,
        "margin between LOST and that": half_tick,
        "from SUSPENDED to LOST, at least": lost - suspended,
        "from SUSPENDED to LOST, at least, new lock on an idle session": lost_idle - suspended,
    }


def evaluated(formula: str, timeout: float) -> float:
    """The second column: a formula of T and h."""
    expression = re.sub(r"(\d)T", r"\1*T", formula).replace("1 s", "1")
    return eval(expression, {"T": timeout, "h": min(1, timeout / 4), "min": min})


def table() -> list:
    """(what, formula, seconds for each T) of each row."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    head = "| | | " + " | ".join(f"T = {timeout} s" for timeout in TIMEOUTS) + " |"
    first = lines.index(head) + 2
    cells = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        what, formula, *seconds = (cell.strip() for cell in line.strip("|").split("|"))
        cells.append((what, formula, seconds))
    return cells


@pytest.mark.parametrize("column, timeout", list(enumerate(TIMEOUTS)), ids=str)
def test_the_table_says_what_the_constants_make(column, timeout):
    computed = {what: f"{seconds:.2f}" for what, seconds in rows(timeout).items()}
    assert {what: seconds[column] for what, _, seconds in table()} == computed


@pytest.mark.parametrize("timeout", TIMEOUTS)
def test_the_formulas_say_the_same(timeout):
    computed = rows(timeout)
    for what, formula, _ in table():
        assert evaluated(formula, timeout) == pytest.approx(computed[what]), what
