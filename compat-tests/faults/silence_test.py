# SPDX-License-Identifier: Apache-2.0
"""A server stops answering while its connections stay open: which calls wait for it, for how long, at which cost."""
import socket
import time

import pytest

from support.process_status import processor_seconds
from support.waiting import SLOW, wait_until

SHORT = {"connection_timeout": 500, "retry": "n:1:50"}
SHORT_LIMIT_MS = 2 * 500 + 50  # two tries, each as long as the connection timeout, and the pause between them


def test_after_a_release_on_a_silent_link_nothing_spins_and_other_calls_are_on_time(late_ms, linked, admin, path):
    timeout_ms = 6000
    mutex, proxy = linked(session_timeout=timeout_ms, connection_timeout=1000)
    other = mutex.client.mutex(path + "-other")
    mutex.acquire()
    proxy.mute()
    mutex.client.wait_for_state("SUSPENDED")
    release = mutex.begin("release")  # the last lock of the session
    used, began = processor_seconds(mutex.peer), time.monotonic()
    while not release.done or time.monotonic() - began < timeout_ms / 1000 / 2:
        call = other.acquire_for(100, thread="other", expect="CURATOR_TIMED_OUT")
        assert call.elapsed < 100 + late_ms()
    release.wait("CURATOR_RELEASE_PENDING")
    assert release.elapsed < 1000 + late_ms()
    assert processor_seconds(mutex.peer) - used < (time.monotonic() - began) / 4
    proxy.unmute()
    admin.wait_for_children(path, 0)
    admin.wait_for_children(path + "-other", 0)
    other.acquire()
    other.release()


def reconnects_late(mutex, proxy, admin) -> bool:
    """False: the machine was so late that the lease ended first, of which a second is left at the reconnect."""
    timeout_ms = 10000
    mutex.acquire()
    [node] = admin.children(mutex.path)
    held = time.monotonic()
    wait_until(lambda: time.monotonic() - held > 0.3 * timeout_ms / 1000, "past the first moments, with a short lease")
    cut = time.monotonic()
    proxy.cut()
    wait_until(lambda: time.monotonic() - cut > 0.69 * timeout_ms / 1000, "later than two thirds", timeout_ms)
    proxy.mend()
    mutex.client.wait_for_state("RECONNECTED")
    if "LOST" in mutex.client.states():
        return False
    waited = time.monotonic()
    while time.monotonic() - waited < timeout_ms / 1000 / 4:
        assert mutex.is_owned()
    assert mutex.client.states() == ["CONNECTED", "SUSPENDED", "RECONNECTED"]
    assert admin.children(mutex.path) == [node] and mutex.losses() == []
    mutex.release()
    return True


def test_a_reconnect_late_in_the_session_is_told_once(late_ms, linked, admin, path):
    """CURATOR-405: one SUSPENDED, one RECONNECTED, although our last request was answered long ago."""
    for number in range(4):
        mutex, proxy = linked(session_timeout=10000)
        if reconnects_late(mutex.client.mutex(f"{path}/{number}"), proxy, admin):
            return
        assert late_ms(0) > 60, "the lock was lost, and the machine was not late"
    raise AssertionError("the machine was too slow each time")


def test_a_release_whose_session_is_over_by_our_own_clock_is_pending(linked, path):
    """Nobody knows yet what becomes of the delete; that the lock was lost before the release is certainly wrong."""
    mutex, proxy = linked(session_timeout=4000, connection_timeout=60000)
    other = mutex.client.mutex(path + "-other")  # ends the session by its lease
    mutex.acquire()
    other.acquire()
    proxy.mute()
    released = mutex.release(expect="CURATOR_RELEASE_PENDING", seconds=30)
    assert "not confirmed" in released.error
    other.wait_for_loss()
    other.release(expect="CURATOR_LOCK_LOST")
    proxy.unmute()


def test_destroying_a_mutex_does_not_wait_out_a_release_on_a_silent_link(late_ms, linked, admin, path):
    """spring-integration#11113."""
    mutex, proxy = linked(session_timeout=10000, connection_timeout=8000)
    mutex.acquire(thread="one")
    proxy.mute()
    release = mutex.begin("release", thread="one")
    wait_until(lambda: not mutex.is_acquired(), "the release under way")
    destroyed = mutex.destroy(thread="two")
    assert destroyed.elapsed < late_ms(500)
    release.wait(expect=None)
    assert release.status in ("CURATOR_CLOSED", "CURATOR_RELEASE_PENDING")
    assert release.ended < destroyed.ended + late_ms()
    proxy.unmute()
    admin.wait_for_children(path, 0)


@pytest.mark.parametrize("verb", ["participants", "revoke"])
def test_a_question_to_a_server_that_has_gone_silent_ends_with_the_retry_policy(
        late_ms, linked, admin, mutex_of, path, verb):
    """spring-integration#1863: the connection was fine when the call began."""
    held = mutex_of("c")
    held.acquire()
    [node] = admin.children(path)
    mutex, proxy = linked(session_timeout=10000, **SHORT)
    mutex.participants()
    proxy.mute()
    if verb == "participants":
        call = mutex.call(verb, expect="CURATOR_CONNECTION_LOSS")
    else:
        call = mutex.client.revoke(f"{path}/{node}", expect="CURATOR_CONNECTION_LOSS")
    assert call.elapsed < SHORT_LIMIT_MS + late_ms()
    assert path in call.error
    proxy.unmute()
    assert mutex.participants() == [f"{path}/{node}"]
    held.release()


def test_a_waiter_keeps_its_place_when_the_link_breaks_at_the_moment_of_the_grant(
        wired, mutex_of, admin, path):
    """FLINK-10052: it has waited for long, and the answer to its probe is lost."""
    timeout_ms = 10000
    held = mutex_of("c")
    wanted, wire = wired(session_timeout=timeout_ms)
    for _ in range(10):
        held.acquire()
        waiting = wanted.begin("acquire")
        queue = admin.wait_for_children(path, 2)
        wire.wait_for(wire.answered().get("sync", 0) + 1, "sync")
        began = time.monotonic()
        wait_until(lambda began=began: (time.monotonic() - began) * 1000 > timeout_ms / 10,
                   "the answer of more than T/12 ago")
        rule = wire.on("sync").lose_reply()  # earlier answers still arrive
        held.release()
        waiting.wait()
        assert wanted.lock_path() == f"{path}/{queue[1]}"
        assert "LOST" not in wanted.client.states()
        wanted.release()
        if rule.fired.is_set():
            break
        wire.clear()  # the grant came later than the next probe, on a busy machine
    else:
        pytest.fail("none of ten grants needed a probe")


def test_a_session_given_up_in_silence_is_closed_in_order_on_the_next_connection(
        c_peer, zookeeper, new_wire, admin, path):
    """Its node must not stay for as long as the server would keep the session."""
    wire = new_wire(zookeeper)
    # Asked for long before it is there, so its lease is over before the ZooKeeper client gives the connection up.
    wire.on("connect").hold_reply(seconds=3.4)
    mutex = c_peer.client(wire.connect_string, session_timeout=8000).mutex(path)
    [session] = wire.sessions
    held = wire.on("getData").hold_reply()  # and all that is answered behind it
    mutex.acquire()
    held.wait()
    mutex.wait_for_loss()
    wait_until(lambda: [request for request in wire.requests if request.operation == "closeSession"],
               "the session closed in order")
    assert wire.sessions.count(session) == 1
    admin.wait_for_children(path, 0)
    mutex.release(expect="CURATOR_LOCK_LOST")
    mutex.acquire()
    mutex.release()


LONG_SESSION = {"session_timeout": 60000, "connection_timeout": 3000}  # the ZooKeeper client would wait for 40 s


def test_first_contact_a_request_for_a_session_that_is_not_answered_is_made_again(c_peer, zookeeper, new_wire, path):
    """A server that is just starting accepts connections that it never answers."""
    wire = new_wire(zookeeper)
    wire.on("connect").hold_reply()
    client = c_peer.client(wire.connect_string, await_ms=None, **LONG_SESSION)
    client.await_connected(19000)
    mutex = client.mutex(path)
    mutex.acquire()
    mutex.release()
    assert client.state() == "CONNECTED"


def test_first_contact_that_no_server_answers_is_said(late_ms, c_peer, zookeeper, new_wire):
    wire = new_wire(zookeeper)
    wire.on("connect", nth=None).hold_request()
    client = c_peer.client(wire.connect_string, await_ms=None, **LONG_SESSION)
    wait_until(lambda: [entry.operation for entry in wire.record].count("connect") > 1, "another session asked for", 20)
    assert client.await_connected(100, expect="CURATOR_TIMED_OUT").error.count("answer") == 1  # the reason, once
    assert client.close(expect=None).elapsed < 1000 + late_ms()


def test_first_contact_a_server_that_accepts_no_connection_among_good_ones_does_no_harm(c_peer, zookeeper, new_wire):
    good = ",".join(new_wire(zookeeper).connect_string for _ in range(3))
    with socket.socket() as silent, socket.socket() as queued, socket.socket() as also_queued:
        silent.bind(("127.0.0.1", 0))
        silent.listen(0)
        for waiting in (queued, also_queued):  # they fill its queue: what comes after them is dropped without a word
            waiting.setblocking(False)
            waiting.connect_ex(silent.getsockname())
        for _ in range(60):  # each begins with one server of the four
            client = c_peer.client(f"{good},127.0.0.1:{silent.getsockname()[1]}", await_ms=None, session_timeout=60000,
                                   connection_timeout=4500)  # 1.5 s for a try
            if client.await_connected(400, expect=None).status == "CURATOR_TIMED_OUT":
                if client.await_connected(19000).elapsed > 900:  # else a good one was slow
                    return
            client.close()
    raise AssertionError("no client tried the silent server first")


def test_first_contact_a_session_whose_handle_is_lent_is_not_given_up(c_peer, new_zookeeper, new_wire):
    wire = new_wire(new_zookeeper(tick_ms=2000))  # which keeps the session for 40 s
    slow = wire.on("connect").hold_reply(seconds=12)
    client = c_peer.client(wire.connect_string, await_ms=None, session_timeout=60000, connection_timeout=15000)  # 5 s
    slow.wait()
    client.borrow_handle()
    client.await_connected(19000)
    assert len(wire.sessions) == 1
    client.give_handle_back()


def test_a_list_that_is_not_answered_is_not_followed_by_a_sync_on_the_broken_connection(
        late_ms, c_peer, new_zookeeper, new_wire, path):
    """The list that the departure of the predecessor asked for: a grant behind our own session needs one."""
    timeout_ms = 10000 if SLOW == 1 else 20000
    once_ms = timeout_ms * 2 / 3 + 1000  # the ZooKeeper client gives the connection up, and no other is made in time
    wire = new_wire(new_zookeeper(tick_ms=2000))
    client = c_peer.client(wire.connect_string, session_timeout=timeout_ms, connection_timeout=1000, retry="n:0:0")
    held, wanted = client.mutex(path), client.mutex(path, thread="other")
    held.acquire()
    waiting = wanted.begin("acquire", thread="other")
    wire.wait_for(3, "getData")  # the holder's own node too
    listing = wire.on("getChildren2").hold_request(then=wire.mute)
    released = held.begin("release")
    waiting.wait("CURATOR_CONNECTION_LOSS", seconds=30)
    released.wait(None)
    assert listing.times == 1
    assert waiting.ended - released.began < once_ms + min(late_ms(4000), 0.5 * timeout_ms)  # not twice as long


def silence(server, client):
    """Long enough to be noticed, and short enough that the connection is not given up."""
    server.pause()
    try:
        client.wait_for_state("SUSPENDED")
    finally:
        server.resume()
    client.wait_for_state("RECONNECTED")


def test_a_silence_makes_no_waiter_list_again(c_peer, own_zookeeper, new_wire, path):
    """The connection lasts, so no event was missed; if all waiters listed again, they could cause the next silence."""
    waiters = 8
    holder = c_peer.client(own_zookeeper.connect_string, session_timeout=10000).mutex(path)
    holder.acquire()
    for _ in range(5):
        wire = new_wire(own_zookeeper)
        client = c_peer.client(wire.connect_string, session_timeout=10000)
        held = client.mutex(path + "-held")
        held.acquire()
        queue = [client.mutex(path) for _ in range(waiters)]
        waiting = [mutex.begin("acquire", thread=f"waiter{number}") for number, mutex in enumerate(queue)]
        wire.wait_for(1 + 3 * waiters - 1, "getData")  # the held node; of each its own, the one before, and before that
        listed = wire.count()["getChildren2"]
        silence(own_zookeeper, client)
        held.release(expect=None)  # answered behind all that the waiters have asked for
        same_connection = len({request.connection for request in wire.requests}) == 1
        if same_connection:
            assert wire.count()["getChildren2"] == listed, str(wire)
        for mutex in queue:
            mutex.interrupt()
        for call in waiting:
            call.wait("CURATOR_INTERRUPTED")
        if same_connection:
            break
    else:
        pytest.fail("the silences of five tries were all too long: the connection broke")
    holder.release()
