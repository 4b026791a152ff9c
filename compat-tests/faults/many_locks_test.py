# SPDX-License-Identifier: Apache-2.0
"""Thousands of locks in one session, whose watches are all set anew in one request when the connection is back."""
import uuid

import pytest

from support.waiting import SLOW, wait_until

# Together well above the megabyte that a server accepts in one request; fewer, longer ones where programs run slowly.
LOCKS, LENGTH = (14000, 90) if SLOW == 1 else (1600, 800)


def lock_paths(path, locks=LOCKS, length=LENGTH) -> list:
    """The nodes of these locks have paths of that length."""
    node_name = 54
    filler = "n" * (length - node_name - len(path) - len("//00000"))
    return [f"{path}/{filler}{number:05}" for number in range(locks)]


def calls(locks, verb, *arguments, threads=8) -> list:
    """The same call on every mutex, some at a time."""
    return [lock.begin(verb, *arguments, thread=f"t{number % threads}") for number, lock in enumerate(locks)]


def mutexes(client, paths) -> list:
    return [client.mutex(path) for path in paths]


def blip_once(client, proxy):
    """The connection breaks once, and what is sent when it is back does not break it again."""
    proxy.blip()
    client.wait_for_state("RECONNECTED")
    other = client.mutex("/other")
    for _ in range(20):
        other.acquire_for(5000)
        other.release()
    assert client.states() == ["CONNECTED", "SUSPENDED", "RECONNECTED"]


@pytest.fixture
def own_zookeeper(new_zookeeper):
    """
    With sessions of 40 s: these tests are about the size of one request, not about time. On a busy machine the answers
    to thousands of requests sent at once delay those to pings for longer than a connection of a session of 10 s lasts;
    test_watches_below_a_long_chroot_survive_a_blip, with fewer locks, has such sessions.
    """
    return new_zookeeper(tick_ms=2000)


@pytest.fixture
def linked(c_peer, own_zookeeper, new_proxy):
    """A client with a link of its own to a server of the test's own, and that link."""
    proxy = new_proxy(own_zookeeper)
    return c_peer.client(proxy.connect_string, session_timeout=40000, log_warnings=1), proxy


def short_path() -> str:
    return f"/{uuid.uuid4().hex[:8]}"


@pytest.mark.timeout(600 * SLOW)
def test_thousands_of_held_locks_survive_a_reconnect(linked):
    """ZOOKEEPER-706: the C client does not split the request."""
    client, proxy = linked
    locks = mutexes(client, lock_paths(short_path()))
    for call in calls(locks, "acquire"):
        call.wait(seconds=120)
    session = client.session()[0]
    blip_once(client, proxy)
    assert client.session()[0] == session
    for number in (0, LOCKS // 2, LOCKS - 1):
        assert locks[number].is_owned(thread=f"t{number % 8}")
    assert not any(lock.losses() for lock in locks)
    assert "too many locks are held in one session to watch" in client.peer.errors()
    for call in calls(locks, "release"):
        call.wait(seconds=120)


def test_watches_below_a_long_chroot_survive_a_blip(c_peer, own_zookeeper, new_proxy, new_admin):
    """X2, ZOOKEEPER-706: the ZooKeeper client sends each path with the chroot in front."""
    chroot = "/" + 1000 * "c"
    new_admin(own_zookeeper.connect_string).create(chroot)
    proxy = new_proxy(own_zookeeper)
    client = c_peer.client(proxy.connect_string + chroot, session_timeout=10000, log_warnings=1)
    locks = mutexes(client, lock_paths("/l", locks=1200, length=100))  # together 1.3 MB
    for call in calls(locks, "acquire"):
        call.wait(seconds=120)
    wait_until(lambda: "too many locks are held in one session to watch" in client.peer.errors(), "a hold too many")
    blip_once(client, proxy)
    assert not any(lock.losses() for lock in locks)


def test_a_waiter_whose_own_and_predecessors_paths_are_too_long_together_is_refused(linked):
    """A path of which one can be watched and two cannot."""
    client, proxy = linked
    path = "/" + 600_000 * "p"
    held, wanted = client.mutex(path, data=b""), client.mutex(path, data=b"")
    held.acquire()
    refused = wanted.begin("acquire_for", 5000).wait("CURATOR_ERROR")
    assert "too many nodes are watched in one session" in refused.error
    blip_once(client, proxy)
    held.release()
    wanted.acquire()
    wanted.release()


@pytest.mark.timeout(600 * SLOW)
def test_thousands_of_tried_locks_leave_a_connection_that_can_be_made_again(linked, own_zookeeper, new_admin):
    """zalando/nakadi#1263: a watch on a predecessor outlives the waiter that has given up."""
    client, proxy = linked
    admin = new_admin(own_zookeeper.connect_string)
    paths = lock_paths(short_path())
    admin.create(paths[0].rsplit("/", 1)[0])
    holder = f"_c_{uuid.uuid4()}-lock-0000000000"
    nodes = paths + [f"{path}/{holder}" for path in paths]
    for first in range(0, len(nodes), 500):  # more at once are not answered in time on a slow machine
        made = [admin.zk.create_async(node) for node in nodes[first:first + 500]]
        for one in made:
            one.get(timeout=60 * SLOW)
    locks = mutexes(client, paths)
    for call in calls(locks, "acquire_for", 20, threads=32):
        call.wait(expect=None, seconds=240)
        assert call.status in ("CURATOR_TIMED_OUT", "CURATOR_ERROR"), call
    session = client.session()[0]
    blip_once(client, proxy)
    assert client.session()[0] == session


def test_a_hold_that_found_no_room_for_its_watch_is_watched_when_there_is_some(linked, own_zookeeper, new_admin):
    """The waiter with the long path takes the room, and gives up."""
    client, _ = linked
    long_path, path = "/" + 300_000 * "p", short_path()
    other = client.peer.client(own_zookeeper.connect_string).mutex(long_path, data=b"")
    other.acquire(thread="other")
    wanted, held = client.mutex(long_path, data=b""), client.mutex(path)
    waiting = wanted.begin("acquire", thread="waiter")
    wait_until(lambda: len(wanted.participants(thread="counter")) == 2, "both in the queue")

    def holds_without_a_watch():
        held.acquire()
        try:
            wait_until(lambda: "too many locks" in client.peer.errors(), "no room", 1)
            return True
        except AssertionError:  # the waiter has not taken it yet
            held.release()
            return False

    wait_until(holds_without_a_watch, "a hold that finds no room")
    wanted.interrupt()
    waiting.wait("CURATOR_INTERRUPTED")
    new_admin(own_zookeeper.connect_string).delete(held.lock_path())
    held.wait_for_loss()
    held.release(expect="CURATOR_LOCK_LOST")
    other.release(thread="other")
