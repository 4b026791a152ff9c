# SPDX-License-Identifier: Apache-2.0
"""The setup of the cases: servers, the contenders' process, and the holders before and after."""
import logging
import threading
import time

from kazoo.client import KazooClient
from kazoo.exceptions import (
    ConnectionClosedError,
    ConnectionLoss,
    NoNodeError,
    OperationTimeoutError,
    SessionExpiredError,
)
from kazoo.handlers.threading import KazooTimeoutError

from support.peers import CPeer, JavaPeer
from support.waiting import bound, wait_until
from support.zookeeper import Ensemble, ZooKeeper

PEERS = {"c": CPeer, "java": JavaPeer}
ANSWER_SECONDS = bound(1)  # then the question is repeated, perhaps on a new connection
AGAIN = (ConnectionLoss, ConnectionClosedError, SessionExpiredError, OperationTimeoutError, KazooTimeoutError)


class ServerFault:
    """A server fault for all cases of a batch at once: each case waits at the request that is to meet it."""

    def __init__(self, breaks, mends, expected):
        self.breaks, self.mends = breaks, mends
        self.expected = expected
        self.guard = threading.Condition()  # of waiting
        self.waiting = 0
        self.begin = threading.Barrier(expected + 1)  # the cases begin together, with the fault
        self.broken = threading.Event()
        self.over = threading.Event()

    def wait_for_fault(self):
        with self.guard:
            self.waiting += 1
            self.guard.notify_all()
        self.broken.wait(bound(60))

    def run(self):
        """On a thread that stays: a server that it starts ends with it."""
        try:
            self.begin.wait(bound(100))
        except threading.BrokenBarrierError:
            return  # a case has failed to begin and says so
        with self.guard:
            self.guard.wait_for(lambda: self.waiting >= self.expected, bound(1.5))
        self.breaks()
        self.broken.set()
        self.mends()
        self.over.set()


class Operator:
    """Looks at the nodes on a connection of its own, through outages of the servers."""

    def __init__(self, connect_string):
        self.connect_string = connect_string
        self.logger = logging.getLogger("operator")
        self.logger.setLevel(logging.CRITICAL)
        self.connections = []
        self.renew()

    def renew(self):
        """A connection to servers that came back: the old one may take its time to notice."""
        zk = KazooClient(hosts=self.connect_string, timeout=10, logger=self.logger)
        self.connections.append(zk)
        zk.start(timeout=bound(20))
        self.zk = zk

    def ask(self, question, seconds=60):
        """What the operator is answered, as soon as a server answers."""
        until = time.monotonic() + bound(seconds)
        while True:
            try:
                return question()
            except NoNodeError:
                return []
            except AGAIN:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def children(self, path) -> list:
        """As the leader knows them now."""

        def look():
            self.zk.sync_async(path).get(timeout=ANSWER_SECONDS)
            return self.zk.get_children_async(path).get(timeout=ANSWER_SECONDS)

        return self.ask(look)

    def create(self, path):
        self.ask(lambda: self.zk.ensure_path(path))

    def remove(self):
        for zk in self.connections:
            zk.stop()
            zk.close()


class Setup:
    """One server, or three, and every peer except the contender."""

    def __init__(self, language, ensemble=False):
        self.language = language
        self.parts = []
        try:
            self.servers = self.part(Ensemble().start() if ensemble else ZooKeeper().start())
            self.ports = [server.port for server in (self.servers.servers if ensemble else [self.servers])]
            self.contenders = self.part(PEERS[language]())
            self.peers = {name: self.part(PEERS[name]()) for name in PEERS}
            self.clients = {name: peer.client(self.servers.connect_string, session_timeout=10000, retry="n:200:50")
                            for name, peer in self.peers.items()}
            self.operator = self.part(Operator(self.servers.connect_string))
        except BaseException:
            self.remove()
            raise

    def part(self, part):
        self.parts.append(part)
        return part

    def server_fault(self, fault, expected):
        """None if the fault breaks no server."""
        if fault == "restart":
            return ServerFault(self.servers.kill, self.start_again, expected)
        if fault == "leader_killed":
            return ServerFault(lambda: self.servers.leader().kill(), self.elected, expected)
        return None

    def start_again(self):
        self.servers.launch()
        self.servers.await_serving()
        self.operator.renew()

    def elected(self):
        wait_until(lambda: any("Mode: leader" in server.four_letters("srvr") for server in self.servers.servers),
                   "a new leader", 60)
        self.operator.renew()

    def restore(self):
        """Between batches: all servers run, and all peers but the contenders are connected."""
        for server in getattr(self.servers, "servers", [self.servers]):
            if server.process.poll() is not None:
                server.launch()
                server.await_serving()
        for client in self.clients.values():
            client.await_connected(int(bound(30000)))

    def sessions(self) -> str:
        """The sessions that a single server knows."""
        return self.servers.four_letters("dump")

    def await_session_end(self, session):
        until = time.monotonic() + bound(60)
        while time.monotonic() < until:
            known = self.sessions()
            if "Session Sets" in known and f"0x{session:x}" not in known:
                return
            time.sleep(0.1)
        raise AssertionError(f"session 0x{session:x} does not end:\n{known}")

    def remove(self):
        problems = []
        for part in reversed(self.parts):
            try:
                part.finish() if hasattr(part, "finish") else part.remove()
            except AssertionError as problem:
                problems.append(str(problem))
        assert not problems, "\n".join(problems)
