# SPDX-License-Identifier: Apache-2.0
"""A forwarder that keeps one request or one answer back, or answers a question with what was true earlier."""
import struct
import threading

from support.wire import OPERATIONS, Wire


class Holding(Wire):
    """At most one thing is held at a time, and with it what follows on the same connection in that direction."""

    def __init__(self, target_port):
        self.held = threading.Event()  # what was asked for has come
        self.freed = threading.Event()
        self.asked_for = None  # ("request" or "answer", operations)
        self.xids = {}  # of the requests passed on, for their answers: (client's socket, xid) -> operation
        self.stale = {}  # operation -> the body of an old answer
        self.keeping = ()  # the operations whose next answer is kept, to be told again
        self.kept = None
        super().__init__(target_port)

    def hold_request(self, *operations):
        """The next request of this kind does not reach the server until it is freed."""
        self.hold("request", operations)

    def hold_answer(self, *operations):
        """The next answer to such a request does not reach the client until it is freed."""
        self.hold("answer", operations)

    def hold(self, what, operations):
        with self.noting:
            self.held.clear()
            self.freed.clear()
            self.asked_for = what, operations

    def keep_answer(self, *operations):
        """What such a request is answered next is remembered for tell_again()."""
        with self.noting:
            self.keeping, self.kept = operations, None

    def tell_again(self):
        """From now on such requests are answered with what was kept."""
        with self.noting:
            assert self.kept is not None
            self.stale = {operation: self.kept for operation in self.keeping}

    def stop_telling(self):
        with self.noting:
            self.stale = {}

    def free(self):
        self.freed.set()

    def unmute(self):
        super().unmute()
        self.free()

    def remove(self):
        self.free()
        super().remove()

    def passing(self, source, data, to_server):
        link = next((link for link in self.links if source in link.ends), None)
        held_from = None
        with self.noting:
            rest, passed = self.frames.get(source, b""), b""
            rest += data
            while len(rest) >= 4 and len(rest) >= 4 + struct.unpack_from(">i", rest)[0]:
                end = 4 + struct.unpack_from(">i", rest)[0]
                frame, rest = rest[4:end], rest[end:]
                if source not in self.greeted:
                    self.greeted.add(source)
                elif link is not None:
                    frame, wanted = self.look_at(link, frame, to_server)
                    held_from = len(passed) if wanted else held_from
                passed += struct.pack(">i", len(frame)) + frame
            self.frames[source] = rest  # whole frames only are passed on, or held
        if held_from is not None:
            target = link.ends[1] if to_server else link.ends[0]
            target.sendall(passed[:held_from])
            passed = passed[held_from:]
            self.held.set()
            while not self.freed.wait(0.02):
                if link.closed:
                    raise ConnectionResetError("cut while something was held")
        return passed

    def look_at(self, link, frame, to_server):
        """The frame to pass, and whether it is the one to hold."""
        client = link.ends[0]
        xid = struct.unpack_from(">i", frame)[0]
        if to_server:
            self.note_request(frame)
            operation, what = OPERATIONS[struct.unpack_from(">i", frame, 4)[0]], "request"
            self.xids[client, xid] = operation
        else:
            self.note_answer(xid)
            operation, what = self.xids.pop((client, xid), None), "answer"
            if operation in self.stale:
                frame = frame[:12] + self.stale[operation]
            if operation in self.keeping and self.kept is None:
                self.kept = frame[12:]
        wanted = self.asked_for is not None and self.asked_for[0] == what and operation in self.asked_for[1]
        if wanted:
            self.asked_for = None
        return frame, wanted
