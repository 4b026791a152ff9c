# SPDX-License-Identifier: Apache-2.0
"""
A forwarder that counts: requests, flights, bytes, watch events. The flights are the longest chain of requests of which
each was sent after the answer to the one before: round trips.
"""
import collections
import threading

from support import frames
from support.proxy import Proxy

KEEP_ALIVE = ("ping", "sync")  # sent by the clock, not by what is measured


class Conversation:
    """What is known of one connection."""

    def __init__(self):
        self.streams = {True: frames.Stream(), False: frames.Stream()}  # to the server and from it
        self.greeted = set()  # directions whose first frame has passed, which is the session's
        self.deleted = set()  # paths that this client asked to delete
        self.flight = 0  # the latest of which there was an answer
        self.under_way = {}  # xid -> flight
        self.last_flight = 0

    def messages(self, data: bytes, to_server: bool) -> list:
        whole = self.streams[to_server].arrived(data)
        if whole and to_server not in self.greeted:
            self.greeted.add(to_server)
            del whole[0]
        return whole


class CountingProxy(Proxy):
    """The counts are read with count() from any thread."""

    def __init__(self, target_port: int, delay_ms: float = 0):
        self.counting = threading.Lock()  # guards what follows
        self.conversations = collections.defaultdict(Conversation)  # by link
        self.requests = collections.Counter()
        self.flights = 0
        self.events = 0  # about nodes that the client has not deleted itself
        self.bytes_to_clients = 0
        super().__init__(target_port, delay_ms)

    def pieces(self, link, data, to_server):
        with self.counting:
            conversation = self.conversations[link]
            self.bytes_to_clients += 0 if to_server else len(data)
            for frame in conversation.messages(data, to_server):
                if to_server:
                    self.note_request(conversation, frame)
                else:
                    self.note_answer(conversation, frame)
        yield data

    def note_request(self, conversation: Conversation, frame: bytes):
        xid, operation = frames.request_header(frame)
        if operation in KEEP_ALIVE:
            return
        self.requests[operation] += 1
        conversation.under_way[xid] = conversation.flight + 1
        if conversation.flight + 1 > conversation.last_flight:
            conversation.last_flight = conversation.flight + 1
            self.flights += 1
        if operation == "delete":
            conversation.deleted.add(frames.path_of(frame))

    def note_answer(self, conversation: Conversation, frame: bytes):
        xid = frames.xid_of(frame)
        conversation.flight = max(conversation.flight, conversation.under_way.pop(xid, 0))
        if xid == frames.WATCH_EVENT and frames.event_of(frame)[1] not in conversation.deleted:
            self.events += 1

    def count(self) -> dict:
        """What there was so far; see difference()."""
        with self.counting:
            return {"requests": sum(self.requests.values()), "flights": self.flights, "events": self.events,
                    "bytes_to_clients": self.bytes_to_clients, **self.requests}


def difference(before: dict, after: dict) -> dict:
    return {key: after[key] - before.get(key, 0) for key in after if after[key] != before.get(key, 0)}
