# SPDX-License-Identifier: Apache-2.0
"""The server has executed a request and its answer is lost, or nobody can know whether it has."""
import time

import pytest

from support.process_status import processor_seconds
from support.waiting import wait_until

SESSION = {"session_timeout": 10000}


@pytest.mark.parametrize("losses", [1, 3])
def test_create_reply_lost(wired, admin, path, losses):
    """go-zk#229, zk-ruby/zk#54, apache/accumulo#637: the node is found, not created a second time."""
    admin.create(path)
    mutex, wire = wired(retry="n:20:20", **SESSION)
    lists = wire.on("getChildren2", nth=None)  # the searches', once the create's answer is lost

    def lose_another():
        if lists.times < losses - 1:
            lists.lose_reply(then=lose_another)
        else:
            lists.stop()

    created = wire.on("create2").lose_reply(then=lose_another)
    acquiring = mutex.begin("acquire")
    created.wait()
    acquiring.wait()
    assert lists.times == losses - 1
    assert wire.count()["create2"] == 1
    [name] = admin.children(path)
    assert mutex.lock_path() == f"{path}/{name}"
    mutex.release()
    assert admin.children(path) == []


@pytest.mark.parametrize("how", ["cut", "mute"])
def test_retries_exhausted_after_create(wired, mutex_of, admin, path, how):
    """
    CURATOR-45, CURATOR-171, CURATOR-188: the caller gave up, and a node that was created all the same blocks nobody.
    """
    admin.create(path)
    other = mutex_of("c")
    mutex, wire = wired(retry="n:0:0", connection_timeout=1000, **SESSION)
    rule = wire.on("create2").hold_reply()
    acquiring = mutex.begin("acquire", thread="one") if how == "cut" else mutex.begin("acquire_for", 2000, thread="one")
    rule.wait()
    if how == "cut":
        wire.cut()
    acquiring.wait("CURATOR_CONNECTION_LOSS" if how == "cut" else "CURATOR_TIMED_OUT")
    [name] = admin.children(path)
    session = admin.owner(f"{path}/{name}")
    waiting = other.begin("acquire")
    admin.wait_for_children(path, 2)
    wire.mend()
    rule.go_on()
    waiting.wait()
    mutex.acquire_for(0, thread="one", expect="CURATOR_TIMED_OUT")
    assert mutex.client.session()[0] == session  # it was deleted, it did not expire
    other.release()


@pytest.mark.parametrize("what", ["request", "reply"])
def test_failed_attempt_cleanup_fails_too(wired, mutex_of, admin, path, what):
    """CURATOR-205, CURATOR-41, kazoo#732, vitessio/vitess#15756: the link breaks while the delete is under way."""
    held, other = mutex_of("c"), mutex_of("c")
    held.acquire()
    mutex, wire = wired(**SESSION)
    rule = wire.on("delete").hold(what)
    mutex.acquire_for(1000, expect="CURATOR_TIMED_OUT")
    rule.wait()
    wire.cut()
    rule.go_on()
    mutex.client.wait_for_state("SUSPENDED")
    wire.mend()
    admin.wait_for_children(path, 1)
    waiting = other.begin("acquire")
    admin.wait_for_children(path, 2)
    held.release()
    waiting.wait()
    other.release()


def test_background_delete_is_well_behaved(c_peer, zookeeper, new_wire, new_admin, path):
    """CURATOR-42, CURATOR-106: many deletes wait for the link; half of the nodes are gone by then."""
    locks_count = 100
    wire = new_wire(zookeeper)
    client = c_peer.client(wire.connect_string, retry="n:0:0", connection_timeout=1000, **SESSION)
    locks = [client.mutex(f"{path}/{number}") for number in range(locks_count)]
    for lock in locks:
        lock.acquire()
    admin = new_admin(zookeeper.connect_string)
    wire.cut()
    client.wait_for_state("SUSPENDED")
    for release in [lock.begin("release") for lock in locks]:
        release.wait("CURATOR_RELEASE_PENDING")
    for number in range(0, locks_count, 2):
        [name] = admin.children(f"{path}/{number}")
        admin.zk.delete(f"{path}/{number}/{name}")
    used, began = processor_seconds(c_peer), time.monotonic()
    wait_until(lambda: time.monotonic() - began > 1, "some time without a link")
    assert processor_seconds(c_peer) - used < 0.25 * (time.monotonic() - began)
    wire.clear()
    wire.mend()
    for number in range(locks_count):
        admin.wait_for_children(f"{path}/{number}", 0)
    locks[0].acquire()
    locks[0].release()
    assert wire.count()["delete"] <= locks_count + 5


def test_deletes_of_a_session_that_is_over_are_dropped(wired, admin, path):
    """CURATOR-106: what the end of the session has deleted is not asked for in the next one."""
    mutex, wire = wired(session_timeout=1500, retry="n:0:0", connection_timeout=500)
    mutex.acquire()
    wire.cut()
    mutex.client.wait_for_state("SUSPENDED")
    mutex.release(expect="CURATOR_RELEASE_PENDING")
    admin.wait_for_children(path, 0)
    mutex.client.wait_for_state("LOST")
    wire.clear()
    wire.mend()
    mutex.client.wait_for_state("RECONNECTED")
    mutex.acquire()
    mutex.release()
    assert wire.count()["delete"] == 1
