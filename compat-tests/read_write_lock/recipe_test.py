# SPDX-License-Identifier: Apache-2.0
"""What Curator's own tests ask of the recipe (TestInterProcessReadWriteLock), one by one."""
import random

from support.admin import end_session
from support.turns import Turn, check, holds_of, most_readers_at_once


def test_each_side_lists_its_own_participants(read_write_lock_of, admin, path):  # testGetParticipantNodes
    lock = read_write_lock_of("c")
    for call in [lock.read.begin("acquire", thread=f"reader-{number}") for number in range(20)]:
        call.wait()
    writing = [lock.write.begin("acquire", thread=f"writer-{number}") for number in range(8)]
    names = admin.wait_for_children(path, 28)
    assert lock.read.participants() == [f"{path}/{name}" for name in names[:20]]
    assert lock.write.participants() == [f"{path}/{name}" for name in names[20:]]
    assert not any(call.done for call in writing)
    ending = [lock.write.begin("release", thread=f"writer-{number}") for number in range(8)]
    ending += [lock.read.begin("release", thread=f"reader-{number}") for number in range(20)]
    for call in writing + ending:
        call.wait()
    assert lock.read.participants() == lock.write.participants() == []


def test_a_reader_does_not_become_a_writer(read_write_lock_of, admin, path):  # testThatUpgradingIsDisallowed
    lock = read_write_lock_of("c")
    lock.read.acquire()
    lock.write.acquire_for(500, expect="CURATOR_TIMED_OUT")
    lock.read.release()
    assert admin.wait_for_children(path, 0) == []


def test_only_the_writing_thread_may_read(read_write_lock_of):  # testThatDowngradingRespectsThreads
    lock = read_write_lock_of("c")
    lock.write.acquire(thread="one")
    lock.read.acquire_for(500, thread="two", expect="CURATOR_TIMED_OUT")
    lock.write.release(thread="one")
    lock.read.acquire_for(500, thread="two")


def test_a_writer_becomes_a_reader(read_write_lock_of, admin, path):  # testDowngrading
    lock = read_write_lock_of("c")
    lock.write.acquire()
    lock.read.acquire_for(5000)
    lock.write.release()
    assert lock.read.is_owned() and not lock.write.is_owned()
    lock.read.release()
    assert admin.children(path) == []


def test_a_writer_that_becomes_a_reader_keeps_others_from_writing(read_write_lock_of, admin,
                                                                  path):  # testContendingDowngrading
    lock = read_write_lock_of("c")
    other = lock.client.read_write_lock(path)
    lock.write.acquire()
    waiting = other.write.begin("acquire")
    admin.wait_for_children(path, 2)
    lock.read.acquire_for(5000)
    lock.write.release()
    assert lock.read.is_owned()
    release = lock.read.release()
    waiting.wait()
    assert waiting.ended >= release.began


def test_eight_clients_write_alone_and_read_together(c_peer, zookeeper, admin, path):  # testBasic
    admin.create(path)
    chance = random.Random(1)
    locks = [c_peer.client(zookeeper.connect_string).read_write_lock(path) for _ in range(8)]
    turns = [Turn(lock, lock.name, writes=chance.random() < 0.1) for _ in range(100) for lock in locks]
    holds = holds_of(turns)
    assert len(holds) == 800
    assert any(hold.writes for hold in holds)
    assert most_readers_at_once(holds) > 1
    check(holds)
    assert admin.children(path) == []


def test_the_nodes_have_the_data_given_at_creation(read_write_lock_of, admin, path):  # testSetNodeData
    lock = read_write_lock_of("c", data=bytes([1, 2, 3, 4]))  # the peer overwrites its own copy at once
    for side in (lock.write, lock.read):
        side.acquire()
        [name] = admin.children(path)
        assert admin.data(f"{path}/{name}") == bytes([1, 2, 3, 4])
        side.release()


def test_the_lock_path_is_still_told_when_the_session_has_ended(c_peer, read_write_lock_of, zookeeper, new_proxy,
                                                                admin, path):  # testLockPath
    proxy = new_proxy(zookeeper)
    lock = c_peer.client(proxy.connect_string).read_write_lock(path)
    other = read_write_lock_of("c")
    lock.write.acquire()
    session = lock.client.session()
    proxy.cut()
    end_session(zookeeper.connect_string, session)
    other.read.acquire()
    proxy.mend()
    lock.write.wait_for_loss()
    assert not admin.exists(lock.write.lock_path())
    other.read.release()
    lock.write.release(expect="CURATOR_LOCK_LOST")
