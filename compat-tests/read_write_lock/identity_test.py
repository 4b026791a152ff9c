# SPDX-License-Identifier: Apache-2.0
"""X4 own_node_made_again_is_not_ours, for writers that read on: the reader's node, and the writer's."""
import pytest

from support.foreign_node import cut_off, make_again
from support.waiting import wait_until


@pytest.fixture
def writing(c_peer, new_wire, zookeeper, path):
    """A read-write lock that a thread writes under, its node watched; and its link."""
    wire = new_wire(zookeeper)
    lock = c_peer.client(wire.connect_string).read_write_lock(path)
    lock.write.acquire()
    wait_for_watches(wire, 1)
    return lock, wire


def wait_for_watches(wire, number):
    """Until so many reads of nodes have been answered."""
    wait_until(lambda: sum(request.operation == "getData" and request.replied is not None
                           for request in wire.requests) >= number, f"{number} getData answered")


def test_a_reader_in_a_writers_place_knows_its_own_node(writing, admin):
    """Its token is its writer's, the transaction that created its node is not."""
    lock, wire = writing
    lock.read.acquire()
    assert lock.read.token() == lock.write.token()
    wait_for_watches(wire, 2)
    admin.zk.set(lock.read.lock_path(), b"touched")
    wait_for_watches(wire, 3)
    lock.write.release()
    assert lock.read.is_owned() and lock.read.losses() == []
    lock.read.release()


def test_a_reader_in_a_writers_place_whose_node_is_made_again_has_lost(writing, admin):
    lock, wire = writing
    lock.read.acquire()
    node = lock.read.lock_path()
    lock.write.release()
    cut_off(lock.write, wire)
    make_again(admin, node)
    wire.mend()
    lock.read.wait_for_loss()
    lock.read.release(expect="CURATOR_LOCK_LOST")
    assert admin.owner(node) == 0


def test_nobody_reads_in_the_place_of_a_writers_node_that_is_made_again(writing, admin):
    lock, wire = writing
    node = lock.write.lock_path()
    cut_off(lock.write, wire)
    make_again(admin, node)
    reading = lock.read.begin("acquire_for", 1000)
    wire.mend()
    reading.wait("CURATOR_TIMED_OUT")
    assert not lock.read.is_owned()
    lock.write.wait_for_loss()
    lock.write.release(expect="CURATOR_LOCK_LOST")
    assert admin.owner(node) == 0
    admin.delete(node)
    lock.read.acquire()
    lock.read.release()


@pytest.mark.parametrize("side", ["read", "write"])
def test_a_waiter_whose_node_is_made_again_queues_again(writing, c_peer, new_wire, zookeeper, admin, path, side):
    lock, _ = writing
    link = new_wire(zookeeper)
    wanted = getattr(c_peer.client(link.connect_string, retry="forever:20").read_write_lock(path), side)
    waiting = wanted.begin("acquire")
    node = f"{path}/{admin.wait_for_children(path, 2)[1]}"
    wait_for_watches(link, 2)
    cut_off(wanted, link)
    make_again(admin, node)
    lock.write.release()
    link.mend()
    if side == "write":  # for which a foreign node of either kind is in the way
        wait_until(lambda: len(admin.children(path)) == 2, "another node of the waiter")
        assert not waiting.done
        admin.delete(node)
    waiting.wait()
    assert wanted.lock_path() != node and wanted.losses() == []
    wanted.release()
