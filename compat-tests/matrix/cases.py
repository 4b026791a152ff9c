# SPDX-License-Identifier: Apache-2.0
"""The cases of the matrix: which operation meets which fault, who holds the lock meanwhile, which lock it is."""
import itertools
from dataclasses import dataclass

OPERATIONS = {
    "start": "session start",
    "parent": "create of a parent",
    "create": "create of our node",
    "children": "getChildren",
    "predecessor": "watch on the predecessor",
    "own": "watch on ourselves",
    "delete": "delete at release",
}
FAULTS = {
    "request_lost": "request lost, connection cut",
    "reply_lost": "reply lost, connection cut",
    "held_1500": "reply held for 1.5 s",
    "held_10000": "reply held for 10 s",
    "cut_2000": "cut and refused for 2 s",
    "cut_until_dead": "cut and refused until the session is dead",
    "restart": "server restarted with its data",
    "leader_killed": "leader killed, ensemble of three",
}
HOLDERS = ("free", "java", "c")
LOCKS = ("mutex", "read", "write")

SESSION_TIMEOUT_MS = 4000
CONNECTION_TIMEOUT_MS = 2000
RETRY = "exp:100:3"
LIMIT_MS = 3000  # of acquire
LATE_MS = 100  # what a deadline may be passed by


@dataclass(frozen=True)
class Case:
    operation: str
    fault: str
    holder: str  # of the lock when the acquire begins; lets go while it waits
    lock: str

    def __str__(self):
        return f"{self.operation}-{self.fault}-{self.holder}-{self.lock}"

    @property
    def cannot_occur(self) -> str:
        """Why there is no such case, "" if there is."""
        if self.operation == "parent" and self.holder != "free":
            return "the node of a holder keeps the parents alive"
        if self.operation == "predecessor" and self.holder == "free":
            return "nobody stands before us when the lock is free"
        return ""


ALL = [Case(*parts) for parts in itertools.product(OPERATIONS, FAULTS, HOLDERS, LOCKS)]
CASES = [case for case in ALL if not case.cannot_occur]


def sample() -> list:
    """Each operation with each fault once; holders and locks take turns."""
    chosen = []
    for (number, operation), fault in itertools.product(enumerate(OPERATIONS), FAULTS):
        possible = [case for case in CASES if (case.operation, case.fault) == (operation, fault)]
        chosen.append(possible[(number + 2 * list(FAULTS).index(fault)) % len(possible)])
    return chosen


def batches(cases) -> list:
    """Those that are played side by side: they share a fault (and with it the server that breaks) and a lock."""
    key = [(fault, lock) for fault in FAULTS for lock in LOCKS]
    return [(f"{fault}-{lock}", [case for case in cases if (case.fault, case.lock) == (fault, lock)])
            for fault, lock in key if any((case.fault, case.lock) == (fault, lock) for case in cases)]
