# SPDX-License-Identifier: Apache-2.0
"""
A forwarder that understands ZooKeeper: it notes what is asked and answered, and spoils chosen requests.

    proxy.on("create2", path=..., nth=2).lose_reply()      # applied, but the connection breaks before the client knows
    proxy.on("delete").hold_request(then=server.restart)   # until rule.go_on()

A rule is for the n-th such request that arrives from now on. What it holds back holds up all behind it on the same
connection in that direction, as TCP would; a new connection is free. No answer is ever made up; an old one is told
again only if told to:

    old = proxy.on("getChildren2").hold_reply()            # or pass_reply(): a rule for a reply remembers it
    stale = proxy.tell_again(old)                          # until stale.stop()
"""
import collections
import functools
import itertools
import threading
import time

from support import frames
from support.proxy import Proxy
from support.rules import Cut, Rule
from support.waiting import wait_until


def of_each_front(method):
    """A method of Proxy for all ways to servers alike."""

    @functools.wraps(method)
    def call(self):
        for front in self.fronts:
            method(front)

    return call


class Conversation:
    """What is known of one connection."""

    def __init__(self, number):
        self.number = number
        self.streams = {True: frames.Stream(), False: frames.Stream()}  # to the server and from it; a thread each
        self.asked = self.greeted = False  # whether the first frame has passed: the request for a session, its answer
        self.pending = collections.defaultdict(collections.deque)  # xid -> requests in order


class Front(Proxy):
    """The way to one server. What passes is judged by the FaultProxy, frame by frame."""

    def __init__(self, target_port, judge, conversation_of):
        self.judge = judge
        self.conversation_of = conversation_of
        super().__init__(target_port)

    def pieces(self, link, data, to_server):
        conversation = self.conversation_of(link)
        for frame in conversation.streams[to_server].arrived(data):
            try:
                passed = self.judge(link, conversation, frame, to_server)
            except Cut:
                link.hang_up()  # what was passed before still arrives
                return
            if link.closed:
                return  # while this was held
            yield passed


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

    def tell_again(self, old) -> Rule:
        """From now on requests like the old rule's, of its operation and path, are answered as that was."""
        assert old.reply is not None, "nothing to tell again"
        return self.on(old.request.operation, path=old.request.path, nth=None).tell_instead(old)

    cut = of_each_front(Proxy.cut)
    mend = of_each_front(Proxy.mend)
    blip = of_each_front(Proxy.blip)
    mute = of_each_front(Proxy.mute)
    mute_answers = of_each_front(Proxy.mute_answers)
    unmute = of_each_front(Proxy.unmute)

    def cut_for(self, seconds):
        """Resets every connection and refuses new ones for so long."""
        self.cut()
        threading.Timer(seconds, self.mend).start()

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

    def judge(self, link, conversation, frame, to_server) -> bytes:
        """What is to be passed on; raises Cut, or takes its time."""
        now = time.monotonic()
        with self.guard:
            if to_server:
                request = self.note_request(conversation, frame, now)
                rule, place = self.rule_of(request), "request"
            else:
                request = self.note_answer(conversation, frame, now)
                rule, place = request and request.rule, "reply"
        if rule is None or rule.place != place:
            return frame
        return rule.fire(link, request, frame)

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
        xid = frames.xid_of(frame)
        if xid == frames.WATCH_EVENT:
            self.record.append(frames.read_event(frame, conversation.number, now))
            return None
        request = conversation.pending[xid].popleft()
        frames.note_reply(request, frame, now)
        return request

    def rule_of(self, request):
        """The first rule for this request; each matching rule counts it."""
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
        """The same without the syncs, which probe a session that was quiet for long."""
        return {operation: number for operation, number in self.count().items() if operation != "sync"}

    def answered(self) -> dict:
        """How many of each operation the server has answered."""
        return dict(collections.Counter(request.operation for request in self.requests if request.replied is not None))

    def wait_for(self, number, operation, seconds=20):
        """
        Until so many have been answered: then the server has done what was asked, and nothing that comes after can
        overtake it. A request that was only sent may still be on its way.
        """
        try:
            wait_until(lambda: self.answered().get(operation, 0) >= number, f"{number} {operation} answered", seconds)
        except AssertionError as late:
            raise AssertionError(f"{late}, but {self.answered()} of {self.count()}") from None

    def __str__(self):
        with self.guard:
            return "\n".join(str(entry) for entry in self.record)
