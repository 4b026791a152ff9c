# SPDX-License-Identifier: Apache-2.0
"""Leases: granted up to the maximum, in order, on time, to be returned by any thread."""
import re

import pytest

LEASE_NAME = re.compile(r"_c_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-lease-\d{10}")


def test_as_many_leases_as_the_maximum_are_granted_and_the_next_when_one_is_returned(semaphore_of, admin,
                                                                                     nothing_is_left):
    semaphore = semaphore_of("c", 3)
    leases = [semaphore.acquire() for _ in range(3)]
    waiting = semaphore.begin()
    admin.wait_for_children(semaphore.leases_path, 4)
    admin.wait_for_children(semaphore.locks_path, 1)
    assert not waiting.acquired.done
    returned = leases[1].give_back()
    waiting.acquired.wait()
    assert waiting.acquired.ended > returned.began
    for lease in (leases[0], leases[2], waiting):
        assert lease.is_held()
        lease.give_back()
    nothing_is_left()


def test_a_lease_has_a_node_and_a_token_that_grows(semaphore_of, admin):
    semaphore = semaphore_of("c", 2, data="host-1")
    leases = [semaphore.acquire() for _ in range(2)]
    names = admin.children(semaphore.leases_path)
    assert [lease.path() for lease in leases] == [f"{semaphore.leases_path}/{name}" for name in names]
    assert all(LEASE_NAME.fullmatch(name) for name in names)
    assert admin.data(leases[0].path()) == b"host-1"
    assert leases[0].token() < leases[1].token()
    assert 0 < int(leases[0].call("lease_remaining").value)


def test_participants_are_the_nodes_of_the_leases_with_their_data_the_oldest_first(semaphore_of, admin):
    one, other = semaphore_of("c", 2, data="one"), semaphore_of("c", 2, data="other")
    held = [one.acquire(), other.acquire()]
    waiting = one.begin()
    admin.wait_for_children(one.leases_path, 3)
    values = other.call("participants").values
    assert values[0::3] == [f"{one.leases_path}/{name}" for name in admin.children(one.leases_path)]
    assert values[1::3] == ["one", "other", "one"]
    assert values[2::3] == ["true", "true", "false"]
    held[0].give_back()
    waiting.acquired.wait()


def test_another_thread_returns_a_lease(semaphore_of, nothing_is_left):
    semaphore = semaphore_of("c", 1)
    lease = semaphore.acquire(thread="one")
    waiting = semaphore.begin(thread="two")
    lease.give_back(thread="three")
    waiting.acquired.wait()
    waiting.give_back(thread="one")
    nothing_is_left()


def test_a_thread_that_has_a_lease_gets_another_one(semaphore_of):
    semaphore = semaphore_of("c", 2)
    leases = [semaphore.acquire(thread="one") for _ in range(2)]
    semaphore.acquire_for(0, thread="one", expect="CURATOR_TIMED_OUT")
    for lease in leases:
        lease.give_back(thread="one")


@pytest.mark.parametrize("timeout_ms", [0, 300])
def test_a_timed_acquire_ends_on_time_and_leaves_nothing(late_ms, semaphore_of, admin, timeout_ms):
    semaphore = semaphore_of("c", 2)
    leases = [semaphore.acquire() for _ in range(2)]
    call = semaphore.acquire_for(timeout_ms, expect="CURATOR_TIMED_OUT").acquired
    assert timeout_ms <= call.elapsed < timeout_ms + 50 + late_ms()
    assert "2 of 2" in call.error if timeout_ms == 0 else "1 of 2 leases, of which 2 are taken" in call.error
    admin.wait_for_children(semaphore.leases_path, 2)
    admin.wait_for_children(semaphore.locks_path, 0)
    leases[0].give_back()
    semaphore.acquire_for(timeout_ms)


def test_a_timed_acquire_behind_a_waiter_ends_on_time_and_leaves_nothing(late_ms, semaphore_of, admin):
    semaphore, other = semaphore_of("c", 1), semaphore_of("c", 1)
    held = semaphore.acquire()
    first = other.begin()
    admin.wait_for_children(semaphore.leases_path, 2)
    for timeout_ms in (0, 300):
        call = semaphore.acquire_for(timeout_ms, expect="CURATOR_TIMED_OUT").acquired
        assert call.elapsed < timeout_ms + 50 + late_ms()
    admin.wait_for_children(semaphore.leases_path, 2)
    admin.wait_for_children(semaphore.locks_path, 1)
    held.give_back()
    first.acquired.wait()


def test_a_try_right_behind_a_return_that_is_not_confirmed_gets_the_lease(semaphore_of):
    semaphore = semaphore_of("c", 1)
    for _ in range(20):
        semaphore.acquire_for(0, thread="one").give_back_for(0, thread="one", expect=None)


def test_several_leases_are_granted_together_or_not_at_all(semaphore_of, admin, nothing_is_left):
    semaphore = semaphore_of("c", 4)
    held = semaphore.acquire_many(2)
    call = semaphore.acquire_many(3, 200, expect="CURATOR_TIMED_OUT")
    admin.wait_for_children(semaphore.leases_path, 2)
    leases, call = semaphore.begin_many(4)
    admin.wait_for_children(semaphore.leases_path, 6)
    held[0].give_back()
    admin.wait_for_children(semaphore.leases_path, 5)
    assert not call.done
    held[1].give_back()
    call.wait()
    assert [lease.is_held() for lease in leases] == 4 * [True]
    assert len({lease.path() for lease in leases}) == 4
    for lease in leases:
        lease.give_back()
    nothing_is_left()


def test_callers_that_take_several_do_not_block_each_other(semaphore_of, nothing_is_left):
    semaphores = [semaphore_of("c", 4) for _ in range(4)]
    for _ in range(5):
        taken = [semaphore.begin_many(3) for semaphore in semaphores]
        rest = list(taken)
        while rest:
            done = next((one for one in rest if one[1].done), None)
            if done is None:
                rest[0][1].answered.wait(0.005)
                continue
            done[1].wait()
            for lease in done[0]:
                lease.give_back()
            rest.remove(done)
    nothing_is_left()


def test_an_interrupt_ends_the_waits_and_leaves_nothing(late_ms, semaphore_of, admin):
    semaphore, other = semaphore_of("c", 1), semaphore_of("c", 1)
    held = other.acquire()
    waiting = [semaphore.begin(), semaphore.begin("acquire", 60000)]
    admin.wait_for_children(semaphore.locks_path, 2)
    admin.wait_for_children(semaphore.leases_path, 2)
    began = semaphore.interrupt().began
    for lease in waiting:
        lease.acquired.wait("CURATOR_INTERRUPTED")
        assert lease.acquired.ended - began < 50 + late_ms()
    admin.wait_for_children(semaphore.locks_path, 0)
    admin.wait_for_children(semaphore.leases_path, 1)
    held.give_back()
    semaphore.acquire_for(0)


def test_a_semaphore_destroyed_in_use_sends_waiters_home_and_gives_its_leases_back(semaphore_of, admin,
                                                                                   nothing_is_left):
    semaphore, other = semaphore_of("c", 1), semaphore_of("c", 1)
    semaphore.acquire()
    waiting = semaphore.begin()
    admin.wait_for_children(semaphore.leases_path, 2)
    semaphore.destroy()
    waiting.acquired.wait("CURATOR_CLOSED")
    other.acquire().give_back()
    assert semaphore.losses() == []
    nothing_is_left()


def test_a_client_closed_in_use_sends_waiters_home_and_gives_its_leases_back(semaphore_of, admin, nothing_is_left):
    semaphore = semaphore_of("c", 1)
    lease = semaphore.acquire()
    waiting = semaphore.begin()
    admin.wait_for_children(semaphore.leases_path, 2)
    semaphore.client.close()
    waiting.acquired.wait("CURATOR_CLOSED")
    nothing_is_left()
    semaphore.acquire_for(0, expect="CURATOR_CLOSED")
    lease.give_back(expect="CURATOR_CLOSED")
    semaphore.destroy()


def test_fifty_contenders_for_five_leases_all_get_one(semaphore_of, nothing_is_left):
    semaphores = [semaphore_of("c", 5) for _ in range(5)]
    leases = [semaphores[number % 5].begin() for number in range(50)]
    returns = [lease.peer.begin(lease.name, "return", lease.name) for lease in leases]
    spans = []
    for lease, returned in zip(leases, returns):
        lease.acquired.wait(seconds=60)
        returned.wait(seconds=60)
        spans.append((lease.acquired.ended, returned.began))
    assert max(sum(since <= at < until for since, until in spans) for at, _ in spans) <= 5
    nothing_is_left()


def test_what_cannot_be_granted_is_refused_at_once(semaphore_of, c_peer, zookeeper, path, admin):
    client = c_peer.client(zookeeper.connect_string)
    for maximum in (0, -1):
        created = client.semaphore(path, maximum, expect="CURATOR_INVALID_ARGUMENT").created
        assert f"the maximum of leases is {maximum}" in created.error
    for wrong in ("", "no-slash", "/a//b", "/a/"):
        client.semaphore(wrong, 1, expect="CURATOR_INVALID_ARGUMENT")
    semaphore = client.semaphore(path, 3)
    _, call = semaphore.begin_many(4)
    assert "1 to 3" in call.wait("CURATOR_INVALID_ARGUMENT").error
    _, call = semaphore.begin_many(0)
    call.wait("CURATOR_INVALID_ARGUMENT")
    semaphore.acquire_for(-1, expect="CURATOR_INVALID_ARGUMENT")
    assert not admin.exists(path)


def test_null_arguments_callbacks_and_second_returns_are_refused(run_scenario, zookeeper, path, admin):
    run_scenario("semaphore_calls", zookeeper.connect_string, path)
    assert admin.children(f"{path}/leases") == []


def test_a_lease_is_returned_once_whoever_else_returns_it_or_asks_about_it(run_scenario, zookeeper, path,
                                                                           nothing_is_left):
    run_scenario("semaphore_returned_meanwhile", zookeeper.connect_string, path, seconds=60)
    nothing_is_left()
