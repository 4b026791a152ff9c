# SPDX-License-Identifier: Apache-2.0
"""A throwaway ZooKeeper server on a free loopback port, from Debian's jars."""

import ctypes
import os
import signal
import socket
import subprocess
import time

JARS = "/usr/share/java"
PR_SET_PDEATHSIG = 1  # of prctl()
TRIES = 3
START_SECONDS = 30


class ServerFailed(Exception):
    """The server did not start; the text says what it printed."""


class Server:
    def __init__(self, directory):
        self._directory = directory
        self._process = None
        self.connect = None

    def start(self, check_stop):
        """Returns when the server answers. check_stop() is called while waiting and may raise."""
        for _ in range(TRIES):  # somebody else may take the port between our look and the server's
            port = _free_port()
            self._launch(port)
            deadline = time.monotonic() + START_SECONDS
            while self._process.poll() is None and time.monotonic() < deadline:
                if _answers(port):
                    self.connect = f"127.0.0.1:{port}"
                    return
                check_stop()
                time.sleep(0.05)
            self.stop()
        with open(self._log_path(), encoding="utf-8", errors="replace") as log:
            raise ServerFailed("ZooKeeper did not start:\n" + log.read()[-2000:])

    def stop(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _log_path(self):
        return os.path.join(self._directory, "zookeeper.log")

    def _launch(self, port):
        data = os.path.join(self._directory, "zookeeper")
        os.makedirs(data, exist_ok=True)
        configuration = os.path.join(self._directory, "zoo.cfg")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(
                f"dataDir={data}\nclientPort={port}\nclientPortAddress=127.0.0.1\n"
                "tickTime=1000\nforceSync=no\nadmin.enableServer=false\n4lw.commands.whitelist=ruok\n"
            )
        with open(self._log_path(), "w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                ["java", "-Xmx256m", "-XX:-UsePerfData", "-cp", f"{JARS}/zookeeper.jar:{JARS}/slf4j-nop.jar",
                 "org.apache.zookeeper.server.ZooKeeperServerMain", configuration],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                preexec_fn=die_with_parent)


def die_with_parent():
    """Should we be killed, so is the server. (The members notice by the end of their stdin.)"""
    ctypes.CDLL("libc.so.6").prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(b"ruok")
            return connection.recv(4) == b"imok"
    except OSError:
        return False
