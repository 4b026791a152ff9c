# SPDX-License-Identifier: Apache-2.0
"""C and Java on one semaphore."""
import re

import pytest

from support.waiting import wait_until

BOTH_WAYS = pytest.mark.parametrize("holder, waiter", [("c", "java"), ("java", "c")])


def name_shapes(admin, path) -> set:
    """The nodes' names without what differs from node to node."""
    return {re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "<uuid>", name)[:-10] for name in admin.children(path)}


@BOTH_WAYS
def test_a_waiter_gets_the_lease_that_a_holder_of_the_other_language_returns(semaphore_of, admin, nothing_is_left,
                                                                             holder, waiter):
    held, wanted = semaphore_of(holder, 2), semaphore_of(waiter, 2)
    leases = [held.acquire(), wanted.acquire()]
    waiting = wanted.begin()
    admin.wait_for_children(held.leases_path, 3)
    assert name_shapes(admin, held.leases_path) == {"_c_<uuid>-lease-"}
    assert name_shapes(admin, held.locks_path) == {"_c_<uuid>-lock-"}
    assert not waiting.acquired.done
    returned = leases[0].give_back()
    waiting.acquired.wait()
    assert waiting.acquired.ended > returned.began
    for lease in (leases[1], waiting):
        lease.give_back()
    nothing_is_left()


@BOTH_WAYS
def test_a_contender_queues_behind_a_waiter_of_the_other_language(semaphore_of, admin, nothing_is_left, holder, waiter):
    first, second = semaphore_of(holder, 1), semaphore_of(waiter, 1)
    held = first.acquire()
    earlier = first.begin()
    admin.wait_for_children(first.leases_path, 2)
    later = second.begin()
    admin.wait_for_children(first.locks_path, 2)
    held.give_back()
    earlier.acquired.wait()
    admin.wait_for_children(first.leases_path, 2)
    assert not later.acquired.done
    earlier.give_back()
    later.acquired.wait()
    later.give_back()
    nothing_is_left()


@BOTH_WAYS
def test_timed_acquires_end_while_the_other_language_holds(late_ms, semaphore_of, admin, holder, waiter):
    held, wanted = semaphore_of(holder, 1), semaphore_of(waiter, 1)
    lease = held.acquire()
    call = wanted.acquire_for(500, expect="CURATOR_TIMED_OUT").acquired
    assert 450 <= call.elapsed < 500 + (50 if waiter == "c" else 1000) + late_ms()
    admin.wait_for_children(held.leases_path, 1)
    admin.wait_for_children(held.locks_path, 0)
    lease.give_back()
    wanted.acquire_for(500).give_back()


def test_both_list_the_same_participants_and_data(semaphore_of, java_peer):
    ours, theirs = semaphore_of("c", 3, data="in C"), semaphore_of("java", 3, data="in Java")
    leases = [ours.acquire(), theirs.acquire()]
    values = ours.call("participants").values
    assert values[0::3] == sorted(theirs.call("participants").values, key=lambda node: node[-10:])
    assert values[1::3] == ["in C", "in Java"]
    for lease in leases:
        lease.give_back()


def test_several_leases_wait_for_those_of_java(semaphore_of, admin, nothing_is_left):
    ours, theirs = semaphore_of("c", 3), semaphore_of("java", 3)
    held = theirs.acquire_many(2)
    leases, call = ours.begin_many(3)
    admin.wait_for_children(ours.leases_path, 5)
    for lease in held:
        assert not call.done
        lease.give_back()
    call.wait()
    waiting, java_call = theirs.begin_many(2)
    admin.wait_for_children(ours.leases_path, 4)
    for lease in leases:
        lease.give_back()
    java_call.wait()
    for lease in waiting:
        lease.give_back()
    nothing_is_left()


def test_a_mixed_fleet_never_has_more_leases_than_the_maximum_and_gets_that_many(semaphore_of, nothing_is_left):
    """Each time that all leases are taken, the one that was granted first is returned."""
    maximum, rounds = 3, 120
    semaphores = [semaphore_of(language, maximum) for language in ("c", "java", "c", "java")]
    waiting = [semaphore.begin() for semaphore in 3 * semaphores]
    started, held, spans = len(waiting), [], []
    while waiting or held:
        wait_until(lambda: len(held) + sum(lease.acquired.done for lease in waiting) >=
                   min(maximum, len(waiting) + len(held)), "a grant", 20)
        for lease in [lease for lease in waiting if lease.acquired.done]:
            lease.acquired.wait()
            waiting.remove(lease)
            held.append(lease)
        assert len(held) <= maximum
        first = min(held, key=lambda lease: lease.acquired.ended)
        held.remove(first)
        spans.append((first.acquired.ended, first.give_back().began))
        if started < rounds:
            waiting.append(semaphores[started % len(semaphores)].begin())
            started += 1
    assert len(spans) == rounds
    assert max(sum(since <= at < until for since, until in spans) for at, _ in spans) == maximum
    nothing_is_left()
