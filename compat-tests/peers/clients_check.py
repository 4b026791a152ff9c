# SPDX-License-Identifier: Apache-2.0
"""Another client's lock beside ours, and beside Curator's as the control. Run by the matrix, which names the client."""
import json
import os
import time

import pytest

from support.admin import new_path
from support.peers import Peer
from support.waiting import bound

PATHS = 16  # the names of nodes are random, so one path says little
WRONG_GRANT_SECONDS = 1.0  # a contender that does not see the holder is granted in much less
ROUNDS = 15


class ForeignPeer(Peer):
    language = "foreign"

    def command(self):
        return json.loads(os.environ["CURATOR_FOREIGN_PEER"])

    def environment(self):
        return {**os.environ, "PYTHONPATH": os.environ.get("CURATOR_FOREIGN_PYTHONPATH", "")}


@pytest.fixture
def new_foreign():
    peers = []

    def start():
        peers.append(ForeignPeer())
        return peers[-1]

    yield start
    for peer in peers:
        peer.kill()
        peer.finish()


@pytest.fixture
def client_of(new_peer, java_peer, new_foreign, zookeeper):
    """client_of("c"), client_of("java"), client_of("foreign"): connected, in a process of its own but for Java."""

    def start(language, **options):
        peer = java_peer if language == "java" else new_foreign() if language == "foreign" else new_peer(language)
        return peer.client(zookeeper.connect_string, **options)

    return start


PAIRS = pytest.mark.parametrize("holder, waiter", [("c", "foreign"), ("foreign", "c"), ("java", "foreign"),
                                                   ("foreign", "java")])


def sides(client, path, writer=None):
    """A mutex, or a side of a read-write lock."""
    if writer is None:
        return client.mutex(path)
    lock = client.read_write_lock(path)
    return lock.write if writer else lock.read


def count_double_holds(admin, holding, waiting, holder_writes=None, waiter_writes=None) -> int:
    """On so many paths: one holds, the other waits; how many were granted although the first still held."""
    paths = [f"{new_path()}-{number}" for number in range(PATHS)]
    held = [sides(holding, path, holder_writes) for path in paths]
    wanted = [sides(waiting, path, waiter_writes) for path in paths]
    for lock in held:
        lock.acquire()
    calls = [lock.begin("acquire") for lock in wanted]
    for path in paths:
        admin.wait_for_children(path, 2)
    time.sleep(bound(WRONG_GRANT_SECONDS))
    double = sum(call.done for call in calls)
    for lock in held:
        lock.release()
    for lock, call in zip(wanted, calls):
        call.wait()
        lock.release()
    for path in paths:
        admin.wait_for_children(path, 0)
    return double


@PAIRS
def test_neither_gets_a_lock_that_the_other_holds(client_of, admin, record_testsuite_property, holder, waiter):
    double = count_double_holds(admin, client_of(holder), client_of(waiter))
    record_testsuite_property(f"{holder} {waiter}", str(double))
    assert double == 0, f"{double} of {PATHS} locks held twice"


def test_contenders_of_all_kinds_take_turns(client_of, admin, path):
    admin.create(path)
    contenders = [client_of(language).mutex(path) for language in ("c", "foreign", "java") * 2]
    turns = [[lock.begin(verb) for verb in ("acquire", "release")] for _ in range(ROUNDS) for lock in contenders]
    for calls in turns:
        for call in calls:
            call.wait(seconds=60)
    turns.sort(key=lambda calls: calls[0].ended)
    for (_, released), (acquired, _) in zip(turns, turns[1:]):
        assert released.began <= acquired.ended, (released, acquired)
    assert len(turns) == ROUNDS * len(contenders)
    assert admin.wait_for_children(path, 0) == []


@pytest.mark.parametrize("holder, waiter", [("c", "foreign"), ("foreign", "c")])
def test_a_killed_holder_frees_the_other(client_of, admin, path, holder, waiter):
    victim, other = client_of(holder, session_timeout=2000), client_of(waiter)
    held, wanted = victim.mutex(path), other.mutex(path)
    held.acquire()
    waiting = wanted.begin("acquire")
    admin.wait_for_children(path, 2)
    victim.peer.kill()
    waiting.wait()
    wanted.release()


@pytest.mark.parametrize("language", ["c", "java"])
def test_its_nodes_are_participants_in_their_order(client_of, admin, path, language):
    own, foreign = client_of(language).mutex(path), client_of("foreign")
    calls = []
    for number, lock in enumerate([foreign.mutex(path), own, foreign.mutex(path)], start=1):
        calls.append((lock, lock.begin("acquire")))
        admin.wait_for_children(path, number)
    assert own.participants(thread="looker") == [f"{path}/{name}" for name in admin.children(path)]
    for lock, call in calls:
        call.wait()
        lock.release()


def test_its_timed_wait_ends_and_leaves_no_node(client_of, admin, path):
    held, wanted = client_of("c").mutex(path), client_of("foreign").mutex(path)
    held.acquire()
    wanted.acquire_for(400, expect="CURATOR_TIMED_OUT")
    admin.wait_for_children(path, 1)
    held.release()
    wanted.acquire_for(5000)
    wanted.release()


@PAIRS
@pytest.mark.parametrize("holder_writes, waiter_writes", [(True, True), (True, False), (False, True)])
def test_readers_and_writers_keep_each_other_out(client_of, admin, holder, waiter, holder_writes, waiter_writes):
    assert count_double_holds(admin, client_of(holder), client_of(waiter), holder_writes, waiter_writes) == 0


def test_readers_hold_together(client_of, path):
    locks = [client_of(language).read_write_lock(path) for language in ("c", "foreign", "java")]
    for lock in locks:
        lock.read.acquire()
    for lock in locks:
        lock.read.release()


def test_a_child_that_it_cannot_parse_makes_it_fail(client_of, admin, path):
    """What docs/compatibility.md warns of in go-zookeeper: others wait for the node that it leaves."""
    admin.create(f"{path}/notes")
    foreign, own = client_of("foreign"), client_of("c").mutex(path)
    assert foreign.mutex(path).begin("acquire").wait(expect=None).status == "CURATOR_ERROR"
    assert len(admin.children(path)) == 2
    own.acquire_for(300, expect="CURATOR_TIMED_OUT")
    foreign.close()
    own.acquire()
    own.release()
