# SPDX-License-Identifier: Apache-2.0
"""Measures this library, the real Curator and the floor side by side on a throwaway server."""
import argparse
import contextlib
import json
import signal
import sys

import report
import works
from contenders import BenchFailed, Contender
from support import jars
from support.zookeeper import ZooKeeper

CONTENDERS = ("floor", "requests", "c", "java")
# Cycles to warm up (the JVM compiles what it has run often enough), then rounds and how much there is to do in each.
USUAL = {"warm_up": {"java": 10000, "c": 2000, "requests": 1000, "floor": 1000},
         "uncontended": (200, 100), "reentry": (9, 1000000), "resident_memory": 5}
QUICK = {"warm_up": {"java": 4000, "c": 500, "requests": 300, "floor": 300},
         "uncontended": (40, 80), "reentry": (3, 300000), "resident_memory": 1}


def options():
    parser = argparse.ArgumentParser(
        prog="compat-tests/bench/run", description="Measures an uncontended acquire and release, re-entry and memory, "
        "of this library and of Java's Curator; beside them the ZooKeeper client alone with one create and one delete, "
        "which is the floor, and with the three requests of a lock. They take turns on a ZooKeeper that is started on "
        "a free loopback port and removed at the end. The exit status is 0 also when a limit is missed: only an idle "
        "machine can tell.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, rougher numbers")
    parser.add_argument("--json", metavar="FILE", type=argparse.FileType("w", encoding="utf-8"),
                        help="write all results to FILE too")
    return parser.parse_args()


def say(what: str):
    print(what, file=sys.stderr, flush=True)


def measure(server, amounts: dict) -> dict:
    results = {}
    with contextlib.ExitStack() as stack:
        contenders = {name: stack.enter_context(Contender(name, server)) for name in CONTENDERS}
        say("Warming up ...")
        for name, cycles in amounts["warm_up"].items():
            contenders[name].ask("cycles", cycles)
        say("Uncontended acquire and release ...")
        results["uncontended"] = works.uncontended(server, contenders, *amounts["uncontended"])
        say("Re-entry ...")
        results["reentry"] = works.reentry(server, {name: contenders[name] for name in ("c", "java")},
                                           *amounts["reentry"])
    say("Memory ...")
    results["resident_memory"] = works.resident_memory(server, ["c", "java"], amounts["resident_memory"])
    results["limits"] = report.limits(results)
    return results


def leave(number, _frame):
    raise SystemExit(128 + number)  # by way of every `with` and `finally`


def main():
    wanted = options()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
    server = ZooKeeper()
    try:
        results = measure(server.start(), QUICK if wanted.quick else USUAL)
    except (BenchFailed, jars.MissingPart, AssertionError) as problem:
        raise SystemExit(f"compat-tests/bench/run: {problem}") from problem
    finally:
        server.remove()
    print(report.text(results), flush=True)
    if wanted.json is not None:
        with wanted.json:
            json.dump(results, wanted.json, indent=1)


main()
