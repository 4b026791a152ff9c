# SPDX-License-Identifier: Apache-2.0
"""Runs a mixed fleet under chaos and judges what it recorded."""
import argparse
import faulthandler
import logging
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

from kazoo.exceptions import KazooException

import leaks
import report
from chaos import Chaos, plan
from fleet import LOCK_PATH, MUTEX_PATH, ROLES, SESSION_MS, Member, history_files, milliseconds
from history import ProcessLog, build_history
from support import checker, jars, transactions
from support.waiting import SLOW, bound, wait_until
from support.zookeeper import Ensemble

HAND_OFFS_A_MINUTE = 150  # fewer than that prove too little; less where programs run slowly
STUCK_SECONDS = 60  # the same node first for so long: the operator removes it so that the run can go on
OVERRUN_MS = 1000  # of a limited acquire of the C library, in a process that was not paused


def more_than_nothing(text) -> float:
    minutes = float(text)
    if not minutes > 0:
        raise argparse.ArgumentTypeError(f"{text} is not more than nothing")
    return minutes


def options():
    parser = argparse.ArgumentParser(
        prog="compat-tests/soak/run", description="Contenders in C, Java (the real Curator) and Python (kazoo) take "
        "turns on a mutex and on a read-write lock of a three-server ensemble while processes, links, sessions, "
        "servers and nodes are broken by a schedule that the seed decides. At the end a checker that knows nothing of "
        "the library judges what all wrote down. The exit status is 0 only if nothing was violated, nothing leaked, "
        "and there were enough hand-offs.")
    parser.add_argument("--minutes", type=more_than_nothing, default=20)
    parser.add_argument("--seed", type=int, default=None, help="of the schedule and of the clients' choices; random")
    parser.add_argument("--report", metavar="FILE", help="write the report to FILE too")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the histories and the servers' logs there")
    parser.add_argument("--plan", action="store_true", help="print the schedule and end")
    parser.add_argument("--broken", action="store_true",
                        help="C contenders take a time-out for a grant: shows that violations are found")
    return parser.parse_args()


class Clocks(threading.Thread):
    """Reads both clocks together, now and then."""

    def __init__(self, stop):
        super().__init__(daemon=True)
        self.stop = stop
        self.pairs = [self.read()]

    @staticmethod
    def read():
        return time.monotonic() * 1000, time.time() * 1000

    def run(self):
        while not self.stop.wait(1):
            self.pairs.append(self.read())


class StuckNodeRemover(threading.Thread):
    """Removes a node that blocks everybody for very long, so that one fault does not hide all that would follow."""

    def __init__(self, chaos, stop):
        super().__init__(daemon=True)
        self.chaos, self.stop, self.removed = chaos, stop, []

    def run(self):
        first = {}
        while not self.stop.wait(1):
            for path in (MUTEX_PATH, LOCK_PATH):
                try:
                    head = next(iter(self.chaos.admin.children(path)), None)
                    if head is None or first.get(path, ("",))[0] != head:
                        first[path] = (head, time.monotonic())
                    elif time.monotonic() - first[path][1] > bound(STUCK_SECONDS):
                        owner = self.chaos.admin.data(f"{path}/{head}").decode()
                        self.chaos.admin.zk.delete(f"{path}/{head}")
                        self.removed.append(f"{path}/{head} of {owner}")
                except (KazooException, OSError):
                    pass  # no server at the moment


class Soak:
    def __init__(self, wanted, seed, directory):
        self.wanted, self.seed = wanted, seed
        self.directory = directory
        self.ensemble = Ensemble()
        self.members = []
        self.faults = plan(seed, wanted.minutes * 60, ROLES)
        self.problems, self.rows = [], []

    def run(self):
        self.ensemble.start()
        znodes = max(leaks.server_counts(server)["zk_znode_count"] for server in self.ensemble.servers)
        stop = threading.Event()
        self.clocks = Clocks(stop)
        self.members = [Member(role, self.ensemble.servers, self.directory, self.seed, self.wanted.broken)
                        for role in ROLES]
        self.chaos = Chaos(self.ensemble, {member.role.name: member for member in self.members})
        self.began = milliseconds()
        for member in self.members:
            member.start()
        over = threading.Event()
        sampler, remover = leaks.UsageSampler(self.ensemble, self.members, over), StuckNodeRemover(self.chaos, stop)
        for thread in (self.clocks, sampler, remover):
            thread.start()
        chaos = threading.Thread(target=self.chaos.run, args=(self.faults, over), daemon=True)
        chaos.start()
        self.watch_over(self.began / 1000 + self.wanted.minutes * 60)
        over.set()
        chaos.join()
        sampler.join()
        self.problems += self.chaos.problems
        self.rows += leaks.judge_servers(sampler, sum(role.threads for role in ROLES),
                                         sum(role.language == "java" for role in ROLES))
        self.settle(sampler)
        stop.set()
        for member in self.members:
            self.problems += member.finish()
        self.clocks.pairs.append(Clocks.read())
        self.chaos.admin.close()
        self.rows += leaks.judge_end(self.ensemble, znodes)
        self.removed = remover.removed

    def watch_over(self, until):
        """No process may end on its own."""
        while time.monotonic() < until and not self.problems and not self.chaos.problems:
            time.sleep(1)
            for member in self.members:
                if not member.alive and member.role.name not in self.chaos.expected_down:
                    time.sleep(1)  # the chaos may have been about to say so
                    if not member.alive and member.role.name not in self.chaos.expected_down:
                        self.problems.append(f"{member.name} ended with {member.process.returncode} by itself:\n"
                                             f"{member.errors()}")

    def settle(self, sampler):
        """Everybody stops contending, but stays connected: what is left now was left behind."""
        for member in self.members:
            if member.alive:
                member.tell("stop")
        for member in self.members:
            if member.alive:
                try:
                    wait_until(lambda member=member: member.lines("idle"), f"{member.name} to let go", 60)
                except AssertionError as problem:
                    self.problems.append(str(problem))
        for path in (MUTEX_PATH, LOCK_PATH):
            try:
                self.chaos.admin.wait_for_children(path, 0, 20)
            except (AssertionError, KazooException) as problem:
                self.problems.append(f"{problem!r}: {self.chaos.admin.children(path)}")
        self.rows += leaks.judge_watches(self.ensemble)
        self.rows += leaks.judge_processes(sampler, SLOW > 1)

    def judge(self) -> "report.Report":
        languages = {member.role.name: member.role.language for member in self.members}
        logs = [ProcessLog(file, languages[os.path.basename(file).split(".")[0]])
                   for file in history_files(self.directory)]
        records = transactions.read([os.path.join(server.directory, "data") for server in self.ensemble.servers])
        deaths, stops = {}, []
        for member in self.members:
            deaths.update(member.deaths)
            stops += member.stops
        end = milliseconds()
        history, alarms, doubtful = build_history(logs, deaths, stops, records, {MUTEX_PATH, LOCK_PATH},
                                                 checker.WallClock(self.clocks.pairs), self.chaos.forced, end)
        judge = checker.Checker(history, checker.Limits(clock=5, resume=bound(2000),
                                                        telling=bound(SESSION_MS + 4000), idle=bound(30000)))
        violations = judge.check() + alarms + report.overruns(logs, history, bound(OVERRUN_MS))
        least = int(HAND_OFFS_A_MINUTE * self.wanted.minutes / SLOW)
        return report.Report(seed=self.seed, minutes=self.wanted.minutes, holds=judge.alive, logs=logs,
                             violations=sorted(violations, key=lambda violation: violation.time), notes=judge.notes,
                             faults=self.chaos.done, rows=self.rows, problems=self.problems, doubtful=doubtful,
                             removed=self.removed, least=least, history=history, roles=ROLES)

    def keep(self, folder):
        os.makedirs(folder, exist_ok=True)
        for file in history_files(self.directory):
            shutil.copy(file, folder)
        for number, server in enumerate(self.ensemble.servers, 1):
            shutil.copytree(server.directory, os.path.join(folder, f"server{number}"), dirs_exist_ok=True)
        with open(os.path.join(folder, "faults"), "w", encoding="utf-8") as file:
            for since, until, *fault in sorted(self.chaos.log):
                print(f"{since:.3f} {until:.3f}", *fault, file=file)

    def remove(self):
        for member in self.members:
            member.remove()
        self.ensemble.remove()


def leave(number, _frame):
    raise SystemExit(128 + number)  # by way of every `with` and `finally`


def main():
    wanted = options()
    logging.getLogger("kazoo").addHandler(logging.NullHandler())  # the operator's connection breaks as it should
    faulthandler.register(signal.SIGUSR1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
    seed = random.SystemRandom().randrange(10 ** 6) if wanted.seed is None else wanted.seed
    print(f"seed {seed}", flush=True)
    if wanted.plan:
        for fault in plan(seed, wanted.minutes * 60, ROLES):
            print(f"{fault.at:9.3f} s  {fault.kind} ({fault.target}), {fault.seconds:.3f} s")
        return
    directory = tempfile.mkdtemp(prefix="curator-soak-")
    soak = Soak(wanted, seed, directory)
    try:
        soak.run()
        result = soak.judge()
        text = result.text()
        print(text, flush=True)
        if wanted.report:
            with open(wanted.report, "w", encoding="utf-8") as file:
                file.write(text)
        if wanted.keep:
            soak.keep(wanted.keep)
    except jars.MissingPart as problem:
        raise SystemExit(f"compat-tests/soak/run: {problem}") from problem
    finally:
        soak.remove()
        shutil.rmtree(directory, ignore_errors=True)
    sys.exit(0 if result.good else 1)


if __name__ == "__main__":
    main()
