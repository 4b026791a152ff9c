# SPDX-License-Identifier: Apache-2.0
"""
Judges what contenders and servers wrote down. Knows nothing of how a lock works, only what must come out: a hold is
alone (or among readers), tokens grow, grants follow the queue, losses are told, nothing is left behind.

All times are milliseconds of CLOCK_MONOTONIC, which is one clock for all processes of a machine. Of nodes it is the
time that the leader gave to the change: never later than anybody could notice it.
"""
import bisect
from collections import Counter, defaultdict
from dataclasses import dataclass, field

# Who deleted a node. FORCED: its session was closed by somebody else, ahead of its time.
OWNER, SESSION, FORCED, OTHER = "its owner", "the end of its session", "a forced end of its session", "somebody else"
MUTEX, WRITE, READ = "mutex", "write", "read"


@dataclass
class Node:
    """A contender's node, as the servers saw it. `order` is its place in the queue of its path: smaller is earlier."""

    path: str
    order: tuple
    kind: str
    process: str
    czxid: int
    created: float
    gone: float = None
    gone_by: str = None
    name: str = ""

    def __str__(self):
        return f"{self.name} of {self.process}, {self.created:.3f} to {self.gone or 0:.3f}, by {self.gone_by}"


@dataclass
class Hold:
    """
    From the moment when acquire() had returned to the one before release() was called. `told`: when the holder learned
    that the lock is not its own any more. `told_in_time`: it is promised to be, before anybody else gets the lock.
    """

    path: str
    kind: str
    process: str
    thread: str
    enter: float
    leave: float = None
    told: float = None
    node: str = None
    token: int = None
    language: str = ""
    told_in_time: bool = True

    def __str__(self):
        lost = "" if self.told is None else f", told lost {self.told:.3f}"
        return (f"{self.process}/{self.thread} {self.kind} {self.enter:.3f} to {self.leave or 0:.3f}{lost}, "
                f"token {self.token}, {self.node}")


@dataclass
class Process:
    """`pauses`: when it could not run and could not be notified, as (since, until)."""

    name: str
    language: str = ""
    died: float = None
    pauses: list = field(default_factory=list)


@dataclass
class History:
    holds: list
    nodes: dict = None  # by full path; None: unknown
    processes: dict = field(default_factory=dict)
    end: float = float("inf")


@dataclass
class Limits:
    """What the judge allows for, in milliseconds."""

    clock: float = 5.0  # between two readings of the clock, one of them a server's
    resume: float = 2000.0  # from the end of a pause until the process has learned what it missed
    telling: float = 10000.0  # from a deletion by somebody else until the holder was notified
    idle: float = 30000.0  # a node at the head of the queue that nobody holds


@dataclass
class Violation:
    rule: str
    time: float
    text: str

    def __str__(self):
        return f"{self.time:.3f} {self.rule}: {self.text}"


def conflict(one: str, other: str) -> bool:
    return not one == other == READ


class Checker:
    def __init__(self, history: History, limits: Limits = None):
        self.history = history
        self.limits = limits or Limits()
        self.violations = []
        self.notes = Counter()  # what is worth telling but no violation
        self.holds = sorted(history.holds, key=lambda hold: hold.enter)
        if not history.nodes:
            self.alive = self.holds
        else:
            self.alive = [hold for hold in self.holds if not self.dead_on_arrival(hold)]

    def check(self) -> list:
        for path in sorted({hold.path for hold in self.holds}):
            holds = [hold for hold in self.alive if hold.path == path]
            self.check_exclusion(holds)
            self.check_tokens(holds)
            if self.history.nodes is not None:
                self.check_queue(path, holds)
        if self.history.nodes is not None:
            for hold in self.alive:
                self.check_node(hold)
                self.check_told(hold)
            self.check_left_behind()
        return sorted(self.violations, key=lambda violation: violation.time)

    def violate(self, rule, time, text):
        self.violations.append(Violation(rule, time, text))

    # What is known of a hold

    def node(self, hold) -> Node:
        return (self.history.nodes or {}).get(hold.node)

    def process(self, hold) -> Process:
        return self.history.processes.get(hold.process) or Process(hold.process)

    def end(self, hold) -> float:
        """When the hold ends for sure: it left, was notified or died; otherwise its node ends."""
        ends = [hold.leave, hold.told, self.process(hold).died]
        node = self.node(hold)
        if not hold.told_in_time and node is not None:
            ends.append(node.gone)
        return min((end for end in ends if end is not None), default=self.history.end)

    def paused(self, hold, since, until) -> bool:
        """Whether it could not have known: its process was paused at `since`, and knew soon after the pause."""
        return any(start <= since + self.limits.clock <= stop + self.limits.resume
                   and until <= stop + self.limits.resume for start, stop in self.process(hold).pauses)

    def paused_between(self, hold, since, until) -> bool:
        return any(start < until and stop > since for start, stop in self.process(hold).pauses)

    def dead_on_arrival(self, hold) -> bool:
        """It took the lock although its node was gone. Not for a holder that has to be notified in time."""
        node = self.node(hold)
        if node is None or node.gone is None or node.gone > hold.enter:
            return False
        if node.gone_by == OWNER and node.gone > hold.enter - self.limits.clock:
            return False  # a short hold, and clocks that are read differently
        if not hold.told_in_time:
            self.notes[f"{hold.language or hold.process} entered on a node that was gone"] += 1
            return True
        if node.gone_by in (OTHER, FORCED):
            self.notes["granted, and the node deleted before the call had returned"] += 1
            self.check_told(hold)
            return True
        if self.paused_between(hold, node.gone - self.limits.clock, hold.enter + self.limits.clock):
            self.notes["paused between the grant and the first look at the clock"] += 1
            return True
        self.violate("entered on a dead node", hold.enter, f"{hold}, gone since {node.gone:.3f} by {node.gone_by}")
        return True

    # The rules

    def check_exclusion(self, holds):
        active = []
        for hold in holds:
            active = [other for other in active if self.end(other) > hold.enter]
            for other in active:
                same = (other.process, other.thread) == (hold.process, hold.thread)
                if not same and conflict(hold.kind, other.kind) and not self.excused(other, hold):
                    self.violate("two at once", hold.enter, f"{other} until {self.end(other):.3f} and {hold}")
            active.append(hold)

    def excused(self, first, second) -> bool:
        """The first continues while the second enters, because it could not know that its lock is gone."""
        node = self.node(first)
        if node is None or node.gone is None or node.gone > second.enter + self.limits.clock:
            return False
        if node.gone_by in (OTHER, FORCED):
            self.notes[f"went on for a moment after {node.gone_by}"] += 1
            return True
        if node.gone_by == SESSION and self.paused(first, node.gone, self.end(first)):
            self.notes["went on until the end of a pause"] += 1
            return True
        return False

    def check_tokens(self, holds):
        exclusive = shared = None  # the largest token so far, and whose
        for hold in holds:
            if hold.token is None:
                continue
            for before in (exclusive, shared if hold.kind != READ else None):
                if before is None or before is hold:
                    continue
                same = (before.process, before.thread) == (hold.process, hold.thread) and before.kind != hold.kind
                if before.token > hold.token or (before.token == hold.token and not same):
                    self.violate("token", hold.enter, f"{hold} came after {before}")
            if hold.kind != READ:
                exclusive = hold if exclusive is None or hold.token > exclusive.token else exclusive
            else:
                shared = hold if shared is None or hold.token > shared.token else shared

    def check_queue(self, path, holds):
        """Nobody acquires while a conflicting node stands before its own."""
        nodes = sorted((node for node in self.history.nodes.values() if node.path == path),
                       key=lambda node: node.created)
        coming, standing = iter(nodes), []
        following = next(coming, None)
        for hold in holds:
            own = self.node(hold)
            if own is None:
                continue
            while following is not None and following.created <= hold.enter:
                standing.append(following)
                following = next(coming, None)
            entered = hold.enter + self.limits.clock
            standing = [node for node in standing if node.gone is None or node.gone > entered]
            for node in standing:
                if node is not own and node.order < own.order and conflict(node.kind, hold.kind):
                    if not (node.process == hold.process and node.order[:-1] == own.order[:-1]):
                        self.violate("queue", hold.enter, f"{hold} entered while {node} stood before it")

    def check_node(self, hold):
        node = self.node(hold)
        if node is None:
            self.violate("no node", hold.enter, f"{hold}: the servers know of no such node")
        elif hold.token is not None and hold.token > node.czxid:
            self.violate("wrong token", hold.enter, f"{hold}: its node was created by {node.czxid}")

    def check_told(self, hold):
        node = self.node(hold)
        if not hold.told_in_time or node is None or node.gone is None or node.gone_by == OWNER:
            return
        if self.end(hold) == self.history.end:
            self.violate("never told", node.gone, f"{hold}, gone at {node.gone:.3f} by {node.gone_by}")
            return
        lost_time = sum(max(0.0, min(stop, self.end(hold)) - max(start, node.gone))
                        for start, stop in self.process(hold).pauses)
        allowed = self.limits.telling + lost_time + (self.limits.resume if lost_time else 0.0)
        if self.end(hold) > node.gone + allowed:
            self.violate("told late", self.end(hold), f"{hold}, gone at {node.gone:.3f} by {node.gone_by}")

    def check_left_behind(self):
        """No node stays at the head of its queue while nobody holds it, and none stays after the end."""
        held = defaultdict(list)
        for hold in self.holds:
            if hold.node is not None:
                held[hold.node].append(hold)
        by_path = defaultdict(list)
        for name, node in self.history.nodes.items():
            by_path[node.path].append((node.order, name, node))
        for nodes in by_path.values():
            head_since = []  # the latest end of those before, for exclusive and for shared ones
            latest = {True: 0.0, False: 0.0}
            for _, name, node in sorted(nodes, key=lambda one: one[0]):
                since = latest[False] if node.kind == READ else max(latest.values())
                head_since.append((max(since, node.created), name, node))
                gone = node.gone if node.gone is not None else self.history.end
                latest[node.kind == READ] = max(latest[node.kind == READ], gone)
            for since, name, node in head_since:
                self.check_attended(since, name, node, held[name])

    def check_attended(self, since, name, node, holds):
        who = self.history.processes.get(node.process)
        judged = who is None or who.language in ("", "c")
        if node.gone is None:
            if judged:
                self.violate("left behind", self.history.end, f"{name} of {node.process} was never removed")
            else:
                self.notes[f"{who.language} left a node for ever"] += 1
            return
        moments = [since] + [time for hold in holds for time in (hold.enter, self.end(hold))] + [node.gone]
        idle = max(moments[i + 1] - moments[i] for i in range(0, len(moments), 2))
        if idle > self.limits.idle:
            if judged:
                self.violate("left behind", node.gone, f"{name} of {node.process} was first for {idle:.0f} ms, unheld")
            else:
                self.notes[f"{who.language} left a node first in the queue, unheld"] += 1


def check(history: History, limits: Limits = None) -> list:
    """The violations, in the order of time."""
    return Checker(history, limits).check()


def hand_offs(holds) -> list:
    """Consecutive grants of each path, as (from, to)."""
    by_path = defaultdict(list)
    for hold in sorted(holds, key=lambda hold: hold.enter):
        by_path[hold.path].append(hold)
    return [pair for grants in by_path.values() for pair in zip(grants, grants[1:])]


class WallClock:
    """Turns the wall clock's times into the monotonic clock's, by pairs that were read together during the run."""

    def __init__(self, pairs):
        self.walls, self.offsets = zip(*sorted((wall, monotonic - wall) for monotonic, wall in pairs))

    def monotonic(self, wall: float) -> float:
        nearest = min(bisect.bisect_left(self.walls, wall), len(self.walls) - 1)
        return wall + self.offsets[nearest]
