# SPDX-License-Identifier: Apache-2.0
"""Puts together what the processes wrote, what the servers logged and what was done to both: a checker.History."""
import os
import re
from collections import Counter

from fleet import LOCK_PATH, MUTEX_PATH
from support import checker, transactions

NODE = re.compile(r"(.*)/[^/]*(lock-|__WRIT__|__READ__)(\d{10})$")
KINDS = {"lock-": checker.MUTEX, "__WRIT__": checker.WRITE, "__READ__": checker.READ}


class ProcessLog:
    """One process's history file."""

    def __init__(self, file: str, language: str):
        self.name = os.path.basename(file)
        self.language = language
        self.holds, self.losses, self.pauses, self.waits = [], [], [], []
        self.outcomes, self.states = Counter(), Counter()
        self.current, self.wanting = {}, {}
        self.began = self.closed = None
        with open(file, encoding="ascii") as lines:
            for line in lines:
                what, when, *details = line.split()
                getattr(self, "on_" + what, lambda *_: None)(float(when), details)

    def on_hello(self, when, _):
        self.began = when

    def on_closed(self, _, details):
        self.closed = details[0]

    def on_paused(self, when, details):
        self.pauses.append((float(details[0]), when))

    def on_state(self, _, details):
        self.states[details[0]] += 1

    def on_want(self, when, details):
        thread, _, _, limit = details
        self.wanting[thread] = (when, int(limit))

    def on_enter(self, when, details):
        thread, kind, self_object, node, token = details
        path = MUTEX_PATH if kind == checker.MUTEX else LOCK_PATH
        hold = checker.Hold(path, kind, self.name, thread, when, node=node, language=self.language,
                            token=None if token == "-" else int(token), told_in_time=self.language == "c")
        hold.object = self_object
        self.current[thread] = hold
        self.holds.append(hold)
        self.outcomes["held"] += 1
        self.waited(thread, when)

    def on_refused(self, when, details):
        self.outcomes[details[1]] += 1
        self.waited(details[0], when)

    def waited(self, thread, when):
        since, limit = self.wanting.pop(thread)
        self.waits.append((since, when, limit))

    def on_leave(self, when, details):
        self.current[details[0]].leave = when

    def on_left(self, _, details):
        hold = self.current.pop(details[0])
        self.outcomes["release: " + details[1]] += 1
        hold.release = details[1]

    def on_again(self, when, details):
        if details[1] == "CURATOR_LOCK_LOST":
            self.tell(self.current[details[0]], when)

    def on_noticed(self, when, details):
        self.tell(self.current[details[0]], when)

    def on_lost(self, when, details):
        self.losses.append((when, details[0]))

    @staticmethod
    def tell(hold, when):
        hold.told = when if hold.told is None else min(hold.told, when)


def tell_losses(log, nodes) -> list:
    """Assigns each on_lost to the hold it was about: the first lost one of that object. The others are false alarms."""
    alarms, taken = [], set()
    for when, name in log.losses:
        for hold in log.holds:
            node = nodes.get(hold.node)
            if (hold.object == name and hold.enter - 50 <= when and id(hold) not in taken and node is not None
                    and node.gone_by != checker.OWNER):
                taken.add(id(hold))
                log.tell(hold, max(when, hold.enter))
                break
        else:
            alarms.append(checker.Violation("told falsely", when, f"{log.name} {name}"))
    return alarms


def nodes_of(records, paths, clock, forced, held) -> tuple:
    """The contenders' nodes by full path, and the number of changes that only later ones could confirm."""
    deleted = {record.path for record in records if record.committed and record.type in transactions.DELETES}
    closed = {record.session for record in records if record.committed and record.type == transactions.CLOSE_SESSION}
    nodes, sessions, doubtful = {}, {}, 0

    def end(name, when, by):
        if nodes[name].gone is None:
            nodes[name].gone, nodes[name].gone_by = when, by

    for record in records:
        when = clock.monotonic(record.time)
        doubtful += not record.committed
        if record.type in transactions.CREATES:
            match = NODE.match(record.path)
            if match is None or match[1] not in paths:
                continue
            if record.committed or record.path in deleted or record.path in held:
                nodes[record.path] = checker.Node(match[1], (record.zxid, 0), KINDS[match[2]], record.data.decode(),
                                                  record.zxid, when, name=record.path)
                sessions.setdefault(record.session, []).append(record.path)
                nodes[record.path].session = record.session
        elif record.type in transactions.DELETES and record.path in nodes:
            if record.committed or record.path not in deleted:
                own = nodes[record.path].session == record.session
                end(record.path, when, checker.OWNER if own else checker.OTHER)
        elif record.type == transactions.CLOSE_SESSION:
            if record.committed or record.session not in closed:
                for name in sessions.get(record.session, ()):
                    end(name, when, checker.FORCED if record.session in forced else checker.SESSION)
    return nodes, doubtful


def build_history(logs, deaths, stops, records, paths, clock, forced, end) -> tuple:
    """The History, false alarms, and the number of doubtful changes."""
    held = {hold.node for log in logs for hold in log.holds}
    nodes, doubtful = nodes_of(records, paths, clock, forced, held)
    processes, alarms, holds = {}, [], []
    for log in logs:
        pauses = log.pauses + [(since, until) for name, since, until in stops if name == log.name]
        processes[log.name] = checker.Process(log.name, log.language, deaths.get(log.name), sorted(pauses))
        alarms += tell_losses(log, nodes)
        holds += log.holds
    for hold in holds:
        if hold.token is None and hold.node in nodes:
            hold.token = nodes[hold.node].czxid
    return checker.History(holds, nodes, processes, end), alarms, doubtful
