# SPDX-License-Identifier: Apache-2.0
"""Upgrading would deadlock on ourselves: a timed call times out, one without a limit fails at once (timely#187)."""
import pytest

LANGUAGES = pytest.mark.parametrize("language", ["c", "java"])
OTHERS = pytest.mark.parametrize("other", ["c", "java"])


def test_without_a_limit_a_reader_is_told_at_once_that_it_would_wait_for_itself(
        late_ms, read_write_lock_of, admin, path):
    """timely#187."""
    lock = read_write_lock_of("c")
    lock.read.acquire()
    nodes = admin.children(path)
    refused = lock.write.acquire(expect="CURATOR_WOULD_DEADLOCK")
    assert refused.elapsed < late_ms(100)
    assert path in refused.error
    assert admin.children(path) == nodes
    assert lock.read.is_owned() and lock.read.losses() == []
    lock.read.acquire()
    lock.read.release()
    lock.read.release()
    lock.write.acquire()
    lock.write.release()


@LANGUAGES
def test_with_a_limit_a_reader_times_out_and_reads_on(late_ms, read_write_lock_of, admin, path, language):
    lock = read_write_lock_of(language)
    lock.read.acquire()
    nodes = admin.children(path)
    for timeout_ms in (0, 300):
        call = lock.write.acquire_for(timeout_ms, expect="CURATOR_TIMED_OUT")
        assert timeout_ms <= call.elapsed < timeout_ms + late_ms()
        assert admin.wait_for_children(path, 1) == nodes
    assert lock.read.is_owned()
    lock.read.release()
    lock.write.acquire_for(5000)
    lock.write.release()


def test_a_downgraded_reader_is_a_reader(read_write_lock_of, admin, path):
    lock = read_write_lock_of("c")
    lock.write.acquire()
    lock.read.acquire()
    lock.write.acquire()  # still the writer's own
    lock.write.release()
    lock.write.release()
    nodes = admin.children(path)
    lock.write.acquire(expect="CURATOR_WOULD_DEADLOCK")
    lock.write.acquire_for(100, expect="CURATOR_TIMED_OUT")
    assert admin.wait_for_children(path, 1) == nodes
    assert lock.read.is_owned()


def test_another_thread_may_wait_for_the_write_lock(read_write_lock_of, admin, path):
    lock = read_write_lock_of("c")
    lock.read.acquire(thread="one")
    waiting = lock.write.begin("acquire", thread="two")
    admin.wait_for_children(path, 2)
    lock.read.release(thread="one")
    waiting.wait()


def test_a_reader_that_lost_its_lock_may_wait_for_the_write_lock(read_write_lock_of, admin):
    lock = read_write_lock_of("c")
    lock.read.acquire()
    admin.delete(lock.read.lock_path())
    lock.read.wait_for_loss()
    lock.write.acquire()
    lock.read.release(expect="CURATOR_LOCK_LOST")
    lock.write.release()


@OTHERS
def test_those_behind_a_reader_that_tries_to_write_go_on_when_it_gives_up(read_write_lock_of, admin, path, other):
    """timely#187."""
    lock, behind = read_write_lock_of("c"), read_write_lock_of(other)
    lock.read.acquire()
    trying = lock.write.begin("acquire_for", 1000)
    admin.wait_for_children(path, 2)
    reading = behind.read.begin("acquire")
    admin.wait_for_children(path, 3)
    assert not reading.done
    trying.wait("CURATOR_TIMED_OUT")
    reading.wait()
    assert lock.read.is_owned()
    behind.read.release()
    lock.read.release()


@OTHERS
def test_nested_reads_are_immediate_and_a_writer_that_gives_up_lets_the_readers_behind_it_in(
        late_ms, read_write_lock_of, admin, path, other):
    lock, others = read_write_lock_of("c"), read_write_lock_of(other)
    lock.read.acquire()
    writing = others.write.begin("acquire_for", 3000, thread="writer")
    admin.wait_for_children(path, 2)
    nested = lock.read.acquire()
    assert not writing.done and nested.elapsed < late_ms(100)
    reading = [side.begin("acquire", thread=f"behind-{side.name}") for side in (lock.read, others.read)]
    admin.wait_for_children(path, 4)
    assert not any(call.done for call in reading)
    writing.wait("CURATOR_TIMED_OUT")
    for call in reading:
        call.wait()
        assert call.ended - writing.ended < late_ms()
    assert lock.read.is_owned()
