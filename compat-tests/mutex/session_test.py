# SPDX-License-Identifier: Apache-2.0
"""What becomes of a lock when the link breaks, the server restarts, the session ends."""
import itertools
import time

import pytest

from support.admin import expire, new_path
from support.waiting import bound, wait_until


def test_a_short_cut_keeps_the_lock_and_the_places_in_the_queue(linked, admin, path):
    """FLINK-10052, CURATOR-134."""
    links = [linked() for _ in range(3)]
    (held, _), (second, _), (third, _) = links
    held.acquire()
    waiting = [second.begin("acquire")]
    admin.wait_for_children(path, 2)
    waiting.append(third.begin("acquire"))
    queue = admin.wait_for_children(path, 3)
    for _ in range(3):
        for mutex, proxy in links:
            told = len(mutex.client.states())
            proxy.blip()
            wait_until(lambda mutex=mutex, told=told: mutex.client.states()[told:] == ["SUSPENDED", "RECONNECTED"],
                       "suspended, then reconnected")
        assert admin.children(path) == queue
    assert held.is_owned() and held.losses() == []
    held.release()
    waiting[0].wait()
    assert not waiting[1].done
    second.release()
    waiting[1].wait()
    third.release()


def test_threads_exclude_each_other_while_the_links_break_again_and_again(linked, admin, path):
    """Netflix#31, CURATOR-74."""
    links = [linked(retry="forever:20", session_timeout=10000) for _ in range(2)]
    holds = []
    for number in range(30 * 8):
        mutex = links[number % 2][0]
        holds.append({verb: mutex.begin(verb, thread=f"t{number % 8}") for verb in ("acquire", "release")})
    breaks = 0
    while not all(hold["release"].done for hold in holds):
        links[breaks % 2][1].blip()
        breaks += 1
        wait_until(lambda: links[0][0].client.states()[-1] != "SUSPENDED", "a link after its break")
        time.sleep(0.05)  # some work between the breaks
    for hold in holds:
        hold["acquire"].wait()
        hold["release"].wait()
    holds.sort(key=lambda hold: hold["acquire"].ended)
    for earlier, later in itertools.pairwise(holds):
        assert earlier["release"].began <= later["acquire"].ended
    assert breaks > 1
    admin.wait_for_children(path, 0)


def test_the_predecessor_leaves_while_the_waiter_is_cut_off(linked, mutex_of, admin, path):
    """twitter-archive/commons#20, kazoo#170."""
    held = mutex_of("c")
    wanted, proxy = linked()
    held.acquire()
    waiting = wanted.begin("acquire")
    admin.wait_for_children(path, 2)
    proxy.cut()
    wanted.client.wait_for_state("SUSPENDED")
    held.release()
    assert not waiting.done
    proxy.mend()
    waiting.wait()
    wanted.release()


def test_a_holder_whose_session_ends_is_told_before_it_is_reconnected(linked, zookeeper, admin):
    """CURATOR-367, vespa-engine/vespa#3340."""
    mutex, proxy = linked()
    mutex.acquire()
    mutex.acquire()
    token, old = mutex.token(), mutex.client.session()[0]
    expire(mutex.client, proxy, zookeeper)
    mutex.client.wait_for_state("RECONNECTED")
    told = [(event.kind, event.detail) for event in mutex.peer.events]
    assert told[:2] + told[4:] == [("state", "CONNECTED"), ("state", "SUSPENDED"), ("state", "RECONNECTED")]
    assert sorted(told[2:4], key=str) == [("lost", None), ("state", "LOST")]  # in either order
    assert mutex.client.session()[0] != old
    assert not mutex.is_acquired() and not mutex.is_owned()
    mutex.acquire(expect="CURATOR_LOCK_LOST")
    mutex.release(expect="CURATOR_LOCK_LOST")
    mutex.release(expect="CURATOR_LOCK_LOST")
    mutex.release(expect="CURATOR_NOT_OWNER")
    mutex.acquire()
    assert mutex.token() > token
    assert admin.owner(mutex.lock_path()) == mutex.client.session()[0]
    mutex.release()


def test_a_silent_link_loses_the_lock_before_another_gets_it(late_ms, linked, mutex_of, admin, path):
    """CURATOR-460."""
    timeout_ms = 2000
    held, proxy = linked(session_timeout=timeout_ms)
    wanted = mutex_of("c")
    held.acquire()
    waiting = wanted.begin("acquire")
    admin.wait_for_children(path, 2)
    muted = time.monotonic() * 1000
    proxy.mute()
    lost = held.wait_for_loss()
    waiting.wait()
    assert lost.time < waiting.ended
    assert lost.time < muted + timeout_ms + late_ms()
    assert not held.is_acquired()
    assert held.client.states() == ["CONNECTED", "SUSPENDED", "LOST"]
    proxy.unmute()
    held.release(expect="CURATOR_LOCK_LOST")
    held.client.wait_for_state("RECONNECTED")
    held.acquire_for(300, expect="CURATOR_TIMED_OUT")
    wanted.release()
    held.acquire()
    held.release()


def test_a_frozen_server_loses_the_lock_and_gives_it_again_when_it_is_back(late_ms, c_peer, own_zookeeper, path):
    mutex = c_peer.client(own_zookeeper.connect_string, session_timeout=1500).mutex(path)
    mutex.acquire()
    own_zookeeper.pause()
    mutex.wait_for_loss()
    call = mutex.acquire_for(200, thread="other", expect="CURATOR_TIMED_OUT")
    assert call.elapsed < 200 + late_ms()
    own_zookeeper.resume()
    mutex.client.wait_for_state("RECONNECTED")
    mutex.release(expect="CURATOR_LOCK_LOST")
    mutex.acquire()
    mutex.release()


def test_a_waiter_whose_session_ends_queues_again(linked, mutex_of, zookeeper, admin, path):
    """twitter-archive/commons#20, kazoo#170."""
    held = mutex_of("c")
    wanted, proxy = linked(retry="n:10:50")
    held.acquire()
    waiting = wanted.begin("acquire")
    first, second = admin.wait_for_children(path, 2)
    expire(wanted.client, proxy, zookeeper)
    wait_until(lambda: len(set(admin.children(path)) - {second}) == 2, "a node of the new session")
    assert not waiting.done
    assert admin.children(path)[0] == first
    held.release()
    waiting.wait()
    assert admin.owner(wanted.lock_path()) == wanted.client.session()[0]
    assert wanted.losses() == []
    wanted.release()


def test_a_release_while_cut_off_is_made_good_when_the_link_is_back(late_ms, linked, admin, path):
    mutex, proxy = linked(connection_timeout=1000, retry="n:1:50")
    mutex.acquire()
    [node] = admin.children(path)
    proxy.cut()
    mutex.client.wait_for_state("SUSPENDED")
    call = mutex.release(expect="CURATOR_RELEASE_PENDING")
    assert call.elapsed < 1000 + late_ms()
    assert path in call.error
    assert not mutex.is_acquired()
    mutex.release(expect="CURATOR_NOT_OWNER")
    assert admin.children(path) == [node]
    proxy.mend()
    admin.wait_for_children(path, 0)
    mutex.acquire()
    mutex.release()


def test_a_release_on_a_silent_link_is_made_good_when_the_link_is_back(late_ms, linked, admin, path):
    mutex, proxy = linked(connection_timeout=1000, session_timeout=6000)
    mutex.acquire()
    proxy.mute()
    call = mutex.release(expect="CURATOR_RELEASE_PENDING")
    assert 1000 <= call.elapsed < 1000 + late_ms()
    proxy.unmute()
    admin.wait_for_children(path, 0)
    mutex.acquire()
    mutex.release()


@pytest.mark.parametrize("fault", ["cut", "mute"])
def test_a_timed_wait_ends_on_time_without_a_link_and_leaves_nothing(late_ms, linked, mutex_of, admin, path, fault):
    held = mutex_of("c")
    wanted, proxy = linked(session_timeout=8000)
    held.acquire()
    getattr(proxy, fault)()
    call = wanted.acquire_for(400, expect="CURATOR_TIMED_OUT")
    assert 400 <= call.elapsed < 400 + late_ms()
    {"cut": proxy.mend, "mute": proxy.unmute}[fault]()
    admin.wait_for_children(path, 1)

    waiting = wanted.begin("acquire_for", 2000)
    admin.wait_for_children(path, 2)
    getattr(proxy, fault)()
    waiting.wait("CURATOR_TIMED_OUT")
    assert 2000 <= waiting.elapsed < 2000 + late_ms()
    {"cut": proxy.mend, "mute": proxy.unmute}[fault]()
    admin.wait_for_children(path, 1)
    held.release()
    wanted.acquire()
    wanted.release()


@pytest.mark.parametrize("fault", ["cut", "mute"])
def test_an_interrupt_ends_a_wait_without_a_link(late_ms, linked, mutex_of, admin, path, fault):
    held = mutex_of("c")
    wanted, proxy = linked(session_timeout=8000)
    held.acquire()
    waiting = wanted.begin("acquire")
    admin.wait_for_children(path, 2)
    getattr(proxy, fault)()
    interrupt = wanted.interrupt()
    waiting.wait("CURATOR_INTERRUPTED")
    assert waiting.ended - interrupt.began < late_ms()
    {"cut": proxy.mend, "mute": proxy.unmute}[fault]()
    admin.wait_for_children(path, 1)


def test_the_server_restarts_within_the_session_timeout_and_nothing_is_lost(c_peer, new_zookeeper, new_admin):
    timeout_s = 40
    server = new_zookeeper(tick_ms=2000)  # so that it grants as much
    connect = server.connect_string

    def restarted_in_time() -> bool:
        path = new_path()
        held, wanted = (c_peer.client(connect, session_timeout=1000 * timeout_s).mutex(path) for _ in range(2))
        held.acquire()
        waiting = wanted.begin("acquire")
        queue = new_admin(connect).wait_for_children(path, 2)
        killed = time.monotonic()
        server.restart()
        for mutex in (held, wanted):
            mutex.client.wait_for_state("RECONNECTED", seconds=60)
        if time.monotonic() - killed > timeout_s / 2:
            return False  # a lease may be over by then
        assert new_admin(connect).children(path) == queue
        assert held.is_owned() and held.losses() == [] and not waiting.done, held.peer.events
        held.release()
        waiting.wait()
        assert wanted.lock_path() == f"{path}/{queue[1]}"
        wanted.release()
        return True

    assert any(restarted_in_time() for _ in range(3)), "no restart was quick enough"


def test_the_server_comes_back_empty_and_the_lock_is_lost(c_peer, own_zookeeper, path):
    """kazoo#282."""
    mutex = c_peer.client(own_zookeeper.connect_string, session_timeout=1500).mutex(path)
    mutex.acquire()
    own_zookeeper.kill()
    mutex.wait_for_loss()
    mutex.client.wait_for_state("LOST")
    own_zookeeper.forget()
    own_zookeeper.restart()
    mutex.client.wait_for_state("RECONNECTED")
    mutex.release(expect="CURATOR_LOCK_LOST")
    mutex.acquire()
    assert mutex.is_owned()
    mutex.release()


def test_a_lock_is_kept_when_the_leader_of_an_ensemble_dies(c_peer, ensemble, path):
    held, wanted = (c_peer.client(ensemble.connect_string, session_timeout=30000).mutex(path) for _ in range(2))
    held.acquire()
    waiting = wanted.begin("acquire")
    wait_until(lambda: len(held.participants()) == 2, "two contenders")
    ensemble.leader().kill()
    wait_until(lambda: held.call("participants", expect=None).status == "CURATOR_OK", "a new leader", 30)
    assert held.is_owned() and held.losses() == [] and not waiting.done
    held.release(seconds=bound(30))
    waiting.wait()
    wanted.release()
