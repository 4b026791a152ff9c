# SPDX-License-Identifier: Apache-2.0
"""
Whatever happens to the servers or to curator-lock: the command and all its children are dead before a Java
InterProcessMutex gets the lock, by the clocks of the processes themselves. More than one round of each, and the margins
in milliseconds:

    CURATOR_ROUNDS=5 CURATOR_MARGINS=/tmp/margins compat-tests/run --folder tools --test dead_before_java
"""
import os
import signal
import struct
import sys

import pytest

from support.waiting import wait_until

HEARTBEAT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "heartbeat.py")
ROUNDS = int(os.environ.get("CURATOR_ROUNDS", "1"))
MARGINS = os.environ.get("CURATOR_MARGINS")  # a file for the figures


class Beats:
    def __init__(self, file):
        self.file = file
        file.write_bytes(bytes(24))

    @property
    def last_ms(self) -> list:
        return [time / 1e6 for time in struct.unpack("=3q", self.file.read_bytes())]

    def wait(self):
        """Until all three have begun."""
        wait_until(lambda: all(self.last_ms), "the heartbeats of all three processes", 20)


class Setting:
    """A curator-lock on a link of its own, a Java contender behind it on a direct one, and a server for both."""

    def __init__(self, server, link, one):
        self.server = server
        self.link = link
        self.one = one

    def kill_server(self):
        self.server.kill()
        self.wait_for_end()  # a server that is back in time saves the session, and the lock with it
        self.server.launch()
        self.server.await_serving()

    def stop_server(self):
        self.server.pause()
        self.wait_for_end()
        self.server.resume()

    def wait_for_end(self):
        wait_until(lambda: not self.one.running, "the end of curator-lock", 60)

    def cut_link(self):
        self.link.cut()

    def mute_link(self):
        self.link.mute()

    def stop_curator_lock(self):
        self.one.signal(signal.SIGSTOP)

    def kill_curator_lock(self):
        self.one.signal(signal.SIGKILL)


FAULTS = ["kill_server", "stop_server", "cut_link", "mute_link", "stop_curator_lock", "kill_curator_lock"]


@pytest.mark.parametrize("number", range(ROUNDS))
@pytest.mark.parametrize("session_seconds", [4, 10])
@pytest.mark.parametrize("fault", FAULTS)
def test_the_command_is_dead_before_java_holds(new_zookeeper, new_proxy, start_lock, java_peer, path, tmp_path, fault,
                                               session_seconds, number):
    server = new_zookeeper()
    link = new_proxy(server)
    beats = Beats(tmp_path / "beats")
    one = start_lock("-z", link.connect_string, f"--session-timeout={session_seconds}s", "--connection-timeout=1s",
                     path, sys.executable, "-S", HEARTBEAT, beats.file)
    beats.wait()
    wanted = java_peer.client(server.connect_string, session_timeout=10000, retry="n:100:200").mutex(path)
    waiting = wanted.begin("acquire")
    wait_until(lambda: len(wanted.participants(thread="counter")) == 2, "both in the queue")
    getattr(Setting(server, link, one), fault)()
    waiting.wait(seconds=90)
    margin = waiting.ended - max(beats.last_ms)
    if MARGINS:
        with open(MARGINS, "a", encoding="ascii") as file:
            file.write(f"{fault} {session_seconds} {margin:.0f}\n")
    assert margin > 0
    wanted.release()
    one.signal(signal.SIGCONT)
    status, _, errors = one.end(60)
    if fault == "kill_curator_lock":
        assert status == -signal.SIGKILL
    else:
        assert (status, "is lost" in errors) == (75, True), errors
