# SPDX-License-Identifier: Apache-2.0
"""What the C peer logs and traces: options log=1 and trace=1 of its clients."""
import re
from dataclasses import dataclass

import pytest

from support.waiting import wait_until

ERROR, WARN, INFO, DEBUG = 1, 2, 3, 4


@dataclass
class Line:
    ms: float  # of the peer's clock
    level: int
    text: str


@dataclass
class Trace:
    event: str
    status: str
    path: str
    ms: float
    session: int
    queued_behind: int
    dropped: int


class Record:
    """Of one client."""

    def __init__(self, client):
        self.client = client

    def rest_of(self, kind: str) -> list:
        """(when, what) of each."""
        pattern = rf"^([\d.]+) {self.client.name} {kind} (.*)$"
        return re.findall(pattern, self.client.peer.errors(last=100_000_000), re.M)

    def stamped(self, level=DEBUG) -> list:
        """The lines that a logger of this level gets."""
        lines = [Line(float(ms), int(found[0]), found[3:]) for ms, found in self.rest_of("log")]
        return [line for line in lines if line.level <= level]

    def lines(self, level=DEBUG) -> list:
        """Their texts."""
        return [line.text for line in self.stamped(level)]

    def wait_for_line(self, pattern: str, level=DEBUG, seconds=20):
        """The match of the first line of that level or a more serious one."""

        def find():
            return next(filter(None, (re.fullmatch(pattern, line) for line in self.lines(level))), None)

        return wait_until(find, f"the line {pattern}", seconds)

    def traces(self, event: str) -> list:
        found = [Trace(name, status, path, float(ms), int(session), int(behind), int(dropped))
                 for name, status, path, ms, session, behind, dropped in
                 (found.split() for _, found in self.rest_of("trace"))]
        return [trace for trace in found if trace.event == event]

    def wait_for_trace(self, event: str, count=1, seconds=20) -> Trace:
        """The newest of so many."""
        return wait_until(lambda: self.traces(event)[count - 1:], f"{count} traces of {event}", seconds)[0]


@pytest.fixture
def recorded():
    """recorded(client): what the client has logged and traced."""
    return Record
