# SPDX-License-Identifier: Apache-2.0
"""A session that the lease has ended lives on at its server until those who held its locks have been told."""
import time

import pytest

from support.waiting import wait_until

TIMEOUT_MS = 4000
TOLD_SECONDS = 1  # so long the library waits for callbacks before it ends such a session
SPARE = 0.1
LOOK_SECONDS = 0.5


def closings(wire) -> list:
    return [request for request in wire.requests if request.operation == "closeSession"]


def reconnected(wire, after):
    """The watch on the node is set again by the first request of a connection."""
    return next((request for request in wire.requests if request.operation == "setWatches" and request.time > after),
                None)


@pytest.mark.parametrize("lent", [False, True], ids=["", "lent handle"])
def test_the_session_is_ended_after_the_callback_of_the_loss(zookeeper, c_peer, new_wire, admin, path, lent):
    wire = new_wire(zookeeper)
    mutex = c_peer.client(wire.connect_string, session_timeout=TIMEOUT_MS).mutex(path)
    mutex.call("hold_loss")
    mutex.acquire()
    if lent:
        mutex.client.borrow_handle()
    wire.wait_for(1, "getData")  # the watch on the node
    [node] = admin.children(path)
    wire.mute_answers()  # the session lives on at the server, which hears its requests
    mutex.wait_for_loss()
    unmuted = time.monotonic()
    wire.unmute()
    back = wait_until(lambda: reconnected(wire, unmuted), "the dead session is connected again", 20).time
    wait_until(lambda: closings(wire) or time.monotonic() > back + LOOK_SECONDS, "a look")
    exists = admin.children(path) == [node]
    looked = time.monotonic()
    mutex.call("let_loss_go", thread="other")
    if looked < back + TOLD_SECONDS - SPARE:  # else this machine is too slow for the test
        assert exists
        assert closings(wire) == [] or closings(wire)[0].time > looked
    admin.wait_for_children(path, 0)
    wait_until(lambda: closings(wire), "the close of the session")
    mutex.release(expect="CURATOR_LOCK_LOST")
    if lent:
        mutex.client.give_handle_back()
