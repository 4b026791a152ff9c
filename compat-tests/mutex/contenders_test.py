# SPDX-License-Identifier: Apache-2.0
"""The list of contenders with what their nodes say: C, Java and strangers in one queue."""
import time

import pytest
from kazoo.security import ACL, Id

from support.waiting import wait_until


def queue_of(mutex) -> list:
    return [(contender.kind, contender.holds, contender.data) for contender in mutex.contenders()]


def test_c_and_java_contenders_are_listed_in_the_order_of_the_queue(peer_of, zookeeper, admin, path):
    java = peer_of("java").client(zookeeper.connect_string).mutex(path, data="java host")
    ours = peer_of("c").client(zookeeper.connect_string).mutex(path, data="host/1/c")
    third = peer_of("java").client(zookeeper.connect_string).mutex(path, data="")
    java.acquire()
    waiting = []
    for count, mutex in enumerate([ours, third], start=2):
        waiting.append(mutex.begin("acquire"))
        admin.wait_for_children(path, count)
    contenders = ours.contenders(thread="another")
    assert [(one.kind, one.holds, one.data) for one in contenders] == [
        ("mutex", True, "java host"), ("mutex", False, "host/1/c"), ("mutex", False, "")]
    assert [one.path for one in contenders] == ours.participants(thread="another")
    for one in contenders:
        stat = admin.zk.exists(one.path)
        assert (one.session, one.created_ms, one.token) == (stat.ephemeralOwner, stat.ctime, stat.czxid)
        assert one.readable and one.data_size == one.data_length == len(one.data)
    java.release()
    waiting[0].wait()
    assert ours.token() == contenders[1].token
    assert queue_of(ours)[0] == ("mutex", True, "host/1/c")
    ours.release()
    waiting[1].wait()
    third.release()


def test_a_path_that_does_not_exist_has_no_contenders(mutex_of):
    assert mutex_of("c").contenders() == []


@pytest.mark.parametrize("other", ["c", "java"])
def test_each_side_of_a_read_write_lock_lists_both_kinds(read_write_lock_of, admin, path, other):
    readers = [read_write_lock_of("c", data="first"), read_write_lock_of(other, data="second")]
    writer, late = read_write_lock_of(other, data="writer"), read_write_lock_of("c", data="late")
    for reader in readers:
        reader.read.acquire()
    waiting = writer.write.begin("acquire")
    admin.wait_for_children(path, 3)
    waiting_too = late.read.begin("acquire")
    admin.wait_for_children(path, 4)
    expected = [("read", True, "first"), ("read", True, "second"), ("write", False, "writer"), ("read", False, "late")]
    assert [(one.kind, one.holds, one.data) for one in readers[0].read.contenders()] == expected
    assert [(one.kind, one.holds, one.data) for one in readers[0].write.contenders()] == expected
    for reader in readers:
        reader.read.release()
    waiting.wait()
    writer.write.release()
    waiting_too.wait()
    late.read.release()


def test_a_reader_under_its_own_write_lock_holds_with_it_and_has_its_token(read_write_lock_of):
    lock = read_write_lock_of("c")
    lock.write.acquire()
    lock.read.acquire()
    [writer, reader] = lock.read.contenders()
    assert (writer.kind, writer.holds, reader.kind, reader.holds) == ("write", True, "read", True)
    assert writer.token == reader.token == lock.read.token()
    lock.read.release()
    lock.write.release()


def test_strangers_are_listed_as_the_lock_counts_them(mutex_of, admin, path):
    """Nodes of nobody's session, of a name that is none of ours, too large, not to be read."""
    admin.create(f"{path}/0-by-hand", b"x" * 5000)
    mutex = mutex_of("c")
    mutex.acquire_for(50, expect="CURATOR_TIMED_OUT")
    secret = admin.create(f"{path}/1-secret", b"hidden", acl=[ACL(0b11110, Id("world", "anyone"))])
    by_hand, hidden = mutex.contenders()
    assert (by_hand.holds, by_hand.session, by_hand.data_size, by_hand.data_length) == (True, 0, 4096, 5000)
    assert by_hand.data == "x" * 4096
    assert (hidden.path, hidden.holds, hidden.readable, hidden.data) == (secret, False, False, "")
    assert (hidden.token, hidden.data_length) == (admin.zk.exists(secret).czxid, len("hidden"))
    admin.zk.delete(secret)  # its children may not be listed
    admin.delete(by_hand.path)


def test_a_node_that_vanishes_between_list_and_reads_is_left_out(wired, mutex_of, admin, path):
    lister, wire = wired()
    holder, waiter = mutex_of("java"), mutex_of("c")
    holder.acquire()
    waiting = waiter.begin("acquire")
    first, second = sorted(admin.wait_for_children(path, 2), key=lambda name: name[-10:])
    rule = wire.on("getChildren2").pass_reply(then=lambda: admin.delete(f"{path}/{first}"))
    [left] = lister.contenders()
    rule.wait()
    assert (left.path, left.holds) == (f"{path}/{second}", True)
    waiting.wait()
    waiter.release()
    holder.release(expect=None)


@pytest.mark.parametrize("operation", ["getChildren2", "getData"])
def test_a_lost_answer_is_asked_for_again(wired, mutex_of, operation):
    holder = mutex_of("c")
    holder.acquire()
    lister, wire = wired(retry="n:5:20")
    rule = wire.on(operation).lose_reply()
    [one] = lister.contenders()
    rule.wait()
    assert one.path == holder.lock_path()
    holder.release()


@pytest.mark.parametrize("operation", ["getChildren2", "getData"])
def test_a_list_whose_answer_does_not_come_can_be_interrupted(wired, mutex_of, operation):
    holder = mutex_of("c")
    holder.acquire()
    lister, wire = wired()
    rule = wire.on(operation).hold_reply()
    call = lister.begin("contenders")
    rule.wait()
    lister.interrupt()
    call.wait("CURATOR_INTERRUPTED")
    rule.go_on()
    assert len(lister.contenders()) == 1
    holder.release()


@pytest.mark.parametrize("count, size, answered, on_their_way", [
    pytest.param(100, 4, 0, 8, id="size unknown"),
    pytest.param(400, 4, 149, 128, id="small"),
    pytest.param(40, 100_000, 20, 10, id="a megabyte"),
])
def test_a_limited_number_of_reads_is_on_their_way(wired, admin, path, count, size, answered, on_their_way):
    admin.zk.ensure_path(path)
    for number in range(count):
        admin.zk.create(f"{path}/lock-{number:010d}", b"d" * size)
    lister, wire = wired()
    rule = wire.on("getData", nth=answered + 1).hold_reply()
    call = lister.begin("contenders")
    rule.wait()
    wait_until(lambda: wire.count()["getData"] == answered + on_their_way, "as many reads as allowed")
    behind = lister.begin("participants", thread="other")  # its request goes out behind all that were sent
    wait_until(lambda: wire.count()["getChildren2"] == 2, "the other list on its way")
    assert wire.count()["getData"] == answered + on_their_way
    rule.go_on()
    call.wait()
    behind.wait()
    assert wire.count()["getData"] == count


def test_a_long_queue_is_listed_beside_a_lock_of_the_same_session(c_peer, zookeeper, admin, path):
    count, held_ms = 3000, 4000
    client = c_peer.client(zookeeper.connect_string, session_timeout=held_ms)
    mutex, other = client.mutex(path), client.mutex(path + "-other")
    admin.zk.ensure_path(path)
    for begin in range(0, count, 500):
        transaction = admin.zk.transaction()
        for number in range(begin, begin + 500):
            transaction.create(f"{path}/lock-{number:010d}", b"d" * 100)
        assert all(isinstance(created, str) for created in transaction.commit())
    other.acquire()
    began = time.monotonic()
    rounds = 0
    while rounds == 0 or time.monotonic() - began < held_ms / 1000:  # longer than the lease of the lock
        contenders = mutex.contenders()
        rounds += 1
        assert [one.path[-10:] for one in contenders] == [f"{number:010d}" for number in range(count)]
        assert [one.holds for one in contenders].index(False) == 1
    assert other.is_owned() and other.losses() == []
    other.release()
