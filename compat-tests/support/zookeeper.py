# SPDX-License-Identifier: Apache-2.0
"""Throwaway ZooKeeper servers on loopback ports, alone or as an ensemble of three."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile

from support import jars
from support.ports import free_port, give_back
from support.waiting import die_with_parent, wait_until


def thread_states(pid: int) -> set:
    """Of all threads of a process: R, S, D, or T for a stopped one."""
    states = set()
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/stat", encoding="ascii", errors="replace") as file:
                states.add(file.read().rpartition(")")[2].split()[0])
        except FileNotFoundError:
            pass  # it has ended
    return states


class ZooKeeper:
    """
    One server with its data in a temporary directory. It grants session timeouts of 2 to 20 ticks: 1 s to 10 s by
    default. Transactions are not forced to the disk unless force_sync is set. The JVM is small unless `java` is given.
    `settings` are further lines of its configuration.
    """

    def __init__(self, tick_ms=500, container_check_ms=60000, port=None, quorum=(), server_id=None, force_sync=False,
                 java=None, settings=()):
        self.directory = tempfile.mkdtemp(prefix="curator-zookeeper-")
        self.tick_ms = tick_ms
        self.container_check_ms = container_check_ms
        self.own_ports = [] if port else [free_port()]
        self.port = port or self.own_ports[0]
        self.quorum = list(quorum)  # (id, peer port, election port)
        self.server_id = server_id
        self.force_sync = force_sync
        self.java = java or jars.java()
        self.settings = settings
        self.process = None

    @property
    def connect_string(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self):
        self.launch()
        self.await_serving()
        return self

    def launch(self):
        config = os.path.join(self.directory, "zoo.cfg")
        data = os.path.join(self.directory, "data")
        os.makedirs(data, exist_ok=True)
        lines = [f"tickTime={self.tick_ms}", f"dataDir={data}", f"clientPort={self.port}",
                 "clientPortAddress=127.0.0.1", "maxClientCnxns=0", "admin.enableServer=false",
                 "4lw.commands.whitelist=*", "initLimit=20", "syncLimit=10", *self.settings]
        for server_id, peer_port, election_port in self.quorum:
            lines.append(f"server.{server_id}=127.0.0.1:{peer_port}:{election_port}")
        if self.server_id is not None:
            with open(os.path.join(data, "myid"), "w", encoding="ascii") as file:
                file.write(str(self.server_id))
        with open(config, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        main = "quorum.QuorumPeerMain" if self.quorum else "ZooKeeperServerMain"
        command = self.java + [
            "-cp", jars.server_class_path(),
            f"-Dzookeeper.forceSync={'yes' if self.force_sync else 'no'}",
            "-Dzookeeper.preAllocSize=1024",
            f"-Dznode.container.checkIntervalMs={self.container_check_ms}",
            "-Dzookeeper.extendedTypesEnabled=true",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "org.apache.zookeeper.server." + main, config]
        with open(os.path.join(self.directory, "log"), "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            preexec_fn=die_with_parent, start_new_session=True)

    def await_serving(self):
        def serves():
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.log()}")
            return "Zookeeper version" in self.four_letters("srvr")  # the answer of a server that has a leader

        wait_until(serves, f"a ZooKeeper server that serves on port {self.port}", 30)

    def four_letters(self, word: str) -> str:
        """The answer to one of the server's four-letter words, "" when it does not answer."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(word.encode())
                answer = b""
                while part := connection.recv(65536):
                    answer += part
                return answer.decode()
        except OSError:
            return ""

    def told(self, word: str) -> str:
        """Waits for an answer to a four-letter word."""
        return wait_until(lambda: self.four_letters(word), f"an answer of port {self.port} to {word}", 30)

    def log(self) -> str:
        with open(os.path.join(self.directory, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-4000:]

    def pause(self):
        """The server goes silent, its connections stay open. Returns when all its threads stand still."""
        self.process.send_signal(signal.SIGSTOP)
        wait_until(lambda: thread_states(self.process.pid) <= {"T"}, "the server stopped")

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
        if self.process is not None:
            self.process.wait()

    def restart(self):
        """Ends the server hard and starts it again on the same port and data."""
        self.kill()
        self.launch()
        self.await_serving()

    def forget(self):
        """Removes a stopped server's data, so that it starts empty."""
        shutil.rmtree(os.path.join(self.directory, "data"))

    def remove(self):
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)
        for port in self.own_ports:
            give_back(port)


class Ensemble:
    """Three servers that elect a leader."""

    def __init__(self, **options):
        self.quorum = [(server_id, free_port(), free_port()) for server_id in (1, 2, 3)]
        self.servers = [ZooKeeper(quorum=self.quorum, server_id=server_id, **options)
                        for server_id, _, _ in self.quorum]

    @property
    def connect_string(self) -> str:
        return ",".join(server.connect_string for server in self.servers)

    def start(self):
        for server in self.servers:
            server.launch()
        for server in self.servers:
            server.await_serving()
        return self

    def leader(self) -> ZooKeeper:
        return wait_until(lambda: next((server for server in self.servers
                                        if "Mode: leader" in server.four_letters("srvr")), None), "a leader", 30)

    def remove(self):
        for server in self.servers:
            server.remove()
        for _, *ports in self.quorum:
            for port in ports:
                give_back(port)
