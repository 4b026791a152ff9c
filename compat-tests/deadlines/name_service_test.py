# SPDX-License-Identifier: Apache-2.0
"""Host names that take a minute to look up, or cannot be looked up for a while."""
import time

import pytest

from support.peers import CPeer
from support.programs import c_environment, program
from support.waiting import wait_until

MINUTE_MS = 60000


class BadNames(CPeer):
    """A process whose getaddrinfo() does what the test wants."""

    def __init__(self, **how):
        self.how = how
        super().__init__()

    def command(self):
        return [program("curator_peer_slow_names")]

    def environment(self):
        return {**c_environment(), **{f"CURATOR_{name.upper()}": str(value) for name, value in self.how.items()}}


@pytest.fixture
def bad_names():
    """bad_names(look_up_ms=...): a peer with a slow name service; the test kills it at the end, look-ups included."""
    peers = []

    def start(**how):
        peers.append(BadNames(**how))
        return peers[-1]

    yield start
    for peer in peers:
        peer.kill()


def test_the_name_service_hangs(bad_names, zookeeper, in_vain, lateness, path):
    """CURATOR-293: before there was any connection."""
    peer = bad_names(look_up_ms=MINUTE_MS)
    mutex = peer.client(f"localhost:{zookeeper.port}", await_ms=None).mutex(path)
    for _ in range(2):
        in_vain(mutex, 500)
    with lateness() as late:
        closed = mutex.client.close(expect=None)
    assert closed.elapsed <= late.allowed_ms()


def test_dns_outage_while_holding(bad_names, zookeeper, admin, path):
    """ZOOKEEPER-1998: the session lives on, and the lock with it, although no name can be looked up any more."""
    timeout_ms = 2500
    peer = bad_names(quick_look_ups=1, look_up_ms=MINUTE_MS)
    mutex = peer.client(f"localhost:{zookeeper.port}", session_timeout=timeout_ms, default_data="x").mutex(path)
    assert mutex.client.session_timeout() == timeout_ms
    mutex.acquire()
    node = admin.children(path)
    began = time.monotonic()
    while time.monotonic() - began < 1.6 * timeout_ms / 1000:
        assert mutex.is_owned()
        assert admin.children(path) == node
    assert mutex.losses() == [] and mutex.client.states() == ["CONNECTED"]
    mutex.release()
    admin.wait_for_children(path, 0)


def test_new_handle_after_expiry_fails_once(bad_names, zookeeper, in_vain, path):
    """CURATOR-293, CURATOR-15: no session can be opened as long as no name can be looked up; then one is, unasked."""
    peer = bad_names(names_fail_s=3)
    client = peer.client(f"localhost:{zookeeper.port}", await_ms=None, retry="n:0:0")
    mutex = client.mutex(path)
    call = in_vain(mutex, 300)
    assert "localhost" in call.error
    client.wait_for_state("CONNECTED")
    mutex.acquire()
    mutex.release()
    wait_until(lambda: client.state() == "CONNECTED", "still connected")
