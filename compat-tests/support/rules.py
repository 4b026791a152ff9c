# SPDX-License-Identifier: Apache-2.0
"""The rules of a FaultProxy: what to do to chosen requests, or to their replies."""
import threading
import time

from support import frames
from support.waiting import bound


class Cut(ConnectionError):
    """Raised where the connection is to break."""


class Rule:
    """
    What to do to one request, or to each of a kind. `fired` is set when it begins. The place is "request" or "reply",
    given as an argument or by the name of the function.
    """

    def __init__(self, guard, operations, path, nth):
        self.guard = guard  # the proxy's; of left and of the action
        self.operations = operations
        self.path = path
        self.left = nth  # None: every one
        self.place = None
        self.what = ""
        self.action = None
        self.then = None
        self.request = None  # the latest one it was for
        self.reply = None  # the frame that answered it, if the rule is for replies
        self.times = 0  # that it has fired
        self.fired = threading.Event()
        self.going_on = threading.Event()

    def lose(self, place, then=None):
        return self.arm(place, "lost", self.cut, then)

    def lose_request(self, then=None):
        """The connection breaks, and the server never sees it."""
        return self.lose("request", then)

    def lose_reply(self, then=None):
        """The server has done it, and the connection breaks before its answer arrives."""
        return self.lose("reply", then)

    def hold(self, place, seconds=None, then=None):
        """Holds it for so long, or until go_on() is called, or until its connection ends."""

        def wait(link, frame):
            until = None if seconds is None else time.monotonic() + seconds
            while not self.going_on.is_set() and not link.closed and (until is None or time.monotonic() < until):
                rest = 1 if until is None else max(0, until - time.monotonic())
                self.going_on.wait(min(0.1, rest))
            return frame

        return self.arm(place, "held", wait, then)

    def hold_request(self, seconds=None, then=None):
        return self.hold("request", seconds, then)

    def hold_reply(self, seconds=None, then=None):
        return self.hold("reply", seconds, then)

    def pass_request(self, then):
        """Calls then() before it is passed on."""
        return self.arm("request", "noted", lambda link, frame: frame, then)

    def pass_reply(self, then=None):
        return self.arm("reply", "noted", lambda link, frame: frame, then)

    def tell_instead(self, old):
        """Replies, from another time, what an old rule's request was answered."""
        return self.arm("reply", "old one told", lambda link, frame: frames.with_body_of(old.reply, frame), None)

    def go_on(self):
        """Ends the holding."""
        self.going_on.set()

    def stop(self):
        """The rule ignores requests from now on."""
        with self.guard:
            self.left = 0

    def wait(self, seconds=20):
        """Until it begins to happen."""
        assert self.fired.wait(bound(seconds)), f"no {self.operations} whose {self.what}"

    def arm(self, place, what, action, then):
        with self.guard:
            self.place, self.what, self.action, self.then = place, f"{place} {what}", action, then
        return self

    def matches(self, request) -> bool:
        """Counts it; the caller holds the guard."""
        if self.action is None or self.left == 0 or request.operation not in self.operations:
            return False
        if self.path is not None and not (self.path(request.path) if callable(self.path) else
                                          self.path == request.path):
            return False
        if self.left is None:
            return True
        self.left -= 1
        return self.left == 0

    def fire(self, link, request, frame) -> bytes:
        """What is to be passed on instead of the frame."""
        with self.guard:
            self.request = request
            self.reply = frame if self.place == "reply" else None
            self.times += 1
            request.fault = self.what
        if self.then is not None:
            self.then()
        self.fired.set()
        return self.action(link, frame)

    @staticmethod
    def cut(_link, _frame):
        raise Cut
