# SPDX-License-Identifier: Apache-2.0
"""The matrix of peers and versions."""
import argparse
import pathlib
import sys
import tempfile
import time

from peers import document, fetching, planted, rows
from peers.running import run_row


def arguments(names: list):
    parser = argparse.ArgumentParser(prog="compat-tests/peers/run", description=__doc__)
    parser.add_argument("--only", metavar="ROW", action="append", choices=names, help="this row; may be given again")
    parser.add_argument("--small", action="store_true", help="the oldest and the newest Curator, as CI does")
    parser.add_argument("--list", action="store_true", help="names the rows and what they fetch")
    parser.add_argument("--write", action="store_true", help=f"fills the tables of docs/{document.PAGE.name}")
    parser.add_argument("--cache", metavar="FOLDER", help=f"keeps what is fetched there ({fetching.DEFAULT_CACHE})")
    parser.add_argument("--skip-unreachable", action="store_true",
                        help="a row whose registry does not answer is skipped and does not count as failed")
    parser.add_argument("--planted", action="store_true",
                        help="runs the rows with a copy of the library whose nodes have a wrong name: each must be red")
    return parser.parse_args()


def say(text: str):
    print(text, flush=True)


def announce(chosen: list):
    missing = {(need.registry, need.what) for row in chosen for need in row.needs if not need.ready()}
    if not missing:
        say(f"Nothing to fetch; kept in {fetching.Need.cache}")
        return
    say(f"To be fetched, with what each needs, into {fetching.Need.cache}:")
    for registry, what in sorted(missing):
        say(f"  {registry}: {what}")


def fetch(row) -> bool:
    try:
        for need in row.needs:
            if not need.ready():
                need.fetch()
        return True
    except fetching.NotFetched as problem:
        say(f"=== {row.name}: NOT RUN, could not fetch {problem}")
        return False


def report(result):
    kind = "green" if result.is_green else "RED"
    unexpected = "" if result.is_expected else " UNEXPECTED"
    say(f"=== {result.row.name}: {kind}{unexpected}, {result.passed} passed, {len(result.failures)} failed, "
        f"{result.seconds:.0f} s; {result.row.versions()}")
    if not result.is_expected:
        say(result.output[-6000:])
        for name in result.failures:
            say(f"    failed: {name}")


def run_all(chosen: list, options) -> tuple:
    """The results, and the names of rows that could not be fetched."""
    results, not_fetched = [], []
    for row in chosen:
        if not fetch(row):
            not_fetched.append(row.name)
            continue
        results.append(run_row(row))
        report(results[-1])
        if options.write:
            document.fill(rows.all_rows(), results[-1:])
    return results, not_fetched


def run_planted(chosen: list) -> int:
    with tempfile.TemporaryDirectory(prefix="curator-planted-") as folder:
        say(f"Building a copy of the library with {planted.WRONG} ...")
        build = planted.build(folder)
        green = []
        for row in chosen:
            if not fetch(row):
                return 1
            row.tests = [test for test in row.tests if "nodes_test" not in test]  # which look at names, not at holds
            result = run_row(row, first_failure_only=True, CURATOR_BUILD=build)
            say(f"=== {row.name}, wrong name planted: {'GREEN' if result.is_green else 'red, as it must be'}, "
                f"{result.seconds:.0f} s {result.failures}")
            green += [row.name] if result.is_green else []
    say(f"{len(chosen) - len(green)} passed, {len(green)} failed")
    return 1 if green else 0


def main() -> int:
    every = rows.all_rows()
    options = arguments([row.name for row in every])
    if options.cache:
        fetching.Need.cache = pathlib.Path(options.cache).resolve()
    names = options.only or (rows.OLDEST_AND_NEWEST if options.small else [row.name for row in every])
    chosen = [row for row in every if row.name in names]
    if options.list:
        for row in chosen:
            say(f"{row.name:32} " + "; ".join(f"{need.registry}: {need.what}" for need in row.needs))
        return 0
    began = time.monotonic()
    announce(chosen)
    if options.planted:
        return run_planted(chosen)
    results, not_fetched = run_all(chosen, options)
    unexpected = [result.row.name for result in results if not result.is_expected]
    if not_fetched:
        say(f"!!! SKIPPED, as no registry answered: {', '.join(not_fetched)}")
    failed = len(unexpected) + (0 if options.skip_unreachable else len(not_fetched))
    say(f"{len(chosen)} rows in {time.monotonic() - began:.0f} s")
    say(f"{len(results) - len(unexpected)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
