# SPDX-License-Identifier: Apache-2.0
"""
Downgrade: the place of a writer stays taken until its thread has finished reading (CURATOR-621, CURATOR-276). Curator
does this from 5.5.0 on; before that, the reader queued behind those who came meanwhile.
"""
import pytest

from support.admin import sequence

OTHERS = pytest.mark.parametrize("other", ["c", "java"])


def downgraded(lock, admin, path, queued):
    """Writes, reads, and releases the write lock; what was queued meanwhile waits with `queued()`'s calls."""
    lock.write.acquire()
    token, place = lock.write.token(), sequence(lock.write.lock_path())
    calls = queued()
    lock.read.acquire()
    assert sequence(lock.read.lock_path()) == place
    assert lock.read.token() == token
    lock.write.release()
    return calls


@OTHERS
def test_a_writer_queued_meanwhile_waits_until_the_reader_has_gone(read_write_lock_of, admin, path, other):
    """CURATOR-621."""
    lock, writer = read_write_lock_of("c"), read_write_lock_of(other)

    def queue():
        call = writer.write.begin("acquire")
        admin.wait_for_children(path, 2)
        return call

    waiting = downgraded(lock, admin, path, queue)
    [reader_node, _] = admin.wait_for_children(path, 2)
    assert lock.read.lock_path() == f"{path}/{reader_node}"
    assert lock.read.is_owned() and not lock.write.is_owned()
    token = lock.read.token()
    writer.write.acquire_for(300, thread="another", expect="CURATOR_TIMED_OUT")
    assert not waiting.done
    release = lock.read.release()
    waiting.wait()
    assert waiting.ended >= release.began
    assert writer.write.token() > token
    writer.write.release()
    assert admin.children(path) == []


@OTHERS
def test_a_writer_that_comes_after_the_write_lock_is_released_waits_too(read_write_lock_of, admin, path, other):
    lock, writer = read_write_lock_of("c"), read_write_lock_of(other)
    downgraded(lock, admin, path, lambda: None)
    waiting = writer.write.begin("acquire")
    admin.wait_for_children(path, 2)
    release = lock.read.release()
    waiting.wait()
    assert waiting.ended >= release.began
    writer.write.release()


@OTHERS
def test_readers_queued_behind_the_writer_join_at_the_downgrade(read_write_lock_of, admin, path, other):
    lock, reader = read_write_lock_of("c"), read_write_lock_of(other)

    def queue():
        calls = [reader.read.begin("acquire", thread=f"reader-{number}") for number in range(3)]
        admin.wait_for_children(path, 4)
        return calls

    for number, call in enumerate(downgraded(lock, admin, path, queue)):
        call.wait()
        reader.read.release(thread=f"reader-{number}")
    assert lock.read.is_owned()
    lock.read.release()


@OTHERS
def test_a_reader_behind_a_queued_writer_does_not_overtake_it_by_a_downgrade(read_write_lock_of, admin, path, other):
    lock, writer, reader = read_write_lock_of("c"), read_write_lock_of(other), read_write_lock_of(other)

    def queue():
        writing = writer.write.begin("acquire")
        admin.wait_for_children(path, 2)
        reading = reader.read.begin("acquire")
        admin.wait_for_children(path, 3)
        return writing, reading

    writing, reading = downgraded(lock, admin, path, queue)
    release = lock.read.release()
    writing.wait()
    assert writing.ended >= release.began
    assert not reading.done
    release = writer.write.release()
    reading.wait()
    assert reading.ended >= release.began
    reader.read.release()


@OTHERS
def test_the_reader_may_end_first_and_begin_again(read_write_lock_of, admin, path, other):
    lock, writer = read_write_lock_of("c"), read_write_lock_of(other)
    lock.write.acquire()
    waiting = writer.write.begin("acquire")
    admin.wait_for_children(path, 2)
    nodes = set()
    for verb in (("acquire",), ("acquire_for", 0), ("acquire_for", 1000)):
        lock.read.call(*verb)
        nodes.add(lock.read.lock_path())
        assert len(admin.children(path)) == 3
        lock.read.release()
    assert len(nodes) == 3
    assert lock.write.is_owned() and not waiting.done
    release = lock.write.release()
    waiting.wait()
    assert waiting.ended >= release.began
    writer.write.release()


def test_the_downgrade_comes_with_the_last_of_several_releases(read_write_lock_of, admin, path):
    lock, writer = read_write_lock_of("c"), read_write_lock_of("c")
    lock.write.acquire()
    lock.write.acquire()
    lock.read.acquire()
    lock.read.acquire_for(0)
    lock.write.release()
    assert lock.write.is_owned()
    lock.write.release()
    waiting = writer.write.begin("acquire")
    admin.wait_for_children(path, 2)
    lock.read.release()
    assert lock.read.is_owned() and not waiting.done
    release = lock.read.release()
    waiting.wait()
    assert waiting.ended >= release.began


@OTHERS
def test_both_list_a_reader_in_a_writers_place_alike(read_write_lock_of, admin, path, other):
    lock, second = read_write_lock_of("c"), read_write_lock_of(other)
    lock.write.acquire()
    writing = second.write.begin("acquire")
    admin.wait_for_children(path, 2)
    lock.read.acquire()
    reading = second.read.begin("acquire", thread="reader")
    admin.wait_for_children(path, 4)
    writers = lock.write.participants()
    assert [sequence(node) for node in writers] == [0, 1]
    assert second.write.participants(thread="looker") == writers
    readers = lock.read.participants()
    assert readers[0] == lock.read.lock_path() and len(readers) == 2
    assert second.read.participants(thread="looker") == readers
    lock.write.release()
    lock.read.release()
    writing.wait()
    second.write.release()
    reading.wait()


def test_names_in_the_path_that_look_like_those_of_nodes_confuse_nobody(c_peer, java_peer, zookeeper, admin, path):
    strange = f"{path}/__READ__7/x__WRIT__"
    lock, writer = (peer.client(zookeeper.connect_string).read_write_lock(strange) for peer in (c_peer, java_peer))
    lock.write.acquire()
    lock.read.acquire()
    assert lock.read.lock_path().endswith("-__READ__0000000000")
    waiting = writer.write.begin("acquire")
    admin.wait_for_children(strange, 3)
    lock.write.release()
    release = lock.read.release()
    waiting.wait()
    assert waiting.ended >= release.began


@OTHERS
@pytest.mark.parametrize("moment", ["while it writes", "after it has written"])
def test_a_killed_process_leaves_neither_of_its_places_taken(new_peer, read_write_lock_of, zookeeper, admin, path,
                                                             other, moment):
    victim, writer = new_peer("c"), read_write_lock_of(other)
    lock = victim.client(zookeeper.connect_string, session_timeout=1500).read_write_lock(path)
    lock.write.acquire()
    lock.read.acquire()
    if moment == "after it has written":
        lock.write.release()
    waiting = writer.write.begin("acquire")
    victim.kill()
    waiting.wait()
    assert len(admin.children(path)) == 1


def test_another_object_does_not_read_along_even_in_the_writing_thread(read_write_lock_of, path):
    lock = read_write_lock_of("c")
    other = lock.client.read_write_lock(path)
    lock.write.acquire(thread="one")
    other.read.acquire_for(200, thread="one", expect="CURATOR_TIMED_OUT")
    lock.write.release(thread="one")


def test_reading_along_asks_once_and_waits_for_nobody(c_peer, zookeeper, new_wire, admin, path):
    wire = new_wire(zookeeper)
    lock = c_peer.client(wire.connect_string).read_write_lock(path)
    lock.write.acquire()
    waiting = lock.write.begin("acquire", thread="other")
    admin.wait_for_children(path, 2)
    wire.wait_for(3, "getData")  # the other has set its two watches, and the holder that on its node
    wire.clear()
    lock.read.acquire()
    lock.read.acquire()
    assert wire.asked() == {"create2": 1, "exists": 1}  # in one flight
    assert not waiting.done


def test_a_writer_whose_answer_is_lost_reads_in_its_place_all_the_same(c_peer, zookeeper, new_wire, admin, path):
    wire = new_wire(zookeeper)
    lock = c_peer.client(wire.connect_string, retry="n:10:50").read_write_lock(path)
    lock.write.acquire()
    place = sequence(lock.write.lock_path())
    rule = wire.on("create2").lose_reply()
    lock.read.acquire()
    assert rule.fired.is_set()
    assert sequence(lock.read.lock_path()) == place
    assert lock.read.token() == lock.write.token()
    assert len(admin.children(path)) == 2
    lock.write.release()
    lock.read.release()
    assert admin.wait_for_children(path, 0) == []


def test_a_downgraded_reader_is_told_when_its_node_is_deleted(read_write_lock_of, admin, path):
    lock, writer = read_write_lock_of("c"), read_write_lock_of("c")
    downgraded(lock, admin, path, lambda: None)
    waiting = writer.write.begin("acquire")
    admin.wait_for_children(path, 2)
    admin.delete(lock.read.lock_path())
    waiting.wait()
    lock.read.wait_for_loss()
    lock.read.release(expect="CURATOR_LOCK_LOST")
    assert lock.write.losses() == []
    writer.write.release()


def test_a_reader_outlives_the_loss_of_the_write_lock_it_came_from(read_write_lock_of, admin, path):
    lock, writer = read_write_lock_of("c"), read_write_lock_of("c")
    lock.write.acquire()
    lock.read.acquire()
    waiting = writer.write.begin("acquire")
    admin.wait_for_children(path, 3)
    admin.delete(lock.write.lock_path())
    lock.write.wait_for_loss()
    assert lock.read.is_owned() and lock.read.losses() == []
    lock.write.release(expect="CURATOR_LOCK_LOST")
    assert not waiting.done
    release = lock.read.release()
    waiting.wait()
    assert waiting.ended >= release.began


def test_a_lost_write_lock_does_not_let_its_thread_read_along(read_write_lock_of, admin, path):
    lock, writer = read_write_lock_of("c"), read_write_lock_of("c")
    lock.write.acquire()
    waiting = writer.write.begin("acquire")
    admin.wait_for_children(path, 2)
    admin.delete(lock.write.lock_path())
    waiting.wait()
    lock.write.wait_for_loss()
    lock.read.acquire_for(200, expect="CURATOR_TIMED_OUT")
    lock.write.release(expect="CURATOR_LOCK_LOST")
    writer.write.release()
    lock.read.acquire()


def test_a_write_lock_that_is_gone_before_it_is_noticed_does_not_let_its_thread_read_along(read_write_lock_of, admin,
                                                                                           path):
    lock, writer = read_write_lock_of("c", retry="n:10:20"), read_write_lock_of("c")
    for _ in range(20):
        lock.write.acquire()  # which looks at its node a little later only
        [own] = admin.children(path)
        admin.zk.delete(f"{path}/{own}")
        writer.write.acquire()
        lock.read.acquire_for(100, expect="CURATOR_TIMED_OUT")
        lock.write.release(expect="CURATOR_LOCK_LOST")
        writer.write.release()


def test_c_understands_the_downgrade_of_the_installed_curator(read_write_lock_of, admin, path,
                                                              record_testsuite_property):
    """
    CURATOR-621: Curator 5.4.0 gives the reader a place of its own, behind the writer that queued meanwhile; that writer
    gets the lock while the reader still believes in its own. Nothing the writer sees could tell it.
    """
    java, first, second, reader = (read_write_lock_of(language) for language in ("java", "c", "c", "c"))
    java.write.acquire()
    place = sequence(java.write.lock_path())
    writing = first.write.begin("acquire")
    admin.wait_for_children(path, 2)
    java.read.acquire()
    keeps_its_place = sequence(java.read.lock_path()) == place
    record_testsuite_property("downgrade", "keeps its place" if keeps_its_place else "queues behind")
    last = second.write.begin("acquire")
    admin.wait_for_children(path, 4)
    reading = reader.read.begin("acquire")
    admin.wait_for_children(path, 5)
    java.write.release()
    if keeps_its_place:
        release = java.read.release()
        writing.wait()
        assert writing.ended >= release.began
        first.write.release()
    else:
        writing.wait()
        assert java.read.is_owned()
        first.write.release()
        assert not last.done
        release = java.read.release()
    last.wait()
    assert last.ended >= release.began
    assert not reading.done
    second.write.release()
    reading.wait()


def test_a_downgrade_of_java_with_nobody_queued_in_between_keeps_c_from_writing(read_write_lock_of, admin, path):
    java, writer, reader = (read_write_lock_of(language) for language in ("java", "c", "c"))
    java.write.acquire()
    java.read.acquire()
    reading = reader.read.begin("acquire")
    admin.wait_for_children(path, 3)
    waiting = writer.write.begin("acquire")
    admin.wait_for_children(path, 4)
    java.write.release()
    reading.wait()
    reader.read.release()
    assert not waiting.done
    release = java.read.release()
    waiting.wait()
    assert waiting.ended >= release.began


def test_a_writer_whose_node_was_deleted_does_not_read_while_another_writes(run_scenario, zookeeper, path):
    """CURATOR-621, bsc-s2/pykit#239: only the place of a node that is still there can be taken over."""
    run_scenario("downgrade_on_deleted_node", zookeeper.connect_string, path)
