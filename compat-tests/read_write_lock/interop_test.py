# SPDX-License-Identifier: Apache-2.0
"""C and Java read together and write alone on one path."""
import random
import time

import pytest

from support.turns import Turn, check, holds_of, most_readers_at_once, readers_of_both_languages_met

TRIES = 5  # who meets whom is up to the machine
BOTH_WAYS = pytest.mark.parametrize("first, second", [("c", "java"), ("java", "c")])


def test_readers_of_both_languages_hold_at_the_same_time(read_write_lock_of, admin, path):
    locks = [read_write_lock_of(language) for language in ("c", "java", "c", "java")]
    for lock in locks:
        lock.read.acquire_for(5000)
    assert len(admin.children(path)) == 4
    for lock in locks:
        assert lock.read.is_owned()
        lock.read.release()
    assert admin.children(path) == []


@BOTH_WAYS
def test_a_writer_keeps_readers_and_writers_of_the_other_language_out(read_write_lock_of, admin, path, first, second):
    writer, other = read_write_lock_of(first), read_write_lock_of(second)
    writer.write.acquire()
    for side in (other.read, other.write):
        side.acquire_for(0, expect="CURATOR_TIMED_OUT")
        side.acquire_for(200, expect="CURATOR_TIMED_OUT")
    admin.wait_for_children(path, 1)
    reading = [other.read.begin("acquire", thread=f"t{number}") for number in range(3)]
    admin.wait_for_children(path, 4)
    release = writer.write.release()
    for call in reading:
        call.wait()
        assert call.ended >= release.began
    writer.write.acquire_for(0, expect="CURATOR_TIMED_OUT")
    for number in range(3):
        other.read.release(thread=f"t{number}")
    writer.write.acquire_for(5000)


@BOTH_WAYS
def test_a_writer_waits_for_every_reader_of_the_other_language(read_write_lock_of, admin, path, first, second):
    readers, writer = read_write_lock_of(first), read_write_lock_of(second)
    for number in range(3):
        readers.read.acquire(thread=f"t{number}")
    waiting = writer.write.begin("acquire")
    admin.wait_for_children(path, 4)
    late = readers.read.begin("acquire", thread="late")
    admin.wait_for_children(path, 5)
    for number in (1, 2, 0):
        assert not waiting.done
        release = readers.read.release(thread=f"t{number}")
    waiting.wait()
    assert waiting.ended >= release.began
    assert not late.done
    writer.write.release()
    late.wait()


def test_400_turns_of_four_c_and_four_java_contenders_keep_order_and_exclusion(peer_of, zookeeper, admin, path):
    admin.create(path)  # so that the server does not remove it in between, and the sequence goes on
    chance = random.Random(400)
    contenders = []
    for language in ("c", "java"):
        for _ in range(2):  # two threads on one object are two contenders
            lock = peer_of(language).client(zookeeper.connect_string).read_write_lock(path)
            contenders += [(lock, f"{lock.name}-{number}") for number in range(2)]
    for _ in range(TRIES):
        turns = [Turn(lock, thread, writes=chance.random() < 0.3) for _ in range(50) for lock, thread in contenders]
        holds = holds_of(turns)
        assert len(holds) == 400
        check(holds)
        for language in ("c", "java"):
            assert {hold.writes for hold in holds if hold.language == language} == {True, False}
        assert most_readers_at_once(holds) > 1
        assert admin.children(path) == []
        if readers_of_both_languages_met(holds):
            return
    raise AssertionError(f"in {TRIES} times 400 turns no readers of both languages met")


def test_turns_with_little_patience_and_c_downgrades_keep_order_and_exclusion(peer_of, zookeeper, admin, path):
    admin.create(path)
    chance = random.Random(401)
    locks = [peer_of(language).client(zookeeper.connect_string).read_write_lock(path)
             for language in ("c", "java") for _ in range(4)]
    turns = []
    for _ in range(40):
        for lock in locks:
            writes = chance.random() < 0.4
            downgrades = writes and lock.peer.language == "c" and chance.random() < 0.5
            patience = chance.choice([None, None, 0, 5, 30])
            turns.append(Turn(lock, lock.name, writes, patience, downgrades))
    holds = holds_of(turns)
    check(holds)
    assert len(holds) > 100
    assert admin.wait_for_children(path, 0) == []


def test_turns_go_on_in_order_while_the_lines_of_c_break_again_and_again(c_peer, java_peer, zookeeper, new_proxy, admin,
                                                                         path):
    admin.create(path)
    chance = random.Random(402)
    proxies = [new_proxy(zookeeper) for _ in range(4)]
    locks = [c_peer.client(proxy.connect_string, retry="n:50:20").read_write_lock(path) for proxy in proxies]
    locks += [java_peer.client(zookeeper.connect_string).read_write_lock(path) for _ in range(2)]
    turns = []
    for _ in range(40):
        for lock in locks:
            writes = chance.random() < 0.4
            turns.append(Turn(lock, lock.name, writes, downgrades=writes and lock.peer.language == "c"))
    while not all(turn.calls[-1].done for turn in turns):
        chance.choice(proxies).blip()
        time.sleep(0.05)  # as often as that
    holds = holds_of(turns)
    check(holds)
    for lock in locks:
        assert lock.read.losses() == lock.write.losses() == []
    assert admin.wait_for_children(path, 0) == []


@BOTH_WAYS
@pytest.mark.parametrize("victim_side, waiting_side", [("read", "write"), ("write", "read"), ("write", "write")])
def test_a_killed_holder_frees_the_other_language_after_its_session_timeout(
        new_peer, peer_of, read_write_lock_of, zookeeper, admin, path, first, second, victim_side, waiting_side):
    victim = new_peer(first)
    held = victim.client(zookeeper.connect_string, session_timeout=1500).read_write_lock(path)
    lock = read_write_lock_of(second)
    getattr(held, victim_side).acquire()
    waiting = getattr(lock, waiting_side).begin("acquire")
    admin.wait_for_children(path, 2)
    victim.kill()
    assert not waiting.done
    waiting.wait()
    assert len(admin.children(path)) == 1


@BOTH_WAYS
def test_a_killed_waiting_writer_lets_the_readers_behind_it_in(new_peer, read_write_lock_of, zookeeper, admin, path,
                                                               first, second):
    victim = new_peer(first)
    reader = read_write_lock_of(second)
    reader.read.acquire()
    victim.client(zookeeper.connect_string, session_timeout=1500).read_write_lock(path).write.begin("acquire")
    admin.wait_for_children(path, 2)
    behind = [reader.read.begin("acquire", thread="behind"), read_write_lock_of(first).read.begin("acquire")]
    admin.wait_for_children(path, 4)
    victim.kill()
    assert not any(call.done for call in behind)
    for call in behind:
        call.wait()
    assert reader.read.is_owned()
