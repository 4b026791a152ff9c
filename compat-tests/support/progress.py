# SPDX-License-Identifier: Apache-2.0
"""
How far the tests are and how long the rest will take; and the order that makes it short: the longest first, so that no
long one begins when all others are done. The times are those of the last run of this build folder, or those of
long_tests.txt for a new one.
"""
import collections
import json
import os
import re
import threading
import time

import pytest

from support.programs import BUILD

HERE = os.path.dirname(os.path.abspath(__file__))
USUAL_SECONDS = 0.5  # of a test that has no time yet
EVERY_SECONDS = 5
MEASURED = os.path.join(BUILD, "test-times.json")


def known_times() -> dict:
    times = {}
    with open(os.path.join(HERE, "long_tests.txt"), encoding="utf-8") as file:
        for line in file:
            seconds, name = line.strip().split(" ", 1)
            times[name] = float(seconds)
    try:
        with open(MEASURED, encoding="utf-8") as file:
            times.update(json.load(file))
    except (OSError, ValueError):
        pass
    return times


def put_longest_first(items):
    """Those of a group stay together: they run in one worker, and count as one."""
    times = known_times()
    groups, weights = {}, collections.Counter()
    for item in items:
        mark = item.get_closest_marker("xdist_group")
        groups[item] = mark.args[0] if mark else plain(item.nodeid)
        weights[groups[item]] += times.get(plain(item.nodeid), USUAL_SECONDS)
    items.sort(key=lambda item: (-weights[groups[item]], groups[item]))


def plain(name: str) -> str:
    """A test's name without the group that pytest-xdist appends."""
    return re.sub(r"@[\w-]+$", "", name)


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Progress:
    """A pytest plugin, of the process that hands the tests out."""

    def __init__(self, config):
        self.config = config
        self.times = known_times()
        self.workers = getattr(config.option, "numprocesses", None) or 1
        self.names = []
        self.taken = {}  # seconds of each test, its fixtures included
        self.running = {}  # since when
        self.done, self.failed = set(), 0
        self.began = time.monotonic()
        self.over = threading.Event()

    def pytest_collection_finish(self, session):
        if session.items:
            self.begin(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids):
        if not self.names:
            self.begin(ids)

    def begin(self, names):
        self.names = [plain(name) for name in names]
        self.began = time.monotonic()
        threading.Thread(target=self.tell, daemon=True).start()

    def pytest_runtest_logstart(self, nodeid):
        self.running[plain(nodeid)] = time.monotonic()

    def pytest_runtest_logreport(self, report):
        name = plain(report.nodeid)
        self.taken[name] = self.taken.get(name, 0) + report.duration
        if report.failed:
            self.failed += 1
            self.say(f"FAILED {name} ({report.when})")
        if report.when == "teardown":
            self.done.add(name)
            self.running.pop(name, None)

    def pytest_report_teststatus(self, report):
        """Nothing for those that passed: the lines of this plugin stand for the dots."""
        return ("passed" if report.when == "call" else "", "", "") if report.passed else None

    def pytest_sessionfinish(self):
        self.over.set()
        if not self.names:
            return
        measured = {name: round(self.taken[name], 2) for name in self.done}
        try:
            with open(MEASURED, encoding="utf-8") as file:
                measured = {**json.load(file), **measured}
        except (OSError, ValueError):
            pass
        try:
            with open(f"{MEASURED}.{os.getpid()}", "w", encoding="utf-8") as file:
                json.dump(measured, file, indent=0)
            os.replace(f"{MEASURED}.{os.getpid()}", MEASURED)
        except OSError:
            pass  # the next run has a worse estimate

    def say(self, line):
        self.config.pluginmanager.get_plugin("terminalreporter").write_line(line)

    def work(self, names) -> float:
        return sum(self.time(name) for name in list(names))

    def time(self, name) -> float:
        return self.times.get(name, USUAL_SECONDS)

    def left(self) -> float:
        """By what this run needed for what it has done; by the longest that is left, if that takes longer."""
        now = time.monotonic()
        total, finished = self.work(self.names), self.work(self.done)
        left = {name: max(0, self.time(name) - (now - since)) for name, since in list(self.running.items())}
        finished += self.work(left) - sum(left.values())
        pace = (now - self.began) / finished if finished > total / 20 else 1 / self.workers
        return max((total - finished) * pace, *left.values(), 0)

    def tell(self):
        while not self.over.wait(EVERY_SECONDS):
            failed = f", {self.failed} failed" if self.failed else ""
            self.say(f"{len(self.done)} of {len(self.names)} tests{failed}, about {clock(self.left())} left")
