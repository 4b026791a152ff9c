# SPDX-License-Identifier: Apache-2.0
"""A call on a peer, and the events that a peer reports."""
import re
import threading
import time
import urllib.parse

from support.waiting import bound

SENTENCE = re.compile(r"curator_[a-z_]+( /.*?)?: \S")  # the function called, its path if it has one, and what was wrong
ANSWER_SECONDS = 20  # how long a call may take that a test waits for


def escape(value) -> str:
    data = value if isinstance(value, bytes) else str(value).encode()
    return urllib.parse.quote_from_bytes(data, safe="/:=,-._~") or "%"


def unescape(token: str) -> str:
    return "" if token == "%" else urllib.parse.unquote_to_bytes(token).decode("utf-8", "surrogateescape")


class Call:
    """A request under way, and its answer. Times are the monotonic clock's milliseconds, the same in all processes."""

    def __init__(self, peer, text):
        self.peer = peer
        self.text = text
        self.answered = threading.Event()
        self.status = None
        self.began = self.ended = 0.0
        self.values = []

    def __repr__(self):
        return f"<{self.peer.name}: {self.text} -> {self.status} {self.values}>"

    @property
    def done(self) -> bool:
        return self.answered.is_set()

    @property
    def elapsed(self) -> float:
        return self.ended - self.began

    @property
    def value(self) -> str:
        return self.values[0]

    @property
    def failed_in_c(self) -> bool:
        return self.peer.language == "c" and self.status.startswith("CURATOR_") and self.status != "CURATOR_OK"

    @property
    def error(self) -> str:
        """The sentence of a failure."""
        return self.values[0] if self.values else ""

    def answer(self, tokens):
        self.status = tokens[0]
        self.began, self.ended = float(tokens[1]), float(tokens[2])
        self.values = [unescape(token) for token in tokens[3:]]
        self.answered.set()

    def wait(self, expect="CURATOR_OK", seconds=ANSWER_SECONDS):
        """Waits for the answer and asserts its status (None: any)."""
        deadline = time.monotonic() + bound(seconds)
        while not self.answered.wait(0.1):
            assert self.peer.alive or self.answered.wait(0.1), f"{self} is gone:\n{self.peer.errors()}"
            assert time.monotonic() < deadline, f"no answer in {bound(seconds):g} s: {self}\n{self.peer.errors()}"
        assert expect is None or self.status == expect, f"{self}, expected {expect}\n{self.peer.errors()}"
        assert not self.failed_in_c or SENTENCE.match(self.error), f"{self}: not the form of a sentence"
        return self


class Event:
    def __init__(self, tokens):
        self.kind, self.name = tokens[0], tokens[1]
        self.detail = tokens[2] if len(tokens) > 3 else None
        self.time = float(tokens[-1])

    def __repr__(self):
        return f"{self.kind} {self.name} {self.detail or ''} {self.time:.0f}"
