# SPDX-License-Identifier: Apache-2.0
"""Which descriptors are close-on-exec: all of the library's, and none that is not."""
import collections
import contextlib
import os
import threading
import time

import pytest

from support.waiting import bound, wait_until

TIMEOUT_MS = 4000
LOOKS = 20  # at an unmarked descriptor before it counts as one that stays unmarked


def descriptors(peer) -> dict:
    """The pipes and sockets except standard input, output and error; true: an executed program would inherit it."""
    found = {}
    folder = f"/proc/{peer.process.pid}"
    for number in os.listdir(f"{folder}/fd"):
        with contextlib.suppress(OSError):
            target = os.readlink(f"{folder}/fd/{number}")
            with open(f"{folder}/fdinfo/{number}", encoding="ascii") as info:
                flags = next(int(line.split()[1], 8) for line in info if line.startswith("flags:"))
            if int(number) > 2 and target.startswith(("pipe:", "socket:")):
                found[number, target] = not flags & os.O_CLOEXEC
    return found


def inheritable(peer) -> list:
    return [descriptor for descriptor, inherited in descriptors(peer).items() if inherited]


@pytest.fixture
def often_cut(new_proxy, zookeeper):
    """The connect string of a link that breaks all the time."""
    proxy = new_proxy(zookeeper)
    done = threading.Event()

    def cut():
        while not done.wait(0.2):
            proxy.blip()

    cutter = threading.Thread(target=cut)
    cutter.start()
    yield proxy.connect_string
    done.set()
    cutter.join()


def test_foreign_descriptors_keep_their_flags(run_scenario, often_cut):
    """X11."""
    run_scenario("foreign_descriptors", often_cut)


def test_a_session_that_comes_back_has_no_inheritable_descriptor(c_peer, zookeeper, new_proxy):
    """ZOOKEEPER-2338: each connection has a new socket."""
    proxy = new_proxy(zookeeper)
    client = c_peer.client(proxy.connect_string)
    for _ in range(10):
        told = len(client.states())
        proxy.blip()
        wait_until(lambda told=told: "RECONNECTED" in client.states()[told:], "back again")
        wait_until(lambda: not inheritable(c_peer), "all are marked")


def test_a_framework_that_finds_no_server_has_no_inheritable_pipe(c_peer, zookeeper, new_proxy):
    proxy = new_proxy(zookeeper)
    proxy.mute()
    c_peer.client(proxy.connect_string, await_ms=None)
    wait_until(lambda: len(proxy.links) == 1, "a try to connect")
    wait_until(lambda: not inheritable(c_peer), "all are marked")
    proxy.unmute()


def test_the_handle_that_ends_a_lent_session_leaves_no_inheritable_descriptor(c_peer, zookeeper, new_proxy, path):
    """X11, ZOOKEEPER-2338: of a lock that is lost, while the server's answers stay away."""
    proxy = new_proxy(zookeeper)
    mutex = c_peer.client(proxy.connect_string, session_timeout=TIMEOUT_MS).mutex(path)
    mutex.client.borrow_handle()
    mutex.acquire()
    proxy.mute_answers()
    mutex.wait_for_loss()
    looks, marked = collections.Counter(), set()
    end = time.monotonic() + 3  # as long as the library tries to end the session
    while time.monotonic() < end:
        for descriptor, inherited in descriptors(c_peer).items():
            looks[descriptor] += 1
            if not inherited:
                marked.add(descriptor)
        time.sleep(0.01)
    assert not [descriptor for descriptor, count in looks.items() if count >= LOOKS and descriptor not in marked]
    proxy.unmute()
    mutex.client.give_handle_back()
    mutex.client.await_connected(int(bound(10000)))
