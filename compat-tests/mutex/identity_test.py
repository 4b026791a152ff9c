# SPDX-License-Identifier: Apache-2.0
"""
X4 own_node_made_again_is_not_ours, for waiters: an operator deletes a waiter's node and creates another one under its
name, in one transaction. The waiter does not own by that node and does not delete it. holder_identity_test.py has the
holders.
"""
from types import SimpleNamespace

import pytest

from support.foreign_node import (
    READABLE_KINDS,
    answered,
    cut_and_make_again,
    cut_off,
    is_foreign,
    make_again,
    node_of,
    wait_until_watched,
)
from support.waiting import wait_until

RETRY = "forever:20"


@pytest.fixture
def queued(mutex_of, wired, admin, path):
    """queued(): a holder, and a waiter whose node is watched; queued(held_back=n): its n-th getData is held back."""

    def make(held_back=None):
        holder, (mutex, wire) = mutex_of("c"), wired(retry=RETRY)
        holder.acquire()
        watching = wire.on("getData", nth=held_back).hold_request() if held_back else None
        waiting = mutex.begin("acquire")
        if watching is not None:
            watching.wait()
        node = node_of(admin, path, 1)
        if watching is None:
            wait_until_watched(wire, node)
        return SimpleNamespace(holder=holder, mutex=mutex, wire=wire, waiting=waiting, watching=watching, node=node)

    return make


def expect_new_place(one, admin, path):
    """It queues again, behind the foreign node, and owns by a node of its own."""
    wait_until(lambda: len(admin.children(path)) == 2, "another node of the waiter")
    assert not one.waiting.done
    assert is_foreign(admin, one.node)
    admin.zk.delete(one.node)
    one.waiting.wait()
    assert one.mutex.lock_path() != one.node
    assert admin.owner(one.mutex.lock_path()) == one.mutex.client.session()[0]
    assert one.mutex.losses() == []
    one.mutex.release()


@pytest.mark.parametrize("made", READABLE_KINDS)
def test_a_waiter_that_was_cut_off_queues_again(queued, admin, path, made):
    one = queued()
    cut_and_make_again(one.mutex, one.wire, admin, one.node, made)
    wait_until(lambda: len(admin.children(path)) == 3, "another node of the waiter")
    one.holder.release()
    expect_new_place(one, admin, path)


@pytest.mark.parametrize("made", READABLE_KINDS)
def test_a_waiter_whose_turn_came_while_it_was_cut_off_does_not_own_by_the_name(queued, admin, path, made):
    one = queued()
    cut_off(one.mutex, one.wire)
    make_again(admin, one.node, made)
    one.holder.release()
    one.wire.mend()
    expect_new_place(one, admin, path)


@pytest.mark.parametrize("made", READABLE_KINDS)
def test_a_waiter_between_its_list_and_its_watch_queues_again(queued, admin, path, made):
    one = queued(held_back=1)
    make_again(admin, one.node, made)
    one.holder.release()
    one.watching.go_on()
    expect_new_place(one, admin, path)


def test_a_waiter_does_not_own_by_a_name_that_it_may_not_read(queued, admin, path):
    """It queues again, behind what it may not watch: a refusal, as with any such node."""
    one = queued(held_back=1)
    make_again(admin, one.node, "not to be read")
    one.holder.release()
    one.watching.go_on()
    one.waiting.wait("CURATOR_NO_AUTH")
    assert is_foreign(admin, one.node) and one.mutex.losses() == []
    admin.wait_for_children(path, 1)


@pytest.mark.parametrize("operation", ["create2", "getChildren2"])
def test_an_attempt_whose_answer_was_lost_does_not_own_by_the_name(wired, admin, path, operation):
    mutex, wire = wired(retry=RETRY)
    admin.create(path)
    wire.on(operation).lose_reply(then=lambda: make_again(admin, node_of(admin, path, 0)))
    waiting = mutex.begin("acquire")
    wait_until(lambda: len(admin.children(path)) == 2, "another node of the waiter")
    [node] = [f"{path}/{name}" for name in admin.children(path) if is_foreign(admin, f"{path}/{name}")]
    expect_new_place(SimpleNamespace(mutex=mutex, waiting=waiting, node=node), admin, path)


def test_a_waiter_whose_data_was_written_before_does_not_own_by_the_name(queued, admin, path):
    """The write uses up the watch: what happens before the next one is set is not reported."""
    one = queued()
    listing = one.wire.on("getChildren2").hold_request()
    admin.zk.set(one.node, b"touched")
    listing.wait()
    make_again(admin, one.node)
    one.holder.release()
    listing.go_on()
    expect_new_place(one, admin, path)


def test_a_waiter_whose_data_is_written_while_it_sets_its_watches_does_not_own_by_the_name(queued, admin, path):
    """The answer that showed its node is older than the change that used the watch up."""
    one = queued(held_back=2)
    wait_until_watched(one.wire, one.node)
    admin.zk.set(one.node, b"touched")
    make_again(admin, one.node)
    one.holder.release()
    one.watching.go_on()
    expect_new_place(one, admin, path)


def test_a_waiter_that_gives_up_after_it_was_cut_off_deletes_nothing_foreign(queued, admin, path):
    one = queued()
    cut_off(one.mutex, one.wire)
    make_again(admin, one.node)
    one.mutex.interrupt()
    one.waiting.wait("CURATOR_INTERRUPTED")
    one.wire.clear()
    one.wire.mend()
    wait_until(lambda: answered(one.wire, "exists", one.node), "a look at the name")
    one.mutex.client.close()
    assert is_foreign(admin, one.node) and "delete" not in one.wire.count()


def test_a_waiter_that_gives_up_while_it_looks_deletes_nothing_foreign(queued, admin, path):
    """
    A write used its watch up, so it looks whether the name is still its own, and nobody reads the answer. From then on
    no event reports a change: the clean-up has to look again before it deletes.
    """
    one = queued()
    look = one.wire.on("exists", path=one.node).hold_reply()
    admin.zk.set(one.node, b"touched")
    look.wait()
    make_again(admin, one.node)
    one.mutex.interrupt()
    one.waiting.wait("CURATOR_INTERRUPTED")
    look.go_on()
    wait_until(lambda: len(answered(one.wire, "exists", one.node)) > 1, "another look at the name")
    one.mutex.client.close()
    assert is_foreign(admin, one.node) and "delete" not in one.wire.count()
