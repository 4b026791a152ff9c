# SPDX-License-Identifier: Apache-2.0
"""
X4 own_node_made_again_is_not_ours, for holders: when the node of a holder was deleted and created again, the lock is
lost, and the release does not delete the new node.
"""
import pytest

from support.foreign_node import (
    KINDS,
    NOT_TO_BE_READ,
    answered,
    cut_and_make_again,
    cut_off,
    expect_loss,
    is_foreign,
    make_again,
    node_of,
    wait_until_watched,
)
from support.waiting import wait_until


@pytest.mark.parametrize("made", KINDS)
@pytest.mark.parametrize("held_for", ["a moment", "longer"])
def test_a_holder_that_was_cut_off_has_lost(wired, admin, path, made, held_for):
    held, wire = wired()
    held.acquire()
    node = held.lock_path()
    if held_for == "longer":
        wait_until_watched(wire, node)
    cut_and_make_again(held, wire, admin, node, made)
    expect_loss(held, admin, node)


@pytest.mark.parametrize("made", KINDS)
def test_a_holder_in_its_first_unwatched_moment_has_lost(wired, admin, path, made):
    held, wire = wired()
    watching = wire.on("getData").hold_request()
    held.acquire()
    watching.wait()
    node = node_of(admin, path, 0)
    make_again(admin, node, made)
    watching.go_on()
    expect_loss(held, admin, node)


def test_a_holder_that_is_watched_has_lost(wired, admin, path):
    held, wire = wired()
    held.acquire()
    node = held.lock_path()
    wait_until_watched(wire, node)
    make_again(admin, node)
    expect_loss(held, admin, node)


def test_a_node_made_before_the_first_list_is_given_up_at_the_first_look(wired, admin, path):
    """All in one flight: the only answer that is taken for its name."""
    held, wire = wired()
    listing = wire.on("getChildren2").hold_request()
    acquiring = held.begin("acquire")
    listing.wait()
    node = node_of(admin, path, 0)
    make_again(admin, node)
    listing.go_on()
    acquiring.wait()
    expect_loss(held, admin, node)


def test_a_hold_that_may_not_be_watched_is_looked_at_before_it_is_deleted(c_peer, wired, admin, path):
    admin.create(path)
    held, wire = wired(log=1)
    listed = wire.on("getChildren2").hold_reply()
    acquiring = held.begin("acquire")
    node = node_of(admin, path, 0)
    listed.wait()
    admin.zk.set_acls(node, [NOT_TO_BE_READ])
    listed.go_on()
    acquiring.wait()
    wait_until(lambda: "its node cannot be watched" in c_peer.errors(), "the warning")
    make_again(admin, node)
    held.release(expect="CURATOR_LOCK_LOST")
    assert is_foreign(admin, node) and "delete" not in wire.count()


@pytest.mark.parametrize("patience", ["none", "enough"])
def test_a_release_while_cut_off_deletes_nothing_foreign(wired, admin, path, patience):
    held, wire = wired(connection_timeout=300 if patience == "none" else 15000)
    held.acquire()
    node = held.lock_path()
    cut_off(held, wire)
    releasing = held.begin("release")
    if patience == "none":
        releasing.wait("CURATOR_RELEASE_PENDING")
    make_again(admin, node)
    wire.clear()
    wire.mend()
    if patience == "enough":
        releasing.wait("CURATOR_LOCK_LOST")
    wait_until(lambda: answered(wire, "exists", node), "a look at the name")
    held.client.close()
    assert is_foreign(admin, node) and "delete" not in wire.count()


def test_the_guard_of_a_lost_hold_refuses_though_the_name_is_there(wired, admin, path):
    held, wire = wired()
    resource = admin.create(path + "-resource", b"nothing")
    held.acquire()
    node = held.lock_path()
    held.client.borrow_handle()
    assert int(held.call("guarded_set", resource, "in time").value) == 0
    cut_and_make_again(held, wire, admin, node)
    held.wait_for_loss()
    assert int(held.call("guarded_set", resource, "too late").value) != 0
    assert admin.data(resource) == b"in time"
    held.client.give_handle_back()
    expect_loss(held, admin, node)
