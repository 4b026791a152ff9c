# SPDX-License-Identifier: Apache-2.0
"""
Faults of the installed Curator beside what this library does in the same situation. If a later Curator fixes one, turn
its half of the test round.
"""
import time

import pytest

from support.admin import expire
from support.waiting import wait_until

TIMEOUT_MS = 2000
RETRY = "n:50:100"


@pytest.fixture
def linked_peer(wired):
    """linked_peer("java"): a mutex of a client with a link of its own, and that link."""
    return lambda language: wired(language, session_timeout=TIMEOUT_MS, retry=RETRY)


@pytest.mark.parametrize("language", ["c", "java"])
def test_own_node_from_dead_session(linked_peer, mutex_of, admin, path, language):
    """
    CURATOR-604: a list from before the end of the session, as a server that lags behind gives it, shows the own node of
    the dead session at the head. Curator takes the lock by it, while another holds; this library does not.
    """
    admin.create(path)
    mutex, wire = linked_peer(language)
    other = mutex_of("c")
    old = wire.on("getChildren", "getChildren2").hold_reply()
    acquiring = mutex.begin("acquire")
    old.wait()
    [first] = admin.wait_for_children(path, 1)
    waiting = other.begin("acquire")
    admin.wait_for_children(path, 2)
    wire.mute()
    admin.wait_until_gone(f"{path}/{first}", seconds=20)
    waiting.wait()
    stale = wire.tell_again(old)
    wire.blip()
    wire.unmute()
    if language == "java":
        acquiring.wait()
        assert other.is_owned()  # two holders
        assert not admin.exists(f"{path}/{first}")
        mutex.release(expect=None)
        stale.stop()
    else:
        wait_until(lambda: stale.times >= 2, "the old list told, and more than once")
        assert not acquiring.done and not mutex.is_acquired(thread="looker")
        stale.stop()
        assert not acquiring.done
        other.release()
        acquiring.wait()
        assert admin.owner(mutex.lock_path()) == mutex.client.session()[0]
        mutex.release()
        return
    other.release()


@pytest.mark.parametrize("language", ["c", "java"])
def test_protected_lookup_adopts_old_session_node(linked_peer, new_admin, admin, path, language):
    """
    CURATOR-498: the answer to create is lost, the session ends, and a list from before shows the node that is on its
    way out. Curator has mended this; neither of the two takes the node for its own.
    """
    admin.create(path)
    mutex, wire = linked_peer(language)
    looker = new_admin(wire.connect_string)
    created = wire.on("create", "create2").hold_reply()
    acquiring = mutex.begin("acquire")
    created.wait()
    [first] = admin.wait_for_children(path, 1)
    old = wire.on("getChildren", "getChildren2").pass_reply()
    looker.zk.get_children(path, include_data=language == "c")  # the operation that will be answered alike
    wire.mute()
    admin.wait_until_gone(f"{path}/{first}", seconds=20)
    stale = wire.tell_again(old)
    wire.blip()
    wire.unmute()
    stale.wait()
    stale.stop()
    acquiring.wait()
    names = admin.children(path)
    assert mutex.lock_path() == f"{path}/{names[0]}" and first not in names
    assert admin.owner(mutex.lock_path()) == mutex.client.session()[0]
    mutex.release()
    admin.wait_for_children(path, 0)


@pytest.mark.parametrize("language", ["c", "java"])
def test_holder_never_told(linked_peer, mutex_of, admin, path, language):
    """
    CURATOR-206, Netflix#9, kazoo#2: the holder receives nothing any more while another contender gets the lock. Curator
    goes on saying that it holds; this library has reported the loss before.
    """
    mutex, wire = linked_peer(language)
    other = mutex_of("c")
    mutex.acquire()
    waiting = other.begin("acquire")
    admin.wait_for_children(path, 2)
    wire.mute()
    waiting.wait()
    if language == "java":
        assert mutex.is_acquired() and mutex.is_owned()  # two holders
    else:
        assert mutex.losses()[0].time < waiting.ended
        assert not mutex.is_acquired() and not mutex.is_owned()
    wire.unmute()
    mutex.client.wait_for_state("RECONNECTED")
    mutex.release(expect="CURATOR_LOCK_LOST" if language == "c" else None)
    assert other.is_owned()
    other.release()


@pytest.mark.parametrize("language", ["c", "java"])
def test_session_swapped_under_holder(linked_peer, mutex_of, zookeeper, admin, path, language):
    """
    CURATOR-367, vespa-engine/vespa#3340: the session was replaced, the node is gone, and the holder acquires again.
    Curator counts up and succeeds, whoever holds the lock by now; this library says LOST.
    """
    mutex, wire = linked_peer(language)
    other = mutex_of("c")
    mutex.acquire()
    expire(mutex.client, wire, zookeeper)
    mutex.client.wait_for_state("RECONNECTED")
    other.acquire()
    if language == "java":
        mutex.acquire()
        assert mutex.is_owned() and other.is_owned()  # two holders
        mutex.release(expect=None)
    else:
        mutex.acquire(expect="CURATOR_LOCK_LOST")
        mutex.acquire_for(100, expect="CURATOR_LOCK_LOST")
        assert not mutex.is_owned()
    mutex.release(expect=None)
    assert other.is_owned()
    other.release()


@pytest.mark.parametrize("what", ["request", "reply"])
@pytest.mark.parametrize("language", ["c", "java"])
def test_release_delete_fails(linked_peer, mutex_of, admin, path, language, what):
    """
    CURATOR-678, CURATOR-486: the connection goes during the delete of a release. In both the lock is free once the link
    is back, and the object can be used again; Curator's caller gets an exception after all its retries, this library's
    a status that says what is still to be done.
    """
    mutex, wire = linked_peer(language)
    other = mutex_of("c")
    mutex.acquire()
    waiting = other.begin("acquire")
    admin.wait_for_children(path, 2)
    rule = wire.on("delete").hold(what)
    releasing = mutex.begin("release")
    rule.wait()
    wire.blip()
    rule.go_on()
    releasing.wait()
    waiting.wait()
    other.release()
    mutex.release(expect="CURATOR_NOT_OWNER")
    mutex.acquire()
    mutex.release()
    admin.wait_for_children(path, 0)


@pytest.mark.parametrize("language", ["c", "java"])
def test_own_node_deleted_by_operator(linked_peer, mutex_of, admin, path, language):
    """bsc-s2/pykit#239, go-zk#20: Curator does not notice the loss, not even at the release."""
    mutex, _ = linked_peer(language)
    other = mutex_of("c")
    mutex.acquire()
    waiting = other.begin("acquire")
    admin.wait_for_children(path, 2)
    admin.delete(mutex.lock_path())
    waiting.wait()
    if language == "java":
        assert mutex.is_acquired()  # two holders
        mutex.release()
    else:
        mutex.wait_for_loss()
        mutex.release(expect="CURATOR_LOCK_LOST")
    other.release()


@pytest.mark.parametrize("language", ["c", "java"])
def test_timed_acquire_while_down(linked_peer, mutex_of, admin, path, language):
    """spring-integration#1863, CURATOR-559: Curator's time limit covers the last wait only, not what precedes it."""
    mutex, wire = linked_peer(language)
    other = mutex_of("c")
    other.acquire()
    mutex.acquire_for(0, expect="CURATOR_TIMED_OUT")
    wire.cut()
    acquiring = mutex.begin("acquire_for", 300)
    began = time.monotonic()
    if language == "java":
        wait_until(lambda: time.monotonic() - began > 1.0, "long past its time")
        assert not acquiring.done
    else:
        acquiring.wait("CURATOR_TIMED_OUT")
        assert time.monotonic() - began < 10
    wire.mend()
    acquiring.wait("CURATOR_TIMED_OUT")
    admin.wait_for_children(path, 1)
    other.release()
