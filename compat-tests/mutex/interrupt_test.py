# SPDX-License-Identifier: Apache-2.0
"""
An interrupt at each step of an acquire (CURATOR-79), and another one during its clean-up (CURATOR-205): the call ends
at once with CURATOR_INTERRUPTED, and nothing stays behind.
"""
import time

import pytest

from support.waiting import wait_until

SESSION = {"session_timeout": 10000}


@pytest.fixture
def held_up(wired):
    return wired(**SESSION)


@pytest.fixture
def interrupted(lateness):
    """
    interrupted(mutex, call, times): the call ends with CURATOR_INTERRUPTED. A second interrupt meets the clean-up of
    the first.
    """

    def interrupt(mutex, call, times):
        with lateness() as late:
            began = [mutex.interrupt().began for _ in range(times)]
            call.wait("CURATOR_INTERRUPTED")
        assert call.ended - began[0] < late.allowed_ms()
        assert mutex.path in call.error

    return interrupt


@pytest.fixture
def interrupted_or_early(lateness):
    """
    The same for a call whose start cannot be observed: an interrupt affects calls in progress only, so it is repeated.
    """

    def interrupt(mutex, call, times):
        with lateness() as late:
            while not call.done:
                last = mutex.interrupt()
            call.wait("CURATOR_INTERRUPTED")
        assert call.ended - last.began < late.allowed_ms()
        for _ in range(times - 1):
            mutex.interrupt()

    return interrupt


STEPS = {
    "the sending of create": ("request", "create2"),
    "the answer to create": ("reply", "create2"),
    "the sending of getChildren": ("request", "getChildren2"),
    "the answer to getChildren": ("reply", "getChildren2"),
    "the sending of getData": ("request", "getData"),
    "the answer to getData": ("reply", "getData"),
}


@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
@pytest.mark.parametrize("step", STEPS)
def test_at_a_request(interrupted, held_up, mutex_of, admin, path, step, times):
    """CURATOR-79."""
    held, other = mutex_of("c"), mutex_of("c")
    held.acquire()
    mutex, wire = held_up
    what, operation = STEPS[step]
    rule = wire.on(operation).hold(what)
    acquiring = mutex.begin("acquire", thread="one")
    rule.wait()
    interrupted(mutex, acquiring, times)
    assert not mutex.is_acquired()
    rule.go_on()
    names = admin.wait_for_children(path, 1)
    assert held.lock_path() == f"{path}/{names[0]}"
    held.release()
    other.acquire()  # nothing stands in its way
    other.release()
    mutex.acquire(thread="one")
    mutex.release(thread="one")


@pytest.mark.parametrize("what", ["request", "reply"])
@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
def test_at_the_creation_of_the_parents(interrupted, held_up, admin, path, what, times):
    mutex, wire = held_up
    rule = wire.on("createContainer", "create").hold(what)
    acquiring = mutex.begin("acquire")
    rule.wait()
    interrupted(mutex, acquiring, times)
    rule.go_on()
    admin.wait_for_children(path, 0)
    mutex.acquire()
    assert len(admin.children(path)) == 1
    mutex.release()


@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
@pytest.mark.parametrize("link", ["mute", "cut"])
def test_at_the_making_of_the_connection(interrupted_or_early, c_peer, zookeeper, new_proxy, admin, path, link, times):
    """kazoo#83: no connection was ever made."""
    proxy = new_proxy(zookeeper)
    getattr(proxy, link)()
    mutex = c_peer.client(proxy.connect_string, await_ms=None, connection_timeout=60000, **SESSION).mutex(path)
    acquiring = mutex.begin("acquire", thread="one")
    mutex.call("is_owned", thread="looker")  # some time
    interrupted_or_early(mutex, acquiring, times)
    {"mute": proxy.unmute, "cut": proxy.mend}[link]()
    mutex.acquire()
    mutex.release()
    admin.wait_for_children(path, 0)


def test_during_the_pause_before_a_retry(interrupted_or_early, c_peer, zookeeper, new_proxy, admin, path):
    proxy = new_proxy(zookeeper)
    proxy.cut()
    client = c_peer.client(proxy.connect_string, await_ms=None, connection_timeout=500, retry="n:5:60000", **SESSION)
    mutex = client.mutex(path)
    began = time.monotonic()
    acquiring = mutex.begin("acquire", thread="one")
    wait_until(lambda: time.monotonic() - began > 1, "the wait for a connection over, and the pause begun")
    interrupted_or_early(mutex, acquiring, 1)
    proxy.mend()
    client.await_connected(20000)
    mutex.acquire()
    mutex.release()


def test_a_question_is_interrupted_too(interrupted_or_early, linked, path):
    mutex, proxy = linked(**SESSION)
    mutex.participants()
    proxy.mute()
    asking = mutex.begin("participants", thread="one")
    interrupted_or_early(mutex, asking, 1)
    proxy.unmute()
    assert mutex.participants() == []


@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
def test_while_it_waits_in_the_queue(interrupted, mutex_of, admin, path, times):
    """vitessio/vitess#11678, kazoo#87."""
    held, mutex = mutex_of("c"), mutex_of("c")
    held.acquire()
    acquiring = mutex.begin("acquire")
    admin.wait_for_children(path, 2)
    interrupted(mutex, acquiring, times)
    admin.wait_for_children(path, 1)
    held.release()
    mutex.acquire()
    mutex.release()


@pytest.mark.parametrize("what", ["request", "reply"])
@pytest.mark.parametrize("first", ["interrupt", "deadline"])
def test_while_its_node_is_being_deleted(lateness, held_up, mutex_of, admin, path, what, first):
    """CURATOR-205: the one that is not in time, or interrupted, cleans up; that too is interrupted."""
    held = mutex_of("c")
    held.acquire()
    mutex, wire = held_up
    rule = wire.on("delete").hold(what)
    acquiring = mutex.begin(*(("acquire",) if first == "interrupt" else ("acquire_for", 1500)))
    admin.wait_for_children(path, 2)
    if first == "interrupt":
        mutex.interrupt()
    rule.wait()
    with lateness() as late:
        again = mutex.interrupt()
        acquiring.wait("CURATOR_INTERRUPTED" if first == "interrupt" else "CURATOR_TIMED_OUT")
    assert acquiring.ended - again.began < late.allowed_ms()
    rule.go_on()
    admin.wait_for_children(path, 1)
    held.release()
    mutex.acquire()
    mutex.release()


@pytest.mark.parametrize("what", ["request", "reply"])
def test_while_a_release_is_being_confirmed(lateness, held_up, mutex_of, admin, path, what):
    """CURATOR-678: the lock is given up all the same, and the object can be used again at once."""
    other = mutex_of("c")
    mutex, wire = held_up
    mutex.acquire()
    waiting = other.begin("acquire")
    admin.wait_for_children(path, 2)
    rule = wire.on("delete").hold(what)
    releasing = mutex.begin("release")
    rule.wait()
    with lateness() as late:
        interrupt = mutex.interrupt()
        releasing.wait("CURATOR_RELEASE_PENDING")
    assert releasing.ended - interrupt.began < late.allowed_ms()
    mutex.release(expect="CURATOR_NOT_OWNER")
    rule.go_on()
    waiting.wait()
    other.release()
    mutex.acquire()
    mutex.release()
