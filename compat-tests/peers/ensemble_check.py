# SPDX-License-Identifier: Apache-2.0
"""Three servers, and their leader is killed while C and Java contend. Run by the matrix, which names the servers."""
from support.turns import begin_mutex_turns, check_mutex_turns
from support.waiting import wait_until

ROUNDS = 30
PATIENT = {"session_timeout": 30000, "retry": "n:200:200"}


def test_contention_goes_on_in_order_when_the_leader_is_killed(c_peer, java_peer, ensemble, new_admin, path):
    new_admin(ensemble.connect_string).create(path)
    locks = [peer.client(ensemble.connect_string, await_ms=30000, **PATIENT).mutex(path)
             for peer in (c_peer, java_peer) * 2]
    turns = begin_mutex_turns(locks, ROUNDS)
    wait_until(lambda: sum(calls[-1].done for calls in turns) > len(turns) // 4, "a quarter of the turns", 60)
    ensemble.leader().kill()
    left = sum(not calls[-1].done for calls in turns)
    check_mutex_turns(turns, seconds=90)
    assert left > len(locks), "the leader was killed too late"
    for lock in locks:
        assert lock.losses() == []
    admin = new_admin(ensemble.connect_string)
    admin.wait_for_children(path, 0)
