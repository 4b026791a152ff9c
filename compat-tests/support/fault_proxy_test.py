# SPDX-License-Identifier: Apache-2.0
"""The forwarder of these tests itself: each fault, seen by a client that knows nothing of it."""
import threading
import time

import pytest

from support.waiting import bound, wait_until

LATE_MS = 5000  # a call that no fault holds up takes less
HOLD_MS = 300


@pytest.fixture
def wire(zookeeper, new_wire):
    return new_wire(zookeeper)


@pytest.fixture(params=["c", "java"])
def mutex(request, peer_of, wire, admin, path):
    admin.create(path)
    return peer_of(request.param).client(wire.connect_string, session_timeout=4000, retry="n:5:50").mutex(path)


def operations(wire):
    return [request.operation for request in wire.requests]


def test_without_rules_it_notes_what_is_asked_and_answered(mutex, wire, admin, path):
    wire.clear()
    mutex.acquire()
    [name] = admin.children(path)
    created = next(request for request in wire.requests if request.operation == "create2")
    assert created.created == f"{path}/{name}" and created.error == 0 and created.replied >= created.time
    assert created.zxid == admin.zk.exists(created.created).czxid
    mutex.release()
    deleted = [request for request in wire.requests if request.operation == "delete"][-1]
    assert (deleted.operation, deleted.path, deleted.error) == ("delete", created.created, 0)
    assert deleted.zxid > created.zxid
    assert len(wire.sessions) == 0  # the record was cleared after the session had begun
    assert str(deleted) in str(wire)


def test_a_lost_request_never_arrives_and_a_lost_reply_is_to_something_done(mutex, wire, admin, path):
    for lose, arrived in (("lose_request", False), ("lose_reply", True)):
        rule = getattr(wire.on("create2"), lose)()
        wire.clear()
        mutex.acquire()
        assert rule.fired.is_set()
        assert (rule.request.replied is not None) == arrived
        assert operations(wire).count("create2") == (1 if arrived else 2)
        assert len(wire.sessions) == 1  # it came back with the same session
        assert len(admin.children(path)) == 1
        mutex.release()
    assert wire.answers_lost == 1


def test_what_is_held_comes_late_and_nothing_behind_it_overtakes(mutex, wire):
    for hold in ("hold_request", "hold_reply"):
        wire.clear()
        getattr(wire.on("create2"), hold)(HOLD_MS / 1000)
        call = mutex.acquire()
        assert HOLD_MS - 5 <= call.elapsed < LATE_MS
        mutex.release()
        assert operations(wire).count("create2") == operations(wire).count("delete") == 1


def test_what_is_held_until_told_goes_on_then(mutex, wire):
    arrived = threading.Event()
    rule = wire.on("delete").hold_request(then=arrived.set)
    mutex.acquire()
    release = mutex.begin("release")
    assert arrived.wait(bound(20))
    assert not release.done
    rule.go_on()
    release.wait()


def test_a_rule_is_for_the_nth_request_of_its_path(mutex, wire, path):
    other = mutex.client.mutex(path + "-other")
    rule = wire.on("create2", path=lambda asked: asked.startswith(path + "/"), nth=2).lose_request()
    other.acquire()
    other.release()
    mutex.acquire()
    mutex.release()
    assert not rule.fired.is_set()
    mutex.acquire()
    assert rule.fired.is_set()
    mutex.release()


def test_refused_connections_are_accepted_again_after_the_time(mutex, wire):
    wire.on("create2").lose_request(then=lambda: wire.cut_for(HOLD_MS / 1000))
    call = mutex.acquire()
    assert call.elapsed >= HOLD_MS - 5
    mutex.release()


def test_a_stalled_link_passes_nothing_until_it_goes_on(mutex, wire, admin, path):
    wire.mute()
    began = time.monotonic()
    acquiring = mutex.begin("acquire")
    wait_until(lambda: time.monotonic() - began > HOLD_MS / 1000, "some time")
    assert not acquiring.done and admin.children(path) == []
    wire.unmute()
    acquiring.wait()
    mutex.release()


def test_the_request_for_a_session_is_a_request_too(peer_of, zookeeper, wire, admin, path):
    for language in ("c", "java"):
        wire.clear()
        wire.on("connect").lose_reply()
        peer_of(language).client(wire.connect_string, session_timeout=4000)
        assert len(wire.sessions) == 2, wire  # the client does not know of the first


def test_it_follows_a_client_from_one_server_to_another(peer_of, ensemble, new_wire, path):
    for language in ("c", "java"):
        wire = new_wire(*ensemble.servers)
        mutex = peer_of(language).client(wire.connect_string, session_timeout=10000, retry="n:20:100").mutex(path)
        connected = {front.target_port for front in wire.fronts if front.links}
        assert len(connected) == 1
        [front] = [front for front in wire.fronts if front.links]
        wire.on("create2").lose_request(then=front.cut)
        mutex.acquire(seconds=40)
        assert len(wire.sessions) == 1
        mutex.release()


def test_an_old_answer_is_told_again_until_that_ends(wire, new_admin, admin, path):
    looker = new_admin(wire.connect_string).zk
    admin.create(path)
    old = wire.on("getChildren", path=path).pass_reply()
    assert looker.get_children(path) == []
    admin.create(f"{path}/new")
    stale = wire.tell_again(old)
    assert [looker.get_children(path) for _ in range(2)] == [[], []]
    assert stale.times == 2
    assert looker.get_children(path, include_data=True)[0] == ["new"]  # another operation, whose answers look otherwise
    assert "zookeeper" in looker.get_children("/")  # another path
    stale.stop()
    assert looker.get_children(path) == ["new"]


def test_what_is_held_when_its_connection_ends_never_arrives(mutex, wire, admin, path):
    arrived = wire.on("create2").hold_request()
    acquiring = mutex.begin("acquire")
    arrived.wait()
    wire.cut()
    arrived.go_on()
    assert admin.children(path) == []
    wire.mend()
    acquiring.wait()
    assert operations(wire).count("create2") == 2 and len(admin.children(path)) == 1
    mutex.release()
