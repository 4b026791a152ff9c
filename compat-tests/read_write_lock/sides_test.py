# SPDX-License-Identifier: Apache-2.0
"""The nodes of both sides, and that each side is a mutex with all its calls."""
import re

import pytest

from support.waiting import wait_until

LANGUAGES = pytest.mark.parametrize("language", ["c", "java"])
BOTH_WAYS = pytest.mark.parametrize("first, second", [("c", "java"), ("java", "c")])
SIDES = pytest.mark.parametrize("side", ["read", "write"])
NODE_NAME = re.compile(r"_c_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-"
                       r"(__READ__|__WRIT__)\d{10}")
MARKER = {"read": "__READ__", "write": "__WRIT__"}


@LANGUAGES
def test_the_nodes_of_both_sides_share_one_sequence(read_write_lock_of, admin, path, language):
    lock = read_write_lock_of(language)
    for number, side in enumerate(("read", "write", "write", "read")):
        mutex = getattr(lock, side)
        mutex.acquire()
        [name] = admin.children(path)
        assert NODE_NAME.fullmatch(name)[1] == MARKER[side]
        assert name.endswith(f"{number:010d}")
        assert mutex.lock_path() == f"{path}/{name}"
        assert admin.owner(f"{path}/{name}") == lock.client.session()[0]
        assert mutex.token() == admin.zk.exists(f"{path}/{name}").czxid
        mutex.release()


@BOTH_WAYS
@SIDES
@pytest.mark.parametrize("data", [b"", b"order 17", bytes(range(256))], ids=["empty", "text", "every byte"])
def test_the_other_language_reads_the_data_of_either_side(read_write_lock_of, path, first, second, side, data):
    lock, other = read_write_lock_of(first, data=data), read_write_lock_of("java")
    mutex = getattr(lock, side)
    mutex.acquire()
    assert other.client.read(mutex.lock_path())[0] == data
    if side == "write":  # a downgraded reader's too
        lock.read.acquire()
        assert other.client.read(lock.read.lock_path())[0] == data
        lock.read.release()
    mutex.release()


@BOTH_WAYS
def test_both_list_the_participants_of_each_side_alike(read_write_lock_of, admin, path, first, second):
    one, two = read_write_lock_of(first), read_write_lock_of(second)
    calls = []
    for count, (lock, side) in enumerate([(one, "write"), (two, "read"), (two, "write"), (one, "read"), (two, "read"),
                                          (one, "write")], start=1):
        calls.append((getattr(lock, side).begin("acquire", thread=f"t{count}"), getattr(lock, side), f"t{count}"))
        admin.wait_for_children(path, count)
    admin.create(f"{path}/somebody-else")
    names = [f"{path}/{name}" for name in admin.children(path)]
    for lock in (one, two):
        assert lock.read.participants(thread="looker") == [name for name in names if "__READ__" in name]
        assert lock.write.participants(thread="looker") == [name for name in names if "__WRIT__" in name]
    for call, side, thread in calls:
        call.wait()
        side.release(thread=thread)


WRITER = "_c_11111111-1111-4111-8111-111111111111-__WRIT__"
READER = "_c_11111111-1111-4111-8111-111111111111-__READ__"


@LANGUAGES
@pytest.mark.parametrize("name, readers_wait, writers_wait", [
    (WRITER, True, True), (WRITER + "-000000001", True, True), ("__WRIT__-1", True, True), ("x__WRIT__", True, True),
    (WRITER + "9999999999", False, False), ("__WRIT__abc", False, False), (READER + "__WRIT__", True, True),
    (READER, False, True), (READER + "-000000001", False, True), ("x__READ__", False, True),
    (READER + "9999999999", False, False),
    ("-5", False, True), ("_c_11111111-1111-4111-8111-111111111111-lock-0000000000", False, False),
    ("config", False, False), ("__writ__", False, False), ("x", False, False),
], ids=lambda value: value[-30:] if isinstance(value, str) else ("waits" if value else "goes"))
def test_foreign_children_stop_both_languages_or_neither(read_write_lock_of, admin, path, language, name, readers_wait,
                                                         writers_wait):
    admin.create(f"{path}/{name}")
    lock = read_write_lock_of(language)
    for side, waits in ((lock.read, readers_wait), (lock.write, writers_wait)):
        if waits:
            side.acquire_for(100, expect="CURATOR_TIMED_OUT")
        else:
            side.acquire_for(5000)
            side.release()
        assert admin.wait_for_children(path, 1) == [name]


@SIDES
def test_a_side_is_acquired_again_without_a_node_and_released_as_often(read_write_lock_of, admin, path, side):
    lock = read_write_lock_of("c")
    mutex = getattr(lock, side)
    mutex.acquire()
    node, token, lock_path = admin.children(path), mutex.token(), mutex.lock_path()
    mutex.acquire()
    mutex.acquire_for(0)
    for _ in range(2):
        mutex.release()
        assert admin.children(path) == node
        assert mutex.is_owned() and mutex.is_acquired()
        assert (mutex.token(), mutex.lock_path()) == (token, lock_path)
    mutex.release()
    assert admin.children(path) == []
    assert not mutex.is_owned() and not mutex.is_acquired()
    assert path in mutex.release(expect="CURATOR_NOT_OWNER").error


@SIDES
def test_a_thread_owns_nothing_of_what_another_acquired(read_write_lock_of, side):
    mutex = getattr(read_write_lock_of("c"), side)
    mutex.acquire(thread="owner")
    assert mutex.is_acquired(thread="other") and not mutex.is_owned(thread="other")
    for verb in ("release", "lock_path", "token"):
        mutex.call(verb, thread="other", expect="CURATOR_NOT_OWNER")
    mutex.release(thread="owner")


def test_the_sides_do_not_own_for_each_other(read_write_lock_of):
    lock = read_write_lock_of("c")
    lock.write.acquire()
    assert not lock.read.is_owned() and not lock.read.is_acquired()
    for verb in ("release", "lock_path", "token"):
        lock.read.call(verb, expect="CURATOR_NOT_OWNER")
    lock.write.release()
    lock.read.acquire()
    lock.write.release(expect="CURATOR_NOT_OWNER")
    lock.read.release()


@SIDES
def test_a_timed_wait_and_a_try_end_on_time(late_ms, read_write_lock_of, admin, path, side):
    held, lock = read_write_lock_of("c"), read_write_lock_of("c")
    held.write.acquire()
    mutex = getattr(lock, side)
    for timeout_ms in (0, 1, 300):
        call = mutex.acquire_for(timeout_ms, expect="CURATOR_TIMED_OUT")
        assert timeout_ms <= call.elapsed < timeout_ms + late_ms()
        assert path in call.error
        admin.wait_for_children(path, 1)
    held.write.release()
    mutex.acquire_for(0)
    mutex.release()


def test_an_interrupt_ends_the_waits_of_one_side_only(read_write_lock_of, admin, path):
    held, lock = read_write_lock_of("c"), read_write_lock_of("c")
    held.write.acquire()
    writing = lock.write.begin("acquire", thread="writer")
    admin.wait_for_children(path, 2)
    reading = [lock.read.begin("acquire", thread=f"reader-{number}") for number in range(2)]
    admin.wait_for_children(path, 4)
    lock.read.interrupt()
    for call in reading:
        call.wait("CURATOR_INTERRUPTED")
    assert not writing.done
    admin.wait_for_children(path, 2)
    held.write.release()
    writing.wait()


@SIDES
def test_a_holder_whose_node_is_deleted_is_told(read_write_lock_of, admin, side):
    lock = read_write_lock_of("c")
    mutex = getattr(lock, side)
    mutex.acquire()
    token, lock_path = mutex.token(), mutex.lock_path()
    admin.delete(lock_path)
    mutex.wait_for_loss()
    assert not mutex.is_acquired() and not mutex.is_owned()
    assert (mutex.token(), mutex.lock_path()) == (token, lock_path)
    mutex.acquire(expect="CURATOR_LOCK_LOST")
    mutex.release(expect="CURATOR_LOCK_LOST")
    mutex.acquire()
    assert mutex.token() > token
    mutex.release()
    assert len(lock.read.losses()) + len(lock.write.losses()) == 1


def test_a_side_is_not_destroyed_without_the_other(read_write_lock_of, path):
    lock = read_write_lock_of("c")
    lock.write.acquire()
    for side in (lock.read, lock.write):
        assert path in side.destroy(expect="CURATOR_INVALID_ARGUMENT").error
    assert lock.write.is_owned()
    lock.write.release()
    lock.destroy()


def test_a_lock_destroyed_while_held_frees_it_and_sends_those_who_wait_home(late_ms, read_write_lock_of, admin, path):
    lock, other = read_write_lock_of("c"), read_write_lock_of("c")
    lock.write.acquire()
    lock.read.acquire()
    waiting = [lock.read.begin("acquire", thread="reader"), lock.write.begin("acquire_for", 60000, thread="writer")]
    admin.wait_for_children(path, 4)
    patient = other.write.begin("acquire")
    admin.wait_for_children(path, 5)
    assert lock.destroy().elapsed < late_ms(500)
    for call in waiting:
        call.wait("CURATOR_CLOSED")
    patient.wait()
    admin.wait_for_children(path, 1)
    other.write.release()
    assert lock.read.losses() == lock.write.losses() == []


def test_a_client_closed_meanwhile_ends_both_sides(read_write_lock_of, admin, path):
    lock, other = read_write_lock_of("c"), read_write_lock_of("c")
    lock.read.acquire()
    waiting = lock.write.begin("acquire", thread="writer")
    admin.wait_for_children(path, 2)
    lock.client.close()
    waiting.wait("CURATOR_CLOSED")
    admin.wait_for_children(path, 0)
    for side in (lock.read, lock.write):
        side.acquire_for(1000, expect="CURATOR_CLOSED")
    lock.destroy()
    other.write.acquire()


@pytest.mark.parametrize("bad", ["", "no/slash", "/a/", "/a//b", "/"])
def test_a_bad_path_is_refused_in_words(c_peer, zookeeper, bad):
    refused = c_peer.client(zookeeper.connect_string).read_write_lock(bad, expect="CURATOR_INVALID_ARGUMENT")
    assert refused.created.error


def test_a_lock_may_be_destroyed_while_a_writer_lists_the_nodes(run_scenario, zookeeper, path):
    run_scenario("destroyed_while_listing", zookeeper.connect_string, path)


def test_nulls_are_refused_guards_pass_on_both_sides_and_a_callback_may_destroy_the_lock(run_scenario, zookeeper, path):
    run_scenario("read_write_lock_calls", zookeeper.connect_string, path)


def test_a_thousand_tries_of_both_sides_leave_nothing(read_write_lock_of, admin, path):
    locks = [read_write_lock_of("c") for _ in range(2)]
    tries = [getattr(locks[number % 2], ("read", "write")[number // 2 % 2]).begin("acquire_for", 0, thread=f"t{number}")
             for number in range(8) for _ in range(125)]
    for call in tries:
        call.wait(expect=None, seconds=60)
        assert call.status in ("CURATOR_OK", "CURATOR_TIMED_OUT"), call
    for lock in locks:
        lock.destroy()
    wait_until(lambda: admin.children(path) == [], "no nodes left")
