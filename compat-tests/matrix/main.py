# SPDX-License-Identifier: Apache-2.0
"""Runs the matrix and prints what came out of it, for each language a column."""
import argparse
import collections
import json
import sys
import time

from matrix import checks
from matrix.cases import ALL, CASES, FAULTS, LATE_MS, OPERATIONS, batches
from matrix.runner import run_cases
from matrix.setup import Setup

NAMES = {"c": "libcurator", "java": "Curator"}


def run(language, cases) -> list:
    outcomes, setups = [], {}
    try:
        for name, batch in batches(cases):
            began = time.monotonic()
            ensemble = batch[0].fault == "leader_killed"
            if ensemble not in setups:
                setups[ensemble] = Setup(language, ensemble)
            outcomes += run_cases(batch, setups[ensemble])
            seconds = time.monotonic() - began
            print(f"{language} {name}: {len(batch)} cases, {seconds:.0f} s", file=sys.stderr, flush=True)
    finally:
        for setup in setups.values():
            setup.remove()
    return outcomes


def statuses(calls) -> dict:
    return dict(collections.Counter(call.status.removeprefix("CURATOR_") for call in calls if call and call.done))


def longest(values) -> str:
    values = [value for value in values if value is not None]
    return f"{max(values, default=0):,.0f} ms"


def summary(outcomes) -> dict:
    """The rows of the table, in order."""
    late = [outcome for outcome in outcomes if checks.overrun(outcome) > LATE_MS]
    slow = [outcome for outcome in outcomes if checks.release_overrun(outcome) > LATE_MS]
    acquired = [outcome for outcome in outcomes if outcome.acquire and outcome.acquire.status == "CURATOR_OK"]
    failed = [outcome for outcome in outcomes if checks.errors(outcome)]
    left = [outcome for outcome in outcomes if not outcome.problem and checks.left_behind(outcome)]
    return {
        "cases": len(outcomes),
        "lock acquired within the call": len(acquired),
        "deadline overruns (acquire, more than 100 ms past its 3 s)": len(late),
        "latest return of acquire, past its limit": longest(max(0, checks.overrun(o)) for o in outcomes),
        "releases that took more than 2.1 s": len(slow),
        "longest release": longest(o.release.elapsed for o in outcomes if o.release and o.release.done),
        "cases with an error": len(failed),
        "left-behind nodes": len(left),
        "longest stay of a node": longest(o.node_gone_ms for o in outcomes),
        "double holds": sum(bool(checks.double_holds(outcome)) for outcome in outcomes),
        "stuck": sum(bool(outcome.stuck) for outcome in outcomes),
        "not taken again at once by C and Java":
            sum(bool(checks.not_taken_again(o)) for o in outcomes if not o.problem),
        "not run (a problem of the test)": sum(bool(o.problem) for o in outcomes),
    }


def table(columns) -> str:
    """Markdown; columns: language -> outcomes."""
    summaries = {language: summary(outcomes) for language, outcomes in columns.items()}
    lines = ["| | " + " | ".join(NAMES[language] for language in columns) + " |", "|---|" + "--:|" * len(columns)]
    for row in next(iter(summaries.values())):
        lines.append(f"| {row} | " + " | ".join(str(summaries[language][row]) for language in columns) + " |")
    return "\n".join(lines)


def by(attribute, titles, columns) -> str:
    """Where it happened: overruns / errors / left behind / double holds, for each fault or operation."""
    lines = [f"| {attribute} | cases | " + " | ".join(NAMES[language] for language in columns) + " |",
             "|---|--:|" + "---|" * len(columns)]
    for key, title in titles.items():
        cells, number = [], 0
        for outcomes in columns.values():
            rows = [outcome for outcome in outcomes if getattr(outcome.case, attribute) == key]
            number = len(rows)
            counts = {"late": sum(checks.overrun(o) > LATE_MS for o in rows),
                      "failed": sum(bool(checks.errors(o)) for o in rows),
                      "left": sum(not o.problem and checks.left_behind(o) for o in rows),
                      "double": sum(bool(checks.double_holds(o)) for o in rows),
                      "stuck": sum(bool(o.stuck) for o in rows)}
            cells.append(", ".join(f"{count} {name}" for name, count in counts.items() if count) or "-")
        if number:
            lines.append(f"| {title} | {number} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def as_json(outcome) -> dict:
    def call(one):
        return one and {"status": one.status, "elapsed_ms": round(one.elapsed, 1), "error": one.error}

    return {"case": str(outcome.case), "peer": outcome.language, "acquire": call(outcome.acquire),
            "release": call(outcome.release), "node_gone_ms": outcome.node_gone_ms, "taken_ms": outcome.taken_ms,
            "holds": outcome.holds, "losses": outcome.losses, "states": outcome.states, "stuck": outcome.stuck,
            "violations": checks.violations(outcome), "record": outcome.record.splitlines()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="compat-tests/matrix/run", description=__doc__)
    parser.add_argument("--peer", choices=("c", "java", "both"), default="both", help="the library, Curator, or both")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="cases whose name contains it, like create-restart-java")
    parser.add_argument("--json", metavar="FILE", help="writes all that was seen of each case")
    parser.add_argument("--verbose", action="store_true", help="says of each violation all that is known")
    chosen = parser.parse_args()
    cases = [case for case in CASES if chosen.only in str(case)]
    if not cases:
        parser.error(f"no case's name contains {chosen.only!r}; names are like {CASES[0]}")
    columns = {}
    for language in ("c", "java") if chosen.peer == "both" else (chosen.peer,):
        columns[language] = run(language, cases)
    outcomes = [outcome for column in columns.values() for outcome in column]
    for outcome in outcomes:
        found = checks.violations(outcome)
        if found and chosen.verbose:
            print(checks.report(outcome, found), file=sys.stderr)
        elif found:
            print(f"{outcome.language} {outcome.case}: " + "; ".join(line[:300] for line in found), file=sys.stderr)
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump([as_json(outcome) for outcome in outcomes], file, indent=1)
    print(table(columns))
    print()
    print(by("fault", FAULTS, columns))
    print()
    print(by("operation", OPERATIONS, columns))
    print()
    for language, column in columns.items():
        print(f"{NAMES[language]}: acquire {statuses(o.acquire for o in column)}, "
              f"release {statuses(o.release for o in column)}")
    impossible = collections.Counter(case.cannot_occur for case in ALL if case.cannot_occur)
    print("Combinations that cannot occur: " + "; ".join(f"{count}, as {why}" for why, count in impossible.items()))
    ours = [outcome for outcome in columns.get("c", []) if checks.violations(outcome)]
    return 1 if ours or any(outcome.problem for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
