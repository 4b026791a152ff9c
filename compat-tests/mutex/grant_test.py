# SPDX-License-Identifier: Apache-2.0
"""A grant without a further request: when the deletion of the predecessor is enough, and when it is not."""
import pytest

from support.waiting import wait_until

RETRY = "n:10:20"
TRIES = 10  # a session that its leader has not answered for T/12 lists all the same; a slow machine gets there


@pytest.fixture
def long_sessions(new_zookeeper):
    return new_zookeeper(tick_ms=2000)


@pytest.fixture
def on_wire(c_peer, long_sessions, new_wire, path):
    """on_wire(): a C mutex with a session of its own whose requests are counted, and the counter."""

    def make():
        wire = new_wire(long_sessions)
        return c_peer.client(wire.connect_string, retry=RETRY).mutex(path), wire

    return make


@pytest.fixture
def watcher(new_admin, long_sessions):
    return new_admin(long_sessions.connect_string)


def queue(contenders):
    """Each holds or waits behind the one before it, its watches set; the calls of those that wait."""
    calls = []
    for number, (mutex, wire) in enumerate(contenders):
        wire.clear()
        calls.append(mutex.begin("acquire"))
        if number == 0:
            calls[0].wait()
        else:
            wire.wait_for(1 + min(number, 2), "getData")
    for _, wire in contenders:
        wire.clear()
    return calls


def test_the_deletion_of_the_only_node_before_ours_is_enough(on_wire):
    held, wanted = on_wire(), on_wire()
    for _ in range(TRIES):
        _, waiting = queue([held, wanted])
        held[0].release()
        waiting.wait()
        asked = wanted[1].asked()
        wanted[0].release()
        if asked == {}:
            return
    raise AssertionError(f"always asked again, at last {asked}")


def test_those_behind_look_ahead_and_at_most_two_are_woken_by_a_release(on_wire):
    contenders = [on_wire() for _ in range(5)]
    for _ in range(TRIES):
        calls = queue(contenders)
        without_request = 0
        for number in range(4):
            for _, wire in contenders:
                wire.clear()
            contenders[number][0].release()
            mutex, wire = contenders[number + 1]
            calls[number + 1].wait()
            without_request += wire.asked() == {}
            after_next = contenders[number + 2][1] if number + 2 < 5 else None
            if number > 0 and after_next is not None:
                after_next.wait_for(1, "getChildren2")  # it knew of more than two before it, and looks again
            woken = [one for one, (_, wire) in enumerate(contenders) if wire.events > 0]
            woken = set(woken) - {number}  # who had watched its own node
            assert woken <= {number + 1, number + 2}, "woken by one release"
        contenders[4][0].release()
        if without_request == 4:
            return
    raise AssertionError(f"{without_request} of 4 were granted without a request in the last round")


def test_a_node_of_our_own_session_before_ours_is_not_enough(c_peer, long_sessions, new_wire, path):
    """When a session ends, its nodes go together in any order."""
    wire = new_wire(long_sessions)
    client = c_peer.client(wire.connect_string)
    held, wanted = client.mutex(path), client.mutex(path, thread="other")
    held.acquire()
    waiting = wanted.begin("acquire", thread="other")
    wire.wait_for(3, "getData")  # the holder's own node too
    wire.clear()
    held.release()
    waiting.wait()
    assert wire.asked().get("getChildren2") == 1
    wanted.release(thread="other")


def test_after_a_reconnect_the_children_are_listed(on_wire, watcher, path):
    held, (wanted, wire) = on_wire(), on_wire()
    waiting = queue([held, (wanted, wire)])[1]
    wire.cut()
    held[0].release()
    watcher.wait_for_children(path, 1)
    wire.mend()
    waiting.wait()
    assert wire.asked().get("getChildren2", 0) >= 1
    wanted.release()


def test_when_our_own_watch_is_used_up_the_children_are_listed(on_wire, watcher, path):
    held, (wanted, wire) = on_wire(), on_wire()
    waiting = queue([held, (wanted, wire)])[1]
    first, second = watcher.wait_for_children(path, 2)
    transaction = watcher.zk.transaction()
    transaction.set_data(f"{path}/{second}", b"touched")
    transaction.delete(f"{path}/{first}")
    transaction.commit()
    waiting.wait()
    assert wire.asked().get("getChildren2", 0) >= 1 and wanted.is_owned()
    wanted.release()
    held[0].release(expect="CURATOR_LOCK_LOST")


@pytest.mark.parametrize("order", ["ours first", "predecessor first"])
def test_our_node_deleted_together_with_those_before_it_does_not_make_two_owners(on_wire, watcher, path, order):
    contenders = [on_wire() for _ in range(3)]
    held, between, last = (mutex for mutex, _ in contenders)
    for _ in range(TRIES):
        _, waiting, waiting_last = queue(contenders)
        names = watcher.wait_for_children(path, 3)[:2]
        transaction = watcher.zk.transaction()
        for name in reversed(names) if order == "ours first" else names:
            transaction.delete(f"{path}/{name}")
        transaction.commit()
        waiting_last.wait()
        if order == "ours first":
            assert not waiting.done
        else:  # its grant may have returned before the deletion of its own node was reported
            wait_until(lambda: not between.is_acquired(thread="observer"), "the one whose node is gone does not own")
        assert last.is_owned()
        held.release(expect="CURATOR_LOCK_LOST")
        last.release()
        waiting.wait()
        between.release(expect=None)
        watcher.wait_for_children(path, 0)


def test_a_node_that_an_operator_deletes_and_makes_again_is_waited_for(on_wire, watcher, path):
    """Only an operator can create a name twice. The newest list is right, whatever was reported before it."""
    wanted, wire = on_wire()
    first, second = (f"{path}/_c_11111111-1111-4111-8111-111111111111-lock--00000000{one}" for one in (1, 2))
    watcher.zk.ensure_path(path)
    watcher.zk.create(first)
    watcher.zk.create(second)
    waiting = wanted.begin("acquire")
    wire.wait_for(3, "getData")
    wire.clear()
    for _ in range(10):
        transaction = watcher.zk.transaction()
        transaction.delete(second)
        transaction.create(second)
        transaction.commit()
    wire.wait_for(1, "getData")  # it is watched anew
    assert wire.asked()["getChildren2"] <= 20, "at most two for each time"
    watcher.zk.delete(first)
    wire.clear()
    own = next(name for name in watcher.zk.get_children(path) if f"{path}/{name}" != second)
    transaction = watcher.zk.transaction()
    transaction.set_data(f"{path}/{own}", b"touched")  # so that it has to list
    transaction.delete(second)
    transaction.create(second)
    transaction.commit()
    wire.wait_for(2, "getData")
    assert not waiting.done
    watcher.zk.delete(second)
    waiting.wait()
    wanted.release()


def test_a_list_on_its_way_is_read_whatever_is_told_right_after_it(on_wire, watcher, path):
    """As above: the second node is deleted and made again, and the first goes while the list that shows it arrives."""
    wanted, wire = on_wire()
    first, second = (f"{path}/_c_11111111-1111-4111-8111-111111111111-lock--00000000{one}" for one in (1, 2))
    watcher.zk.ensure_path(path)
    for _ in range(TRIES):
        watcher.zk.create(first)
        watcher.zk.create(second)
        wire.clear()
        waiting = wanted.begin("acquire")
        wire.wait_for(3, "getData")
        wire.clear()
        listing = wire.on("getChildren2").hold_reply()
        transaction = watcher.zk.transaction()
        transaction.delete(second)
        transaction.create(second)
        transaction.commit()
        listing.wait()
        watcher.zk.delete(first)
        listing.go_on()
        wire.wait_for(1, "getData")
        assert not waiting.done, waiting
        watcher.zk.delete(second)
        waiting.wait()
        wanted.release()
