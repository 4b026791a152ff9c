# SPDX-License-Identifier: Apache-2.0
"""
ZooKeeper's frames: a length, then a message. The first message each way makes the session; from then on requests have
an xid and an operation, replies the xid of their request.
"""
import struct
from dataclasses import dataclass

OPERATIONS = {-11: "closeSession", 1: "create", 2: "delete", 3: "exists", 4: "getData", 5: "setData", 8: "getChildren",
              9: "sync", 11: "ping", 12: "getChildren2", 14: "multi", 15: "create2", 17: "checkWatches",
              18: "removeWatches", 19: "createContainer", 100: "auth", 101: "setWatches", 105: "setWatches2"}
CONNECT, CONNECT_XID = "connect", 0  # our names of the request for a session, which has neither
WITHOUT_PATH = ("ping", "closeSession", "multi", "auth", "setWatches", "setWatches2")
CREATES = ("create", "create2", "createContainer")
WATCH_EVENT = -1  # the xid of an event
REPLY_HEADER = struct.Struct(">iqi")  # xid, zxid, error
XID_AND_ZXID = 12  # the size of both


def split(data: bytes) -> tuple:
    """The whole frames at the beginning, length included, and the bytes of the unfinished one after them."""
    frames, start = [], 0
    while len(data) - start >= 4:
        end = start + 4 + struct.unpack_from(">i", data, start)[0]
        if len(data) < end:
            break
        frames.append(data[start:end])
        start = end
    return frames, data[start:]


class Stream:
    """One direction of a connection."""

    def __init__(self):
        self.unfinished = b""

    def arrived(self, data: bytes) -> list:
        """The frames that are whole with these bytes."""
        whole, self.unfinished = split(self.unfinished + data)
        return whole


def text_at(frame: bytes, offset: int) -> str:
    size = struct.unpack_from(">i", frame, offset)[0]
    return frame[offset + 4:offset + 4 + size].decode()


def xid_of(frame: bytes) -> int:
    return struct.unpack_from(">i", frame, 4)[0]


def request_header(frame: bytes) -> tuple:
    """The xid and the name of the operation."""
    xid, code = struct.unpack_from(">ii", frame, 4)
    return xid, OPERATIONS.get(code, f"operation {code}")


def path_of(frame: bytes) -> str:
    """Of a request that is about a node."""
    return text_at(frame, 12)


def event_of(frame: bytes) -> tuple:
    """The kind and the path of a watch event."""
    begin = 4 + REPLY_HEADER.size
    return struct.unpack_from(">i", frame, begin)[0], text_at(frame, begin + 8)


@dataclass
class Request:
    """A request that arrived at the proxy, and what became of it. Times are the monotonic clock's seconds."""

    connection: int
    operation: str
    path: str
    xid: int
    time: float
    replied: float = None  # when the reply arrived at the proxy, passed on or not
    zxid: int = None
    error: int = None
    created: str = None  # the path of the node that was made
    session: int = None  # of the answer to connect
    rule: object = None  # the rule for it
    fault: str = ""

    def __str__(self):
        line = f"{self.time:.3f} #{self.connection} {self.operation} {self.path} xid {self.xid}"
        if self.replied is not None:
            line += f" -> {1000 * (self.replied - self.time):.1f} ms, error {self.error}, zxid {self.zxid:#x}"
        if self.session is not None:
            line += f", session {self.session:#x}"
        if self.created is not None:
            line += f", created {self.created}"
        return line + (f" [{self.fault}]" if self.fault else "")


@dataclass
class WatchEvent:
    """An event of a watch."""

    connection: int
    kind: int
    path: str
    time: float

    def __str__(self):
        return f"{self.time:.3f} #{self.connection} watch event {self.kind} {self.path}"


def read_connect(frame: bytes, connection: int, now: float) -> Request:
    return Request(connection, CONNECT, "", CONNECT_XID, now)


def read_request(frame: bytes, connection: int, now: float) -> Request:
    xid, operation = request_header(frame)
    return Request(connection, operation, "" if operation in WITHOUT_PATH else path_of(frame), xid, now)


def note_session(request: Request, frame: bytes, now: float):
    """A session of 0 is the server's way to say that the old one is over."""
    request.replied, request.error, request.zxid = now, 0, 0
    request.session = struct.unpack_from(">q", frame, 12)[0] % 2 ** 64


def note_reply(request: Request, frame: bytes, now: float):
    request.replied = now
    _, request.zxid, request.error = REPLY_HEADER.unpack_from(frame, 4)
    if request.error == 0 and request.operation in CREATES:
        request.created = text_at(frame, 4 + REPLY_HEADER.size)


def with_body_of(old: bytes, frame: bytes) -> bytes:
    """The reply of an old frame, with its error, as the answer to this one's request, of the same operation."""
    message = frame[4:4 + XID_AND_ZXID] + old[4 + XID_AND_ZXID:]
    return struct.pack(">i", len(message)) + message


def read_event(frame: bytes, connection: int, now: float) -> WatchEvent:
    return WatchEvent(connection, *event_of(frame), now)
