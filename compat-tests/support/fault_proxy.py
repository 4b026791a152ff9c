# SPDX-License-Identifier: Apache-2.0
"""
A forwarder that understands ZooKeeper: it notes what is asked and answered, and spoils chosen requests.

    proxy.on("create2", path=..., nth=2).lose_reply()      # applied, but the connection breaks before the client knows
    proxy.on("delete").hold_request(then=server.restart)   # until rule.go_on()

A rule is for the n-th such request that arrives from now on. What it holds back holds up all behind it on the same
connection in that direction, as TCP would; a new connection is free. No answer is ever made up or told twice.
"""
import collections
import itertools
import threading
import time

from support import frames
from support.proxy import Proxy
from support.waiting import wait_until


class Cut(ConnectionError):
    """Raised where the connection is to break."""


class Rule:
    """What is to happen to one request. `fired` is set when it begins to happen."""

    def __init__(self, guard, operations, path, nth):
        self.guard = guard  # the proxy's; of left and of the deed
        self.operations = operations
        self.path = path
        self.left = nth  # None: every one
        self.place = None  # "request" or "reply"
        self.what = ""
        self.deed = None
        self.then = None
        self.request = None  # the one it was for
        self.fired = threading.Event()
        self.going_on = threading.Event()

    def lose_request(self, then=None):
        """The connection breaks, and the server never sees it."""
        return self.arm("request", "lost", self.cut, then)

    def lose_reply(self, then=None):
        """The server has done it, and the connection breaks before its answer arrives."""
        return self.arm("reply", "lost", self.cut, then)

    def hold_request(self, seconds=None, then=None):
        """It goes on to the server after so long, or when go_on() is called."""
        return self.arm("request", "held", lambda link: self.hold(link, seconds), then)

    def hold_reply(self, seconds=None, then=None):
        return self.arm("reply", "held", lambda link: self.hold(link, seconds), then)

    def pass_request(self, then):
        """then() runs before it is passed on."""
        return self.arm("request", "noted", lambda link: None, then)

    def pass_reply(self, then):
        return self.arm("reply", "noted", lambda link: None, then)

    def go_on(self):
        """Ends the holding."""
        self.going_on.set()

    def arm(self, place, what, deed, then):
        with self.guard:
            self.place, self.what, self.deed, self.then = place, f"{place} {what}", deed, then
        return self

    def matches(self, request) -> bool:
        """Counts it; the caller holds the guard."""
        if self.deed is None or self.left == 0 or request.operation not in self.operations:
            return False
        if self.path is not None and not (self.path(request.path) if callable(self.path) else
                                          self.path == request.path):
            return False
        if self.left is None:
            return True
        self.left -= 1
        return self.left == 0

    def fire(self, link, request):
        self.request = request
        request.fault = self.what
        if self.then is not None:
            self.then()
        self.fired.set()
        self.deed(link)

    @staticmethod
    def cut(link):
        raise Cut

    def hold(self, link, seconds):
        until = None if seconds is None else time.monotonic() + seconds
        while not self.going_on.is_set() and not link.closed and (until is None or time.monotonic() < until):
            rest = 1 if until is None else max(0, until - time.monotonic())
            self.going_on.wait(min(0.1, rest))


class Conversation:
    """What is known of one connection."""

    def __init__(self, number):
        self.number = number
        self.unfinished = {True: b"", False: b""}  # to the server and from it; each of one pump's thread alone
        self.asked = self.greeted = False  # whether the first frame has passed: the request for a session, its answer
        self.pending = collections.defaultdict(collections.deque)  # xid -> requests in order


class Front(Proxy):
    """The way to one server. What passes is judged by the FaultProxy, frame by frame."""

    def __init__(self, target_port, judge, conversation_of):
        self.judge = judge
        self.conversation_of = conversation_of
        super().__init__(target_port)

    def pieces(self, link, source, data, to_server):
        conversation = self.conversation_of(link)
        whole, conversation.unfinished[to_server] = frames.split(conversation.unfinished[to_server] + data)
        for frame in whole:
            try:
                self.judge(link, conversation, frame, to_server)
            except Cut:
                link.hang_up()  # what was passed before still arrives
                return
            yield frame


class FaultProxy:
    """Between clients and one server, or the servers of an ensemble: each has a port of its own in connect_string."""

    def __init__(self, *target_ports):
        self.guard = threading.Lock()  # of all below, and of the rules
        self.rules = []
        self.record = []  # Requests and WatchEvents as they arrived, without the pings
        self.numbers = itertools.count(1)
        self.conversations = {}  # by link
        self.fronts = [Front(port, self.judge, self.conversation_of) for port in target_ports]

    @property
    def port(self) -> int:
        return self.fronts[0].port

    @property
    def connect_string(self) -> str:
        return ",".join(front.connect_string for front in self.fronts)

    # ---- faults ----

    def on(self, *operations, path=None, nth=1) -> Rule:
        """For the n-th request (None: each) of these operations, of this path or of one for which path(it) is true."""
        rule = Rule(self.guard, operations, path, nth)
        with self.guard:
            self.rules.append(rule)
        return rule

    def cut(self):
        """Resets every connection and refuses new ones."""
        for front in self.fronts:
            front.cut()

    def mend(self):
        """Accepts connections (again)."""
        for front in self.fronts:
            front.mend()

    def cut_for(self, seconds):
        """Resets every connection and refuses new ones for so long."""
        self.cut()
        threading.Timer(seconds, self.mend).start()

    def blip(self):
        """Resets every connection, once."""
        for front in self.fronts:
            front.blip()

    def mute(self):
        """Stalls everything: connections stay open and are accepted, but no bytes pass."""
        for front in self.fronts:
            front.mute()

    def mute_answers(self):
        for front in self.fronts:
            front.mute_answers()

    def unmute(self):
        for front in self.fronts:
            front.unmute()

    def lose_answer_to(self, operation) -> Rule:
        return self.on(operation).lose_reply()

    def remove(self):
        for rule in self.rules:
            rule.go_on()
        for front in self.fronts:
            front.remove()

    # ---- what passes ----

    def conversation_of(self, link) -> Conversation:
        with self.guard:
            if link not in self.conversations:
                self.conversations[link] = Conversation(next(self.numbers))
            return self.conversations[link]

    def judge(self, link, conversation, frame, to_server):
        """Raises Cut, takes its time, or lets it pass."""
        now = time.monotonic()
        with self.guard:
            if to_server:
                request = self.note_request(conversation, frame, now)
                rule, place = self.rule_of(request), "request"
            else:
                request = self.note_answer(conversation, frame, now)
                rule, place = request and request.rule, "reply"
        if rule is not None and rule.place == place:
            rule.fire(link, request)

    def note_request(self, conversation, frame, now):
        read = frames.read_request if conversation.asked else frames.read_connect
        conversation.asked = True
        request = read(frame, conversation.number, now)
        conversation.pending[request.xid].append(request)
        if request.operation != "ping":
            self.record.append(request)
        return request

    def note_answer(self, conversation, frame, now):
        """The request that it answers, None if it was unasked."""
        if not conversation.greeted:
            conversation.greeted = True
            request = conversation.pending[frames.CONNECT_XID].popleft()
            frames.note_session(request, frame, now)
            return request
        xid = frames.REPLY_HEADER.unpack_from(frame, 4)[0]
        if xid == frames.WATCH_EVENT:
            self.record.append(frames.read_event(frame, conversation.number, now))
            return None
        request = conversation.pending[xid].popleft()
        frames.note_reply(request, frame, now)
        return request

    def rule_of(self, request):
        """The first that is for it; each counts it."""
        rules = [rule for rule in self.rules if rule.matches(request)]
        request.rule = rules[0] if rules else None
        return request.rule

    # ---- the record ----

    @property
    def requests(self) -> list:
        """All but the pings and the requests for a session."""
        with self.guard:
            return [entry for entry in self.record
                    if isinstance(entry, frames.Request) and entry.operation != frames.CONNECT]

    @property
    def events(self) -> int:
        """How many watch events have come back."""
        with self.guard:
            return sum(isinstance(entry, frames.WatchEvent) for entry in self.record)

    @property
    def answers_lost(self) -> int:
        with self.guard:
            return sum(entry.fault == "reply lost" for entry in self.record if isinstance(entry, frames.Request))

    @property
    def sessions(self) -> list:
        """The ids of the sessions that servers gave or resumed, oldest first."""
        with self.guard:
            ids = [entry.session for entry in self.record if isinstance(entry, frames.Request) and entry.session]
        return list(dict.fromkeys(ids))

    def clear(self):
        """What is recorded from here on is new."""
        with self.guard:
            self.record.clear()

    def count(self) -> dict:
        """How many of each operation."""
        return dict(collections.Counter(request.operation for request in self.requests))

    def asked(self) -> dict:
        """The same without the syncs, with which a session that was quiet for long asks for a sign of life."""
        return {operation: number for operation, number in self.count().items() if operation != "sync"}

    def wait_for(self, number, operation, seconds=20):
        try:
            wait_until(lambda: self.count().get(operation, 0) >= number, f"{number} {operation}", seconds)
        except AssertionError as late:
            raise AssertionError(f"{late}, but {self.count()}") from None

    def __str__(self):
        with self.guard:
            return "\n".join(str(entry) for entry in self.record)
