# SPDX-License-Identifier: Apache-2.0
"""
X4 own_node_made_again_is_not_ours: an operator deletes our node and makes another under its name, in one transaction.
What is under the name then is not ours: nobody owns by it, and nobody deletes it but who made it.
"""
import pytest
from kazoo.security import ACL, Id

from support.admin import end_session
from support.waiting import wait_until

RETRY = "forever:20"
NOT_TO_BE_READ = ACL(31 & ~1, Id("world", "anyone"))
MAKERS = pytest.mark.parametrize("made", ["persistent", "of another session", "not to be read"])
READABLE = pytest.mark.parametrize("made", ["persistent", "of another session"])


def make_again(admin, node, made="persistent"):
    transaction = admin.zk.transaction()
    transaction.delete(node)
    transaction.create(node, b"foreign", acl=[NOT_TO_BE_READ] if made == "not to be read" else None,
                       ephemeral=made == "of another session")
    assert transaction.commit() == [True, node]


def is_foreign(admin, node) -> bool:
    stat = admin.zk.exists(node)
    return stat is not None and stat.ephemeralOwner in (0, admin.zk.client_id[0])


def node_of(admin, path, number) -> str:
    return f"{path}/{admin.wait_for_children(path, number + 1)[number]}"


def cut_and_make_again(mutex, link, admin, node, made="persistent"):
    link.cut()
    mutex.client.wait_for_state("SUSPENDED")
    make_again(admin, node, made)
    link.mend()


def answered(wire, operation, path, error=0):
    return [request for request in wire.requests if request.operation == operation and request.path == path
            and request.error == error]


def expect_loss(mutex, admin, node):
    """Told, and what has the name is left alone."""
    lost = mutex.wait_for_loss()
    assert not mutex.is_owned() and not mutex.is_acquired()
    mutex.release(expect="CURATOR_LOCK_LOST")
    assert is_foreign(admin, node)
    assert len(mutex.losses()) == 1 and lost
    admin.zk.delete(node)
    mutex.acquire()
    mutex.release()


@MAKERS
@pytest.mark.parametrize("held_for", ["a moment", "longer"])
def test_a_holder_that_was_cut_off_has_lost(wired, admin, path, made, held_for):
    held, wire = wired()
    held.acquire()
    node = held.lock_path()
    if held_for == "longer":
        wait_until(lambda: answered(wire, "getData", node), "its node watched")
    cut_and_make_again(held, wire, admin, node, made)
    expect_loss(held, admin, node)


@MAKERS
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
    wait_until(lambda: answered(wire, "getData", node), "its node watched")
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


def expect_new_place(wanted, waiting, admin, path, node, before):
    """It queues again, behind the foreign node, and owns by a node of its own."""
    wait_until(lambda: len(admin.children(path)) == before + 2, "another node of the waiter")
    assert not waiting.done
    assert is_foreign(admin, node)
    admin.zk.delete(node)
    waiting.wait()
    assert wanted.lock_path() != node and admin.owner(wanted.lock_path()) == wanted.client.session()[0]
    assert wanted.losses() == []
    wanted.release()


@READABLE
def test_a_waiter_that_was_cut_off_queues_again(mutex_of, wired, admin, path, made):
    held, (wanted, wire) = mutex_of("c"), wired(retry=RETRY)
    held.acquire()
    waiting = wanted.begin("acquire")
    node = node_of(admin, path, 1)
    wait_until(lambda: answered(wire, "getData", node), "its node watched")
    cut_and_make_again(wanted, wire, admin, node, made)
    wait_until(lambda: len(admin.children(path)) == 3, "another node of the waiter")
    held.release()
    expect_new_place(wanted, waiting, admin, path, node, before=0)


@READABLE
def test_a_waiter_whose_turn_came_while_it_was_cut_off_does_not_own_by_the_name(mutex_of, wired, admin, path, made):
    held, (wanted, wire) = mutex_of("c"), wired(retry=RETRY)
    held.acquire()
    waiting = wanted.begin("acquire")
    node = node_of(admin, path, 1)
    wait_until(lambda: answered(wire, "getData", node), "its node watched")
    wire.cut()
    wanted.client.wait_for_state("SUSPENDED")
    make_again(admin, node, made)
    held.release()
    wire.mend()
    expect_new_place(wanted, waiting, admin, path, node, before=0)


@READABLE
def test_a_waiter_between_its_list_and_its_watch_queues_again(mutex_of, wired, admin, path, made):
    held, (wanted, wire) = mutex_of("c"), wired(retry=RETRY)
    held.acquire()
    watching = wire.on("getData").hold_request()
    waiting = wanted.begin("acquire")
    watching.wait()
    node = node_of(admin, path, 1)
    make_again(admin, node, made)
    held.release()
    watching.go_on()
    expect_new_place(wanted, waiting, admin, path, node, before=0)


def test_a_waiter_does_not_own_by_a_name_that_it_may_not_read(mutex_of, wired, admin, path):
    """It queues again, behind what it may not watch: a refusal, as with any such node."""
    held, (wanted, wire) = mutex_of("c"), wired(retry=RETRY)
    held.acquire()
    watching = wire.on("getData").hold_request()
    waiting = wanted.begin("acquire")
    watching.wait()
    node = node_of(admin, path, 1)
    make_again(admin, node, "not to be read")
    held.release()
    watching.go_on()
    waiting.wait("CURATOR_NO_AUTH")
    assert is_foreign(admin, node) and wanted.losses() == []
    admin.wait_for_children(path, 1)


@pytest.mark.parametrize("operation", ["create2", "getChildren2"])
def test_an_attempt_whose_answer_was_lost_does_not_own_by_the_name(wired, admin, path, operation):
    wanted, wire = wired(retry=RETRY)
    admin.create(path)
    wire.on(operation).lose_reply(then=lambda: make_again(admin, node_of(admin, path, 0)))
    waiting = wanted.begin("acquire")
    wait_until(lambda: len(admin.children(path)) == 2, "another node of the waiter")
    [node] = [f"{path}/{name}" for name in admin.children(path) if is_foreign(admin, f"{path}/{name}")]
    expect_new_place(wanted, waiting, admin, path, node, before=0)


def test_a_waiter_whose_data_was_written_before_does_not_own_by_the_name(mutex_of, wired, admin, path):
    """The change uses the watch up: what happens before the next one is set is told by nobody."""
    held, (wanted, wire) = mutex_of("c"), wired(retry=RETRY)
    held.acquire()
    waiting = wanted.begin("acquire")
    node = node_of(admin, path, 1)
    wait_until(lambda: answered(wire, "getData", node), "its node watched")
    listing = wire.on("getChildren2").hold_request()
    admin.zk.set(node, b"touched")
    listing.wait()
    make_again(admin, node)
    held.release()
    listing.go_on()
    expect_new_place(wanted, waiting, admin, path, node, before=0)


def test_a_waiter_whose_data_is_written_while_it_sets_its_watches_does_not_own_by_the_name(
        mutex_of, wired, admin, path):
    """The answer that showed its node is older than the change that used the watch up."""
    held, (wanted, wire) = mutex_of("c"), wired(retry=RETRY)
    held.acquire()
    watching = wire.on("getData", nth=2).hold_request()
    waiting = wanted.begin("acquire")
    watching.wait()
    node = node_of(admin, path, 1)
    wait_until(lambda: answered(wire, "getData", node), "its node watched")
    admin.zk.set(node, b"touched")
    make_again(admin, node)
    held.release()
    watching.go_on()
    expect_new_place(wanted, waiting, admin, path, node, before=0)


def test_a_waiter_that_gives_up_after_it_was_cut_off_deletes_nothing_foreign(mutex_of, wired, admin, path):
    held, (wanted, wire) = mutex_of("c"), wired(retry=RETRY)
    held.acquire()
    waiting = wanted.begin("acquire")
    node = node_of(admin, path, 1)
    wait_until(lambda: answered(wire, "getData", node), "its node watched")
    wire.cut()
    wanted.client.wait_for_state("SUSPENDED")
    make_again(admin, node)
    wanted.interrupt()
    waiting.wait("CURATOR_INTERRUPTED")
    wire.clear()
    wire.mend()
    wait_until(lambda: answered(wire, "exists", node), "a look at the name")
    wanted.client.close()
    assert is_foreign(admin, node) and "delete" not in wire.count()


def test_a_waiter_that_gives_up_while_it_looks_deletes_nothing_foreign(mutex_of, wired, admin, path):
    """The look is on its way when the wait ends: nobody reads its answer."""
    held, (wanted, wire) = mutex_of("c"), wired(retry=RETRY)
    held.acquire()
    waiting = wanted.begin("acquire")
    node = node_of(admin, path, 1)
    wait_until(lambda: answered(wire, "getData", node), "its node watched")
    wire.cut()
    wanted.client.wait_for_state("SUSPENDED")
    make_again(admin, node)
    look = wire.on("exists", path=node).hold_reply()
    wire.mend()
    look.wait()
    wanted.interrupt()
    waiting.wait("CURATOR_INTERRUPTED")
    look.go_on()
    wait_until(lambda: len(answered(wire, "exists", node)) > 1, "another look at the name")
    wanted.client.close()
    assert is_foreign(admin, node) and "delete" not in wire.count()


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
    wire.cut()
    held.client.wait_for_state("SUSPENDED")
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


def ended_by_force(held, link, zookeeper, wanted):
    """The holder is cut off, its session is closed by another, and the next one holds."""
    session = held.client.session()
    link.cut()
    held.client.wait_for_state("SUSPENDED")
    end_session(zookeeper.connect_string, session)
    wanted.acquire()


@pytest.mark.parametrize("moment", ["while cut off", "when the link is back"])
def test_release_after_forced_end_is_lost(linked, mutex_of, zookeeper, path, moment):
    """X10 release_after_forced_end_is_lost."""
    (held, link), wanted = linked(session_timeout=30000), mutex_of("c")
    held.acquire()
    ended_by_force(held, link, zookeeper, wanted)
    if moment == "while cut off":
        releasing = held.begin("release")
        link.mend()
    else:
        link.mend()
        releasing = held.begin("release")
    assert path in releasing.wait("CURATOR_LOCK_LOST").error
    assert not held.is_acquired() and wanted.is_owned()
    held.release(expect="CURATOR_NOT_OWNER")
    wanted.release()


def test_a_nested_release_after_forced_end_is_lost_with_the_last(linked, mutex_of, zookeeper):
    (held, link), wanted = linked(session_timeout=30000), mutex_of("c")
    held.acquire()
    held.acquire()
    ended_by_force(held, link, zookeeper, wanted)
    held.release()  # by all that is known
    releasing = held.begin("release")
    link.mend()
    releasing.wait("CURATOR_LOCK_LOST")
    wanted.release()


def test_a_release_that_cannot_wait_for_the_end_is_pending(linked, mutex_of, zookeeper):
    (held, link), wanted = linked(session_timeout=30000, connection_timeout=300), mutex_of("c")
    held.acquire()
    ended_by_force(held, link, zookeeper, wanted)
    held.release(expect="CURATOR_RELEASE_PENDING")
    link.mend()
    held.client.wait_for_state("LOST")
    assert wanted.is_owned()
    wanted.release()
    held.acquire()
    held.release()
