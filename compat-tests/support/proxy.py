# SPDX-License-Identifier: Apache-2.0
"""
The forwarder between clients and a server. It breaks the link in the ways that networks do: cut, mute, delay. What
understands the bytes is built on it: fault_proxy.py spoils chosen requests, bench/counting_proxy.py counts them.
"""
import queue
import socket
import struct
import threading
import time

from support.ports import free_port, give_back
from support.waiting import bound


class Proxy:
    """
    Forwards bytes both ways until it is told otherwise, on all connections alike. The port stays reserved while the
    link is cut. `delay_ms` is added to each round trip, half of it in each direction, however much is under way.
    """

    def __init__(self, target_port: int, delay_ms: float = 0):
        self.target_port = target_port
        self.delay_seconds = delay_ms / 1000
        self.guard = threading.Lock()  # of links and listener
        self.links = []
        self.flowing = threading.Event()
        self.flowing.set()
        self.answering = threading.Event()
        self.answering.set()
        self.listener = None
        self.removed = False
        self.port = free_port()
        self.mend()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    @property
    def connect_string(self) -> str:
        return f"127.0.0.1:{self.port}"

    def mend(self):
        """Accepts connections (again)."""
        with self.guard:
            if self.listener is not None or self.removed:
                return
            listener = socket.socket()
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", self.port))
            listener.listen(1024)
            self.listener = listener
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()

    def cut(self):
        """Resets every connection and refuses new ones."""
        with self.guard:
            listener, self.listener = self.listener, None
        if listener is not None:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        self.blip()

    def blip(self):
        """Resets every connection, once; new ones are accepted."""
        with self.guard:
            links, self.links = self.links, []
        for link in links:
            link.reset()

    def mute(self):
        """Keeps every connection open and accepts new ones, but passes no bytes."""
        self.flowing.clear()

    def mute_answers(self):
        """Passes what clients send, but nothing of what servers say."""
        self.answering.clear()

    def unmute(self):
        """Passes bytes again, those held back first."""
        self.flowing.set()
        self.answering.set()

    def accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target_port), timeout=bound(10))
            except OSError:
                if self.listener is not listener:
                    return
                client.close()  # the server is not there
                continue
            link = Link(self, client, server)
            with self.guard:
                if self.listener is not listener:
                    link.reset()
                    return
                self.links.append(link)
            link.start()

    def pieces(self, link, data, to_server):
        """
        What to forward for these bytes; each piece is sent before the next one is asked for. It sees what the client
        sees: requests before the delay, answers after it.
        """
        yield data

    def remove(self):
        with self.guard:
            if self.removed:
                return
            self.removed = True
        self.cut()
        self.unmute()
        give_back(self.port)


class Link:
    """One client's connection and ours to the server for it."""

    def __init__(self, proxy, client, server):
        self.proxy = proxy
        self.ends = (client, server)
        self.closing = threading.Event()
        self.polite = False
        for end in self.ends:
            end.settimeout(None)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @property
    def closed(self) -> bool:
        return self.closing.is_set()

    def start(self):
        client, server = self.ends
        for source, target in ((client, server), (server, client)):
            threading.Thread(target=self.pump, args=(source, target), daemon=True).start()

    def pump(self, source, target):
        to_server = source is self.ends[0]
        try:
            for piece in self.forwarded(source, to_server):
                while not self.proxy.flowing.wait(0.05) or not (to_server or self.proxy.answering.wait(0.05)):
                    if self.closed:
                        return
                target.sendall(piece)
        except OSError:
            pass
        while not self.proxy.flowing.is_set() and not self.closed:
            time.sleep(0.01)  # a muted link does not pass the end of a connection either
        self.reset()

    def forwarded(self, source, to_server):
        def pieces(chunks):
            for chunk in chunks:
                yield from self.proxy.pieces(self, chunk, to_server=to_server)

        chunks = received(source)
        if self.proxy.delay_seconds == 0:
            return pieces(chunks)
        return delayed(pieces(chunks), self.proxy.delay_seconds / 2) if to_server else \
            pieces(delayed(chunks, self.proxy.delay_seconds / 2))

    def hang_up(self):
        """Ends both connections after what has been passed on."""
        self.polite = True
        self.reset()

    def reset(self):
        self.closing.set()
        for end in self.ends:
            try:
                if self.polite:
                    end.shutdown(socket.SHUT_RDWR)
                else:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    end.shutdown(socket.SHUT_RD)  # wakes the pump; a full shutdown would say goodbye with a FIN
            except OSError:
                pass
            end.close()


def received(source):
    while data := source.recv(65536):
        yield data


def delayed(chunks, seconds):
    """The same chunks in the same order, each so much later."""
    waiting = queue.SimpleQueue()

    def read():
        try:
            for chunk in chunks:
                waiting.put((time.monotonic() + seconds, chunk))
        except OSError:
            pass  # the connection is over
        waiting.put((time.monotonic() + seconds, b""))

    threading.Thread(target=read, daemon=True).start()
    while True:
        due, chunk = waiting.get()
        time.sleep(max(0.0, due - time.monotonic()))
        if not chunk:
            return
        yield chunk
