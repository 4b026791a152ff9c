# SPDX-License-Identifier: Apache-2.0
"""C and Java take turns on one lock."""
import itertools

import pytest

from support.admin import sequence
from support.waiting import bound

BOTH_WAYS = pytest.mark.parametrize("holder, waiter", [("c", "java"), ("java", "c")])
CLOSE_TO_THE_LIMIT_MS = {"c": 200, "java": 1000}  # how late a timed wait may return


@BOTH_WAYS
def test_a_waiter_gets_the_lock_when_a_holder_of_the_other_language_releases(mutex_of, admin, path, holder, waiter):
    """kazoo#548, kazoo#599."""
    held, wanted = mutex_of(holder), mutex_of(waiter)
    held.acquire()
    waiting = wanted.begin("acquire")
    admin.wait_for_children(path, 2)
    assert not waiting.done
    release = held.release()
    waiting.wait()
    assert waiting.ended > release.began
    wanted.release()
    assert admin.children(path) == []


def test_grants_go_by_sequence_over_300_hand_offs_among_four_c_and_four_java_threads(mutex_of, admin, path):
    """ZOOKEEPER-2931, ZOOKEEPER-3162."""
    rounds = 40
    gate = mutex_of("c")
    gate.acquire()
    contenders = [(mutex_of(language), f"t{number}") for language in ("c", "java") for number in range(2)]
    contenders += [(mutex, thread + "b") for mutex, thread in contenders]  # two threads on one object
    turns = []
    for mutex, thread in contenders:
        for _ in range(rounds):
            verbs = ("acquire", "lock_path", "token", "release")
            turns.append((mutex.peer.language, [mutex.begin(verb, thread=thread) for verb in verbs]))
    admin.wait_for_children(path, len(contenders) + 1)
    gate.release()
    for _, calls in turns:
        for call in calls:
            call.wait(seconds=60)
    turns.sort(key=lambda turn: turn[1][0].ended)
    assert len(turns) == 320
    for (_, earlier), (_, later) in itertools.pairwise(turns):
        acquired, _, _, released = earlier
        assert sequence(earlier[1].value) < sequence(later[1].value)
        assert int(earlier[2].value) < int(later[2].value)
        assert acquired.ended <= released.began <= later[0].ended
    hand_offs = {(earlier, later) for (earlier, _), (later, _) in itertools.pairwise(turns)}
    assert {("c", "java"), ("java", "c")} <= hand_offs
    assert admin.children(path) == []


@BOTH_WAYS
def test_a_timed_wait_ends_in_time_and_leaves_no_node(late_ms, mutex_of, admin, path, holder, waiter):
    held, wanted = mutex_of(holder), mutex_of(waiter)
    held.acquire()
    before = admin.children(path)
    call = wanted.acquire_for(400, expect="CURATOR_TIMED_OUT")
    assert 400 <= call.elapsed < 400 + late_ms(CLOSE_TO_THE_LIMIT_MS[waiter])
    assert admin.wait_for_children(path, 1) == before
    held.release()
    wanted.acquire_for(400)
    wanted.release()


@BOTH_WAYS
def test_a_timed_wait_gets_the_lock_when_it_is_released_in_time(mutex_of, admin, path, holder, waiter):
    held, wanted = mutex_of(holder), mutex_of(waiter)
    held.acquire()
    waiting = wanted.begin("acquire_for", int(bound(15) * 1000))
    admin.wait_for_children(path, 2)
    held.release()
    waiting.wait()
    wanted.release()


@BOTH_WAYS
def test_a_try_gets_a_free_lock_and_gives_up_at_once_on_a_held_one(late_ms, mutex_of, admin, path, holder, waiter):
    """spring-integration#1913, kazoo#315."""
    held, wanted = mutex_of(holder), mutex_of(waiter)
    held.acquire_for(0)
    call = wanted.acquire_for(0, expect="CURATOR_TIMED_OUT")
    assert call.elapsed < late_ms(CLOSE_TO_THE_LIMIT_MS[waiter])
    admin.wait_for_children(path, 1)
    held.acquire_for(0)  # its own once more
    held.release()
    held.release()
    wanted.acquire_for(0)
    wanted.release()


@BOTH_WAYS
def test_a_lock_acquired_three_times_is_free_after_the_third_release(mutex_of, admin, path, holder, waiter):
    held, wanted = mutex_of(holder), mutex_of(waiter)
    held.acquire()
    node = admin.children(path)
    held.acquire()
    held.acquire_for(0)
    assert admin.children(path) == node
    waiting = wanted.begin("acquire")
    queue = admin.wait_for_children(path, 2)
    held.release()
    held.release()
    assert admin.children(path) == queue
    assert not waiting.done
    held.release()
    waiting.wait()
    assert admin.children(path) == queue[1:]
    held.release(expect="CURATOR_NOT_OWNER")
    wanted.release()


def test_both_list_the_same_participants_in_the_same_order(mutex_of, admin, path):
    """Netflix#117, CURATOR-347."""
    mutexes = [mutex_of(language) for language in ("java", "c", "java", "c", "c", "java")]
    mutexes[0].acquire()
    waiting = []
    for count, mutex in enumerate(mutexes[1:], start=2):
        waiting.append(mutex.begin("acquire"))
        admin.wait_for_children(path, count)
    expected = [f"{path}/{name}" for name in admin.children(path)]
    assert mutexes[0].participants() == expected
    assert mutexes[1].participants(thread="looker") == expected
    mutexes[0].release()
    for call, mutex in zip(waiting, mutexes[1:]):
        call.wait()
        mutex.release()
    assert mutexes[0].participants() == mutexes[1].participants() == []


@BOTH_WAYS
def test_a_killed_holder_frees_a_waiter_of_the_other_language_after_its_session_timeout(
        new_peer, peer_of, zookeeper, admin, path, holder, waiter):
    """kazoo#412, gbif/pipelines#1164."""
    timeout_ms = 1500
    victim = new_peer(holder)
    held = victim.client(zookeeper.connect_string, session_timeout=timeout_ms).mutex(path)
    wanted = peer_of(waiter).client(zookeeper.connect_string).mutex(path)
    held.acquire()
    waiting = wanted.begin("acquire")
    admin.wait_for_children(path, 2)
    victim.kill()
    assert not waiting.done
    waiting.wait()
    wanted.release()
