# SPDX-License-Identifier: Apache-2.0
"""Many threads at once."""
import itertools

from support.admin import sequence


def holds_of(calls):
    """Asserts that no two holds overlap; gives them in order of their grants."""
    holds = sorted(calls, key=lambda hold: hold["acquire"].ended)
    for earlier, later in itertools.pairwise(holds):
        assert earlier["acquire"].ended <= earlier["release"].began <= later["acquire"].ended
    return holds


def test_32_threads_share_one_object(mutex_of, admin, path):
    """Netflix#31, CURATOR-74."""
    mutex = mutex_of("c")
    mutex.acquire()
    turns = []
    for _ in range(20):
        for number in range(32):
            verbs = ("acquire", "is_owned", "lock_path", "release")
            turns.append({verb: mutex.begin(verb, thread=f"t{number}") for verb in verbs})
    admin.wait_for_children(path, 33)
    mutex.release()
    for turn in turns:
        for call in turn.values():
            call.wait(seconds=60)
        assert turn["is_owned"].value == "true"
    sequences = [sequence(hold["lock_path"].value) for hold in holds_of(turns)]
    assert sequences == sorted(sequences)
    assert admin.children(path) == []
    assert not mutex.is_acquired()


def test_threads_of_several_clients_and_objects_exclude_each_other(c_peer, new_peer, zookeeper, admin, path):
    clients = [peer.client(zookeeper.connect_string) for peer in (c_peer, c_peer, new_peer("c"))]
    mutexes = [client.mutex(path) for client in clients for _ in range(2)]
    turns = []
    for _ in range(20):
        for mutex in mutexes:
            for number in range(2):
                thread = f"{mutex.name}-{number}"
                turns.append({verb: mutex.begin(verb, thread=thread) for verb in ("acquire", "release")})
    for turn in turns:
        for call in turn.values():
            call.wait(seconds=60)
    holds_of(turns)
    assert admin.children(path) == []


def test_waiters_that_give_up_do_not_disturb_those_that_wait_on(mutex_of, admin, path):
    """ZOOKEEPER-2320, ZOOKEEPER-1910."""
    mutex = mutex_of("c")
    mutex.acquire()
    patient = [mutex.begin("acquire", thread=f"patient-{number}") for number in range(5)]
    hasty = [mutex.begin("acquire_for", 20 + number, thread=f"hasty-{number}")
             for number in range(10) for _ in range(10)]
    for call in hasty:
        call.wait("CURATOR_TIMED_OUT")
    admin.wait_for_children(path, 6)
    mutex.release()
    releases = [mutex.begin("release", thread=f"patient-{number}") for number in range(5)]
    for call in patient + releases:
        call.wait()
    assert admin.children(path) == []
