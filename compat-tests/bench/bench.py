# SPDX-License-Identifier: Apache-2.0
"""Measures this library, the real Curator, kazoo and the floor side by side on throwaway servers."""
import argparse
import json
import os
import signal
import sys

import about
import charts
import command
import contenders
import contention
import distance
import document
import footprint
import report
import started
import targets
import works
from contenders import BenchFailed, Contender, ContenderPool
from measuring import Cluster
from support import jars
from support.zookeeper import Ensemble, ZooKeeper

# What a work is given: rounds first where there are any.
USUAL = {
    "warm_up": {"cycles": {"java": 10000, "c": 2000, "pending": 2000, "requests": 1000, "one_flight": 1000,
                           "floor": 1000, "kazoo": 500},
                "handoff_seconds": {"java": 8, "c": 1, "kazoo": 1, "floor": 1}},
    "uncontended": (works.uncontended, {"rounds": 200, "cycles": 100, "count_cycles": 20}),
    "handoff": (contention.handoff, {"rounds": 5, "sizes": [2, 20, 100, 1000], "warm_up": 0.5, "seconds": 2}),
    "throughput": (contention.throughput, {"rounds": 7, "sizes": [2, 20, 100], "warm_up": 0.5, "seconds": 2}),
    "threads": (contention.threads, {"rounds": 7, "sizes": [1, 8, 64], "warm_up": 0.5, "seconds": 2}),
    "started": (started.started, {"rounds": 5, "first_cycles": 500, "cycles": 2000, "sizes": [2, 20, 100],
                                  "threads": [1, 8, 64], "warm_up": 0.5, "seconds": 2}),
    "first_acquire": (works.first_acquire, {"times": 3}),
    "reentry": (works.reentry, {"rounds": 9, "times": 1000000}),
    "many_locks": (footprint.many_locks, {"number": 10000}),
    "cold_start": (footprint.cold_start, {"rounds": 9}),
    "command": (command.command, {"rounds": 50, "lists": 9, "contenders": 10000}),
    "herd": (contention.herd, {"members": 1000}),
    "distance": (distance.distance, {"rounds": 3, "delays_ms": [0, 1, 5, 20], "warm_up": 0.2, "seconds": 3}),
}
QUICK = {
    "warm_up": {"cycles": {"java": 3000, "c": 500, "pending": 500, "requests": 300, "one_flight": 300, "floor": 300,
                           "kazoo": 100},
                "handoff_seconds": {"java": 1, "c": 0.3, "kazoo": 0.3, "floor": 0.3}},
    "uncontended": {"rounds": 20, "count_cycles": 5},
    "handoff": {"rounds": 1, "sizes": [2, 20, 100], "warm_up": 0.2, "seconds": 0.7},
    "throughput": {"rounds": 1, "warm_up": 0.2, "seconds": 0.7},
    "threads": {"rounds": 1, "warm_up": 0.2, "seconds": 0.7},
    "started": {"rounds": 1, "cycles": 500, "sizes": [2], "threads": [8], "seconds": 0.7},
    "reentry": {"rounds": 3, "times": 300000},
    "many_locks": {"number": 1000},
    "cold_start": {"rounds": 2},
    "command": {"rounds": 10, "lists": 3},
    "herd": {"members": 100},
    "distance": {"rounds": 1, "delays_ms": [0, 5], "seconds": 0.7},
}
WORKS = [name for name in USUAL if name != "warm_up"]
SERVER_JAVA = ["java", "-Xms512m", "-Xmx1g"]
TICK_MS = 2000


def options():
    parser = argparse.ArgumentParser(
        prog="compat-tests/bench/run", description="Measures the locks of this library, of Java's Curator and of "
        "Python's kazoo, and the ZooKeeper client alone with the least of requests, which is the floor. They take "
        "turns on a ZooKeeper that is started on a free loopback port and removed at the end. The exit status is 0 "
        "also when a target is missed: only an idle machine can tell.")
    parser.add_argument("--quick", action="store_true",
                        help="two or three minutes: fewer rounds and sizes, rough numbers")
    parser.add_argument("--work", action="append", choices=WORKS, metavar="NAME",
                        help="only this; may be given again. There are: " + " ".join(WORKS))
    parser.add_argument("--rounds", type=int, metavar="N", help="so many for each work that has rounds")
    parser.add_argument("--ensemble", type=int, choices=(1, 3), default=1, metavar="1|3", help="servers (1)")
    parser.add_argument("--fsync", action="store_true",
                        help="the server forces each transaction to the disk, which is then most of what is measured")
    parser.add_argument("--delay-ms", type=float, action="append", metavar="D",
                        help="the work `distance` with so much added to the round trip; may be given again")
    parser.add_argument("--curator", metavar="CLASSPATH",
                        help="another Curator and what it needs, before Debian's jars")
    parser.add_argument("--any-build", action="store_true",
                        help="also with a build that is not optimised, to try the instrument out")
    parser.add_argument("--json", metavar="FILE", help="write all results to FILE too")
    parser.add_argument("--charts", metavar="DIR", help="draw SVG pictures into DIR")
    parser.add_argument("--docs", action="store_true", help="fill the tables and charts of docs/performance*.md")
    parser.add_argument("--results", metavar="FILE", help="measure nothing, use what --json wrote")
    wanted = parser.parse_args()
    if wanted.rounds is not None and wanted.rounds < 1:
        parser.error("--rounds wants at least 1")
    if wanted.docs and (wanted.work or wanted.quick):
        parser.error("--docs wants all works, not quick ones")
    return wanted


def say(what: str):
    print(what, file=sys.stderr, flush=True)


def amounts(wanted) -> dict:
    """For each chosen work: the function and its arguments."""
    chosen = {}
    for name in wanted.work or WORKS:
        work, usual = USUAL[name]
        given = {**usual, **(QUICK.get(name, {}) if wanted.quick else {})}
        if wanted.rounds is not None and "rounds" in given:
            given["rounds"] = wanted.rounds
        if name == "distance" and wanted.delay_ms:
            given["delays_ms"] = wanted.delay_ms
        chosen[name] = (work, given)
    return chosen


def measure(servers: list, wanted) -> dict:
    cluster = Cluster(servers)
    warm_up = (QUICK if wanted.quick else USUAL)["warm_up"]
    with Contender("floor", cluster.connect_string):
        pass  # it makes the path
    results = {"about": about.about(
        cluster, f"heap {SERVER_JAVA[-1][4:]}, tickTime {TICK_MS}, maxClientCnxns 0, forceSync "
        f"{'yes' if wanted.fsync else 'no (the log is written, not forced to the disk)'}",
        f"{warm_up['cycles']['java']:,} uncontended cycles and {warm_up['handoff_seconds']['java']:g} s of hand-offs "
        "for Java, less for the others",
        "in turns, each round begins with another; medians of the rounds, p99 of all; ratios are taken within a round")}
    results["works"] = {}
    with ContenderPool(cluster.connect_string, warm_up, say) as pool:
        for name, (work, given) in amounts(wanted).items():
            say(f"{name} ...")
            results["works"][name] = work(cluster, pool, **given)
    results["targets"] = targets.targets(results["works"])
    return results


def leave(number, _frame):
    raise SystemExit(128 + number)  # by way of every `with` and `finally`


def measured(wanted) -> dict:
    settings = {"tick_ms": TICK_MS, "force_sync": wanted.fsync, "java": SERVER_JAVA}
    deployment = Ensemble(**settings) if wanted.ensemble == 3 else ZooKeeper(**settings)
    try:
        deployment.start()
        return measure(deployment.servers if wanted.ensemble == 3 else [deployment], wanted)
    finally:
        deployment.remove()


def main():
    wanted = options()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
    if wanted.curator:
        contenders.OTHER_CURATOR.append(wanted.curator)
    try:
        if wanted.results:
            with open(wanted.results, encoding="utf-8") as file:
                results = json.load(file)
        else:
            results = measured(wanted)
        if wanted.json:
            with open(wanted.json, "w", encoding="utf-8") as file:
                json.dump(results, file, indent=1)
        print(report.text(results), flush=True)
        if wanted.charts:
            charts.draw(results["works"], wanted.charts)
        if wanted.docs:
            document.fill(results)
    except (BenchFailed, jars.MissingPart, AssertionError, OSError, ValueError) as problem:
        raise SystemExit(f"compat-tests/bench/run: {problem}") from problem


if os.environ.get("CURATOR_BUILD") is None:
    raise SystemExit("to be started by compat-tests/bench/run")
main()
