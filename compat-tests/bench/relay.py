# SPDX-License-Identifier: Apache-2.0
"""
A forwarder in front of a server that adds to the round trip, and counts: requests, flights, bytes, watch events. The
flights are the longest chain of requests of which each was sent after the answer to the one before: round trips.
Half of the delay is added in each direction, to every byte alike, however much is under way.
"""
import asyncio
import collections
import selectors
import threading

from support import frames

QUIET = ("ping", "sync")  # signs of life, which come by the clock
CONNECTING_SECONDS = 10


class Messages:
    """The messages of one direction of a connection, without the first, which is the session's."""

    def __init__(self):
        self.unfinished = b""
        self.greeted = False

    def arrived(self, data: bytes) -> list:
        whole, self.unfinished = frames.split(self.unfinished + data)
        if whole and not self.greeted:
            self.greeted = True
            del whole[0]
        return whole


class Link:
    """One client's connection. In the relay's thread."""

    def __init__(self, relay):
        self.relay = relay
        self.deleted = set()  # paths that this client asked to delete
        self.flight = 0  # the latest of which there was an answer
        self.under_way = {}  # xid -> flight
        self.last_flight = 0

    def note_request(self, frame: bytes):
        xid, operation = frames.request_header(frame)
        if operation in QUIET:
            return
        self.relay.requests[operation] += 1
        self.under_way[xid] = self.flight + 1
        if self.flight + 1 > self.last_flight:
            self.last_flight = self.flight + 1
            self.relay.flights += 1
        if operation == "delete":
            self.deleted.add(frames.path_of(frame))

    def note_answer(self, frame: bytes):
        xid = frames.xid_of(frame)
        self.flight = max(self.flight, self.under_way.pop(xid, 0))
        if xid == frames.WATCH_EVENT and frames.event_of(frame)[1] not in self.deleted:
            self.relay.events += 1


class Side(asyncio.Protocol):
    """What arrives from one end is passed to the other, late by the half of the delay, in order."""

    def __init__(self, link: Link, from_client: bool):
        self.link = link
        self.from_client = from_client
        self.messages = Messages()
        self.transport = None
        self.other = None
        self.under_way = collections.deque()

    def connection_made(self, transport):
        self.transport = transport
        self.link.relay.transports.add(transport)
        if self.from_client:
            self.link.relay.loop.create_task(self.reach_server())

    async def reach_server(self):
        self.transport.pause_reading()
        relay = self.link.relay
        _, server = await relay.loop.create_connection(lambda: Side(self.link, False), "127.0.0.1", relay.target_port)
        self.other, server.other = server, self
        self.transport.resume_reading()

    def data_received(self, data):
        if self.from_client:  # noted when it is sent, answers when they are there
            for frame in self.messages.arrived(data):
                self.link.note_request(frame)
        self.pass_on(data)

    def connection_lost(self, _problem):
        self.link.relay.transports.discard(self.transport)
        self.pass_on(b"")

    def pass_on(self, data: bytes):
        relay = self.link.relay
        self.under_way.append(data)
        if relay.delay == 0:
            self.deliver()
        else:
            relay.loop.call_later(relay.delay / 2, self.deliver)

    def deliver(self):
        data = self.under_way.popleft()
        if not self.from_client:
            self.link.relay.bytes_to_clients += len(data)
            for frame in self.messages.arrived(data):
                self.link.note_answer(frame)
        if self.other is None or self.other.transport.is_closing():
            return
        if data:
            self.other.transport.write(data)
        else:
            self.other.transport.close()


class Relay:
    """To be ended by remove(). The counts are read with count() from any thread."""

    def __init__(self, target_port: int, delay_ms: float = 0):
        self.target_port = target_port
        self.delay = delay_ms / 1000
        self.requests = collections.Counter()
        self.flights = 0
        self.events = 0  # about nodes that the client has not deleted itself
        self.bytes_to_clients = 0
        self.transports = set()
        # epoll waits whole milliseconds; select, which does not, knows a thousand connections only.
        self.loop = asyncio.SelectorEventLoop(selectors.SelectSelector() if delay_ms else selectors.EpollSelector())
        self.server = self.loop.run_until_complete(
            self.loop.create_server(lambda: Side(Link(self), True), "127.0.0.1", 0, backlog=1024))
        self.port = self.server.sockets[0].getsockname()[1]
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    @property
    def connect_string(self) -> str:
        return f"127.0.0.1:{self.port}"

    def count(self) -> dict:
        """What there was so far; see difference()."""

        async def copy():
            return {"requests": sum(self.requests.values()), "flights": self.flights, "events": self.events,
                    "bytes_to_clients": self.bytes_to_clients, **self.requests}

        return asyncio.run_coroutine_threadsafe(copy(), self.loop).result(CONNECTING_SECONDS)

    def remove(self):
        def end():
            self.server.close()
            for transport in list(self.transports):
                transport.abort()
            self.loop.call_soon(self.loop.stop)

        self.loop.call_soon_threadsafe(end)
        self.thread.join()
        self.loop.close()


def difference(before: dict, after: dict) -> dict:
    return {key: after[key] - before.get(key, 0) for key in after if after[key] != before.get(key, 0)}
