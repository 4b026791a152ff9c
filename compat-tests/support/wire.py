# SPDX-License-Identifier: Apache-2.0
"""A forwarder that notes what clients ask for, and what they are told unasked."""
import collections
import struct
import threading

from support.proxy import Proxy
from support.waiting import wait_until

OPERATIONS = {-11: "closeSession", 1: "create", 2: "delete", 3: "exists", 4: "getData", 5: "setData", 8: "getChildren",
              9: "sync", 11: "ping", 12: "getChildren2", 14: "multi", 15: "create2", 17: "checkWatches",
              18: "removeWatches", 19: "createContainer", 100: "auth", 101: "setWatches", 105: "setWatches2"}
WATCH_EVENT = -1  # the xid of what the server says unasked

Request = collections.namedtuple("Request", "operation, path")


class Wire(Proxy):
    """Notes every request that passes, in order, but the pings; and counts the watch events that come back."""

    def __init__(self, target_port):
        self.noting = threading.Lock()  # of all below
        self.frames = {}  # socket it came from -> the bytes of an unfinished frame
        self.greeted = set()  # sockets whose first frame has passed: it is the session's and has no header
        self.requests = []
        self.events = 0
        self.losing = None  # the operation whose next answer is to be lost, then the xid of that request
        self.answers_lost = 0
        super().__init__(target_port)

    def passing(self, source, data, to_server):
        with self.noting:
            rest = self.frames.get(source, b"") + data
            while len(rest) >= 4 and len(rest) >= 4 + struct.unpack_from(">i", rest)[0]:
                end = 4 + struct.unpack_from(">i", rest)[0]
                frame, rest = rest[4:end], rest[end:]
                if source not in self.greeted:
                    self.greeted.add(source)
                elif to_server:
                    self.note_request(frame)
                else:
                    self.note_answer(struct.unpack_from(">i", frame)[0])
            self.frames[source] = rest

    def note_request(self, frame):
        operation = OPERATIONS[struct.unpack_from(">i", frame, 4)[0]]
        path = ""
        if operation not in ("ping", "closeSession", "multi", "auth", "setWatches", "setWatches2"):
            size = struct.unpack_from(">i", frame, 8)[0]
            path = frame[12:12 + size].decode()
        if operation != "ping":
            self.requests.append(Request(operation, path))
        if operation == self.losing:
            self.losing = struct.unpack_from(">i", frame)[0]

    def note_answer(self, xid):
        if xid == WATCH_EVENT:
            self.events += 1
        elif xid == self.losing:
            self.losing = None
            self.answers_lost += 1
            raise ConnectionResetError("as asked")

    def lose_answer_to(self, operation):
        """The next request of this kind reaches the server, but the connection breaks before its answer arrives."""
        with self.noting:
            self.losing = operation

    def clear(self):
        """What is counted from here on is new."""
        with self.noting:
            self.requests.clear()
            self.events = 0

    def count(self) -> dict:
        """How many of each operation."""
        with self.noting:
            return dict(collections.Counter(request.operation for request in self.requests))

    def asked(self) -> dict:
        """The same without the syncs, with which a session that was quiet for long asks for a sign of life."""
        return {operation: number for operation, number in self.count().items() if operation != "sync"}

    def wait_for(self, number, operation, seconds=20):
        try:
            wait_until(lambda: self.count().get(operation, 0) >= number, f"{number} {operation}", seconds)
        except AssertionError as late:
            raise AssertionError(f"{late}, but {self.count()}") from None
