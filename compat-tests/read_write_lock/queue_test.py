# SPDX-License-Identifier: Apache-2.0
"""Which contenders wait for which, and what a wake-up costs."""
import pytest

from support.admin import expire
from support.waiting import wait_until

LANGUAGES = pytest.mark.parametrize("language", ["c", "java"])
OTHERS = pytest.mark.parametrize("other", ["c", "java"])
SIDES = pytest.mark.parametrize("side", ["read", "write"])


@pytest.fixture
def on_wire(c_peer, zookeeper, new_wire, path):
    """on_wire(): a C lock whose client's requests are counted, and the counter."""

    def make():
        wire = new_wire(zookeeper)
        return c_peer.client(wire.connect_string).read_write_lock(path), wire

    return make


@OTHERS
def test_a_woken_reader_does_not_wait_for_a_writer_behind_it(read_write_lock_of, admin, path, other):  # kazoo#649
    first, reader, writer = read_write_lock_of(other), read_write_lock_of("c"), read_write_lock_of(other)
    first.write.acquire()
    reading = reader.read.begin("acquire")
    admin.wait_for_children(path, 2)
    writing = writer.write.begin("acquire")
    admin.wait_for_children(path, 3)
    first.write.release()
    reading.wait()
    assert not writing.done
    release = reader.read.release()
    writing.wait()
    assert writing.ended >= release.began


def test_a_reader_whose_first_list_shows_a_writer_behind_it_owns(read_write_lock_of, admin, path):  # kazoo#649
    later = f"{path}/_c_11111111-1111-4111-8111-111111111111-__WRIT__0000000003"
    admin.create(later)  # the first child; ours are numbered from 1
    lock = read_write_lock_of("c")
    for _ in range(2):
        lock.read.acquire_for(5000)
        lock.read.release()


@SIDES
def test_one_whose_node_vanishes_queues_again(read_write_lock_of, admin, path, side):  # CURATOR-211, CURATOR-307
    held, lock = read_write_lock_of("c"), read_write_lock_of("c", retry="n:10:20")
    held.write.acquire()
    for verb in (("acquire",), ("acquire_for", 20000)):
        waiting = getattr(lock, side).begin(*verb)
        first, second = admin.wait_for_children(path, 2)
        admin.delete(f"{path}/{second}")
        wait_until(lambda second=second: len(set(admin.children(path)) - {second}) == 2, "a new node of the waiter")
        assert not waiting.done
        assert admin.children(path)[0] == first
        held.write.release()
        waiting.wait()
        getattr(lock, side).release()
        held.write.acquire()


@SIDES
def test_one_whose_session_ends_queues_again(c_peer, read_write_lock_of, zookeeper, new_proxy, admin, path, side):
    """CURATOR-211."""
    proxy = new_proxy(zookeeper)
    held, lock = read_write_lock_of("c"), c_peer.client(proxy.connect_string, retry="n:10:50").read_write_lock(path)
    held.write.acquire()
    waiting = getattr(lock, side).begin("acquire")
    _, second = admin.wait_for_children(path, 2)
    expire(lock.client, proxy, zookeeper)
    wait_until(lambda: len(set(admin.children(path)) - {second}) == 2, "a node of the new session")
    assert not waiting.done
    held.write.release()
    waiting.wait()
    assert getattr(lock, side).losses() == []


@SIDES
def test_one_whose_whole_directory_vanishes_starts_anew(read_write_lock_of, admin, path, side):  # CURATOR-211
    held, lock = read_write_lock_of("c"), read_write_lock_of("c", retry="n:10:20")
    held.write.acquire()
    waiting = getattr(lock, side).begin("acquire")
    names = admin.wait_for_children(path, 2)
    transaction = admin.zk.transaction()
    for name in reversed(names):
        transaction.delete(f"{path}/{name}")
    transaction.delete(path)
    transaction.commit()
    held.write.wait_for_loss()
    waiting.wait()
    assert admin.exists(getattr(lock, side).lock_path())
    held.write.release(expect="CURATOR_LOCK_LOST")


@LANGUAGES
def test_readers_behind_a_writer_wait_until_it_has_been(read_write_lock_of, admin, path, language):
    first, writer, second = (read_write_lock_of(language) for _ in range(3))
    first.read.acquire()
    writing = writer.write.begin("acquire")
    admin.wait_for_children(path, 2)
    reading = second.read.begin("acquire")
    admin.wait_for_children(path, 3)
    second.read.acquire_for(0, thread="impatient", expect="CURATOR_TIMED_OUT")
    assert not writing.done and not reading.done
    first.read.release()
    writing.wait()
    assert not reading.done
    writer.write.release()
    reading.wait()


def test_a_reader_behind_ten_writers_is_woken_once(on_wire, read_write_lock_of, admin, path):
    writers, (reader, wire) = read_write_lock_of("c"), on_wire()
    writing = []
    for number in range(10):
        writing.append(writers.write.begin("acquire", thread=f"t{number}"))
        admin.wait_for_children(path, number + 1)
    reading = reader.read.begin("acquire")
    wire.wait_for(2, "getData")  # it watches the nearest writer, and itself
    wire.clear()
    for number, call in enumerate(writing):
        call.wait()
        assert (wire.events, wire.asked()) == (0, {})
        writers.write.release(thread=f"t{number}")
    reading.wait()
    assert (wire.events, wire.asked()) == (1, {"getChildren2": 1})


def test_a_reader_whose_nearest_writer_gives_up_watches_the_next(on_wire, read_write_lock_of, admin, path):
    writers, (reader, wire) = read_write_lock_of("c"), on_wire()
    writers.write.acquire(thread="first")
    patient = writers.write.begin("acquire", thread="patient")
    admin.wait_for_children(path, 2)
    hasty = writers.write.begin("acquire_for", 3000, thread="hasty")
    names = admin.wait_for_children(path, 3)
    reading = reader.read.begin("acquire")
    wire.wait_for(2, "getData")
    wire.clear()
    hasty.wait("CURATOR_TIMED_OUT")
    wire.wait_for(1, "getData")
    assert (wire.events, wire.asked()) == (1, {"getChildren2": 1, "getData": 1})
    assert [request.path for request in wire.requests if request.operation == "getData"] == [f"{path}/{names[1]}"]
    wire.clear()
    writers.write.release(thread="first")
    patient.wait()
    assert (wire.events, wire.asked()) == (0, {})
    writers.write.release(thread="patient")
    reading.wait()
    assert (wire.events, wire.asked()) == (1, {"getChildren2": 1})


def test_a_writer_behind_ten_readers_is_woken_by_the_last_only(on_wire, read_write_lock_of, admin, path):
    readers, (writer, wire) = read_write_lock_of("c"), on_wire()
    for number in range(10):
        readers.read.acquire(thread=f"t{number}")
    writing = writer.write.begin("acquire")
    wire.wait_for(2, "getData")
    wire.clear()
    for number in range(9):
        readers.read.release(thread=f"t{number}")
    assert not writing.done
    readers.read.release(thread="t9")
    writing.wait()
    assert (wire.events, wire.asked()) == (1, {"getChildren2": 1})


def test_a_release_with_a_hundred_waiting_readers_costs_one_list_each(on_wire, read_write_lock_of, admin, path):
    writer, locks = read_write_lock_of("c"), [on_wire() for _ in range(4)]
    writer.write.acquire()
    reading = [lock.read.begin("acquire", thread=f"{lock.name}-{number}") for lock, _ in locks for number in range(25)]
    for _, wire in locks:
        wire.wait_for(50, "getData")
        wire.clear()
    writer.write.release()
    for call in reading:
        call.wait()
    for lock, wire in locks:
        assert wire.events == 1
        assert wire.asked() == {"getChildren2": 25}
        wire.clear()
        releases = [lock.read.begin("release", thread=f"{lock.name}-{number}") for number in range(25)]
        for call in releases:
            call.wait()
        assert wire.asked() == {"delete": 25}
    assert admin.children(path) == []


def test_a_short_break_of_the_line_keeps_the_places_of_readers_and_writers(c_peer, zookeeper, new_proxy, admin, path):
    links = [(c_peer.client(proxy.connect_string).read_write_lock(path), proxy)
             for proxy in (new_proxy(zookeeper) for _ in range(3))]
    (reader, _), (writer, _), (last, _) = links
    reader.read.acquire()
    writing = writer.write.begin("acquire")
    admin.wait_for_children(path, 2)
    reading = last.read.begin("acquire")
    queue = admin.wait_for_children(path, 3)
    for lock, proxy in links:
        told = len(lock.client.states())
        proxy.blip()
        wait_until(lambda lock=lock, told=told: lock.client.states()[told:] == ["SUSPENDED", "RECONNECTED"],
                   "suspended, then reconnected")
    assert admin.children(path) == queue
    assert reader.read.is_owned() and not writing.done and not reading.done
    reader.read.release()
    writing.wait()
    assert not reading.done
    writer.write.release()
    reading.wait()


def test_a_session_that_ends_takes_both_sides_with_it_and_tells_each(c_peer, read_write_lock_of, zookeeper, new_proxy,
                                                                     path):
    proxy = new_proxy(zookeeper)
    lock = c_peer.client(proxy.connect_string).read_write_lock(path)
    lock.write.acquire()
    lock.read.acquire()
    expire(lock.client, proxy, zookeeper)
    for side in (lock.read, lock.write):
        side.wait_for_loss()
        assert not side.is_owned()
        side.acquire(expect="CURATOR_LOCK_LOST")
    lock.read.release(expect="CURATOR_LOCK_LOST")
    other = read_write_lock_of("c")
    other.write.acquire()
    lock.read.acquire_for(200, expect="CURATOR_TIMED_OUT")  # a lost write lock does not count
    lock.write.release(expect="CURATOR_LOCK_LOST")
    other.write.release()
    lock.write.acquire()
    assert (len(lock.read.losses()), len(lock.write.losses())) == (1, 1)
