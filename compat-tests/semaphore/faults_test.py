# SPDX-License-Identifier: Apache-2.0
"""Leases and broken links, sessions that end, holders that die, operators that delete nodes."""
import pytest

from support.admin import end_session

SESSION = {"session_timeout": 10000}


def below(semaphore, part):
    """For a rule: a path of the directory, or one below it."""
    directory = f"{semaphore.path}/{part}"
    return lambda path: path == directory or path.startswith(directory + "/")


def test_a_holder_that_is_killed_gives_its_leases_back(new_peer, zookeeper, path, nothing_is_left):
    killed = new_peer("c").client(zookeeper.connect_string, session_timeout=2000).semaphore(path, 2)
    other = new_peer("c").client(zookeeper.connect_string).semaphore(path, 2)
    killed.acquire_many(2)
    waiting = [other.begin(), other.begin()]
    killed.peer.kill()
    for lease in waiting:
        lease.acquired.wait(seconds=30)
        lease.give_back()
    nothing_is_left()


def test_a_waiter_that_is_killed_blocks_nobody(new_peer, zookeeper, path, admin, nothing_is_left):
    killed = new_peer("c").client(zookeeper.connect_string, session_timeout=2000).semaphore(path, 1)
    other = new_peer("c").client(zookeeper.connect_string).semaphore(path, 1)
    held = other.acquire()
    killed.begin()
    admin.wait_for_children(f"{path}/leases", 2)
    waiting = other.begin()
    admin.wait_for_children(f"{path}/locks", 2)
    killed.peer.kill()
    admin.wait_for_children(f"{path}/locks", 1, seconds=30)
    held.give_back()
    waiting.acquired.wait()
    waiting.give_back()
    nothing_is_left()


def test_leases_are_lost_with_the_session_and_told(wired_semaphore, zookeeper, admin):
    semaphore, wire = wired_semaphore(3, **SESSION)
    leases = [semaphore.acquire(), semaphore.acquire()]
    session = semaphore.client.session()
    wire.cut()
    end_session(zookeeper.connect_string, session)
    wire.mend()
    semaphore.wait_for_losses(2)
    assert [lease.is_held() for lease in leases] == [False, False]
    for lease in leases:
        assert lease.token() > 0
        assert "the lease was lost" in lease.give_back(expect="CURATOR_LOCK_LOST").error
    assert admin.children(semaphore.leases_path) == []
    semaphore.acquire().give_back()


def test_a_lease_whose_node_an_operator_deletes_is_lost_and_told(semaphore_of, admin):
    semaphore = semaphore_of("c", 2)
    kept, lost = semaphore.acquire(), semaphore.acquire()
    admin.delete(lost.path())
    semaphore.wait_for_losses()
    assert kept.is_held() and not lost.is_held()
    lost.give_back(expect="CURATOR_LOCK_LOST")
    kept.give_back()


@pytest.mark.parametrize("place", ["request", "reply"])
@pytest.mark.parametrize("count", [1, 2])
def test_a_cut_at_the_create_of_a_lease(wired_semaphore, admin, nothing_is_left, place, count):
    """CURATOR-45: the node is found by its UUID, not created a second time."""
    semaphore, wire = wired_semaphore(3, retry="n:5:50", **SESSION)
    admin.create(semaphore.leases_path)
    rule = wire.on("create2", path=below(semaphore, "leases"), nth=count).lose(place)
    leases = semaphore.acquire_many(count)
    rule.wait()
    admin.wait_for_children(semaphore.leases_path, count)
    admin.wait_for_children(semaphore.locks_path, 0)
    for lease in leases:
        assert lease.is_held()
        lease.give_back()
    nothing_is_left()


@pytest.mark.parametrize("place", ["request", "reply"])
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_cut_at_a_list_of_the_leases(wired_semaphore, semaphore_of, admin, nothing_is_left, place, nth):
    """CURATOR-335, CURATOR-462: nothing stays behind when the list fails. The third list is that of the waiter."""
    other = semaphore_of("c", 1)
    held = other.acquire()
    semaphore, wire = wired_semaphore(1, retry="n:5:50", **SESSION)
    rule = wire.on("getChildren2", path=semaphore.leases_path, nth=nth).lose(place)
    waiting = semaphore.begin()
    if nth < 3:
        rule.wait()
    admin.wait_for_children(semaphore.leases_path, 2)
    admin.wait_for_children(semaphore.locks_path, 1)
    wire.wait_for(3 if nth == 3 else 2, "getChildren2")  # the first is that of the semaphore's lock
    assert not waiting.acquired.done
    held.give_back()
    waiting.acquired.wait()
    rule.wait()
    admin.wait_for_children(semaphore.leases_path, 1)
    waiting.give_back()
    nothing_is_left()


@pytest.mark.parametrize("operation, part", [("create2", "leases"), ("getChildren2", "leases")])
def test_a_link_that_is_silent_during_an_acquire_ends_it_on_time_and_leaves_nothing(
        late_ms, wired_semaphore, admin, nothing_is_left, operation, part):
    semaphore, wire = wired_semaphore(1, **SESSION)
    admin.create(semaphore.leases_path)
    rule = wire.on(operation, path=below(semaphore, part)).hold_reply()
    waiting = semaphore.begin("acquire", 1000)
    rule.wait()
    waiting.acquired.wait("CURATOR_TIMED_OUT")
    assert waiting.acquired.elapsed < 1050 + late_ms()
    rule.go_on()
    nothing_is_left()
    semaphore.acquire().give_back()


def test_a_waiter_goes_on_after_a_reconnect(wired_semaphore, semaphore_of, admin, nothing_is_left):
    other = semaphore_of("c", 1)
    held = other.acquire()
    semaphore, wire = wired_semaphore(1, **SESSION)
    waiting = semaphore.begin()
    wire.wait_for(2, "getChildren2")
    wire.cut()
    semaphore.client.wait_for_state("SUSPENDED")
    held.give_back()
    wire.mend()
    waiting.acquired.wait()
    waiting.give_back()
    nothing_is_left()


def test_a_try_after_a_reconnect_gets_the_lease_that_was_returned_meanwhile(wired_semaphore, nothing_is_left):
    semaphore, wire = wired_semaphore(1, connection_timeout=8000, **SESSION)
    lease = semaphore.acquire()
    wire.cut()
    semaphore.client.wait_for_state("SUSPENDED")
    lease.give_back_for(0, expect="CURATOR_RELEASE_PENDING")
    waiting = semaphore.begin("acquire", 0)
    wire.mend()
    waiting.acquired.wait()
    waiting.give_back()
    nothing_is_left()


def test_a_waiter_whose_session_ends_starts_over(wired_semaphore, semaphore_of, zookeeper, admin, nothing_is_left):
    """CURATOR-173."""
    other = semaphore_of("c", 1)
    held = other.acquire()
    semaphore, wire = wired_semaphore(1, **SESSION)
    waiting = semaphore.begin()
    admin.wait_for_children(semaphore.leases_path, 2)
    session = semaphore.client.session()
    wire.cut()
    end_session(zookeeper.connect_string, session)
    admin.wait_for_children(semaphore.leases_path, 1)
    wire.mend()
    admin.wait_for_children(semaphore.leases_path, 2)
    assert not waiting.acquired.done
    held.give_back()
    waiting.acquired.wait()
    waiting.give_back()
    nothing_is_left()


@pytest.mark.parametrize("part", ["leases", "locks"])
def test_a_waiter_whose_node_an_operator_deletes_starts_over_and_two_waiters_do_not_block_each_other(
        semaphore_of, admin, nothing_is_left, part):
    """Two who wait for leases at a time, each with its node, would both wait for ever when the holder returns."""
    held, first, second = (semaphore_of("c", 1) for _ in range(3))
    lease = held.acquire()
    waiting = [first.begin()]
    admin.wait_for_children(held.leases_path, 2)
    waiting.append(second.begin())
    [waiter_lock, _] = admin.wait_for_children(held.locks_path, 2)
    waiter_node = {"leases": admin.children(held.leases_path)[1], "locks": waiter_lock}[part]
    admin.delete(f"{held.path}/{part}/{waiter_node}")
    admin.wait_for_children(held.locks_path, 2)
    admin.wait_for_children(held.leases_path, 2)
    assert not any(one.acquired.done for one in waiting)
    lease.give_back()
    rest = list(waiting)
    while rest:
        done = next((one for one in rest if one.acquired.answered.wait(0.05)), None)
        if done is not None:
            done.acquired.wait()
            done.give_back()
            rest.remove(done)
    nothing_is_left()
