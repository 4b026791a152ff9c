# SPDX-License-Identifier: Apache-2.0
"""Mutexes are destroyed and clients closed while they are in use."""
import os

import pytest

from support.waiting import wait_until


def test_a_mutex_destroyed_while_held_frees_the_lock(late_ms, mutex_of, admin, path):
    """spring-integration#11113, apache/kylin#664."""
    held, wanted = mutex_of("c"), mutex_of("c")
    held.acquire()
    held.acquire()
    waiting = wanted.begin("acquire")
    admin.wait_for_children(path, 2)
    destroyed = held.destroy(thread="other")
    assert destroyed.elapsed < late_ms(500)
    waiting.wait()
    admin.wait_for_children(path, 1)
    wanted.release()
    assert held.losses() == []


def test_a_mutex_destroyed_while_threads_wait_sends_them_home(late_ms, mutex_of, admin, path):
    held, wanted = mutex_of("c"), mutex_of("c")
    held.acquire()
    waiting = [wanted.begin("acquire", thread="one"), wanted.begin("acquire_for", 60000, thread="two")]
    admin.wait_for_children(path, 3)
    destroyed = wanted.destroy()
    assert destroyed.elapsed < late_ms(500)
    for call in waiting:
        call.wait("CURATOR_CLOSED")
        assert call.ended < destroyed.ended + late_ms(50)
    admin.wait_for_children(path, 1)
    again = wanted.client.mutex(path)
    again.acquire_for(100, expect="CURATOR_TIMED_OUT")
    held.release()
    again.acquire()


def test_a_client_closed_while_threads_wait_sends_them_home(late_ms, mutex_of, admin, path):
    """kazoo#83, kazoo#482."""
    held, wanted = mutex_of("c"), mutex_of("c")
    held.acquire()
    waiting = [wanted.begin("acquire", thread="one"), wanted.begin("acquire_for", 60000, thread="two")]
    admin.wait_for_children(path, 3)
    closed = wanted.client.close()
    assert closed.elapsed < late_ms(500)
    for call in waiting:
        call.wait("CURATOR_CLOSED")
        assert call.ended < closed.ended + late_ms(50)
    admin.wait_for_children(path, 1)
    for verb in (("acquire",), ("acquire_for", 1000), ("acquire_for", 0), ("participants",), ("release",)):
        call = wanted.call(*verb, expect="CURATOR_CLOSED")
        assert call.elapsed < late_ms(500)
    assert not wanted.is_acquired()
    wanted.destroy()
    held.release()


def test_a_client_closed_while_it_holds_frees_the_lock(late_ms, mutex_of, admin, path):
    """ZOOKEEPER-1105, apache/dolphinscheduler#4384."""
    held, wanted = mutex_of("c"), mutex_of("c")
    held.acquire()
    waiting = wanted.begin("acquire")
    admin.wait_for_children(path, 2)
    closed = held.client.close()
    assert closed.elapsed < late_ms(500)
    waiting.wait()
    admin.wait_for_children(path, 1)
    assert not held.is_acquired() and not held.is_owned()
    held.release(expect="CURATOR_CLOSED")
    held.destroy()


@pytest.mark.parametrize("fault", ["cut", "mute"])
def test_a_client_closes_promptly_without_a_link(late_ms, c_peer, zookeeper, new_proxy, mutex_of, admin, path, fault):
    proxy = new_proxy(zookeeper)
    client = c_peer.client(proxy.connect_string, session_timeout=3000)
    held, waiter = client.mutex(path), mutex_of("c")
    held.acquire()
    other = waiter.begin("acquire")
    admin.wait_for_children(path, 2)
    waiting = held.begin("acquire", thread="other")
    admin.wait_for_children(path, 3)
    getattr(proxy, fault)()
    if fault == "cut":
        client.wait_for_state("SUSPENDED")
    closed = client.close(expect="CURATOR_CONNECTION_LOSS")
    assert closed.elapsed < 5000 + late_ms(500)
    waiting.wait("CURATOR_CLOSED")
    assert closed.error
    other.wait()  # after the session timeout


def test_a_hundred_clients_come_and_go_and_nothing_remains_of_them(c_peer, zookeeper, admin, path):
    def use_a_client(closed_first):
        client = c_peer.client(zookeeper.connect_string)
        mutex = client.mutex(path)
        mutex.acquire(thread="main")
        if closed_first:
            client.close()
            mutex.destroy(thread="main")
        else:
            mutex.release(thread="main")
            mutex.destroy(thread="main")
            client.close()

    def in_use():
        process = f"/proc/{c_peer.process.pid}"
        return len(os.listdir(f"{process}/task")), len(os.listdir(f"{process}/fd"))

    use_a_client(closed_first=False)
    threads, descriptors = in_use()
    for number in range(100):
        use_a_client(closed_first=number % 2 == 1)
    wait_until(lambda: in_use()[0] <= threads and in_use()[1] <= descriptors, "threads and descriptors gone")
    admin.wait_for_children(path, 0)


def test_events_for_a_mutex_that_is_gone_are_ignored(c_peer, zookeeper, new_proxy, mutex_of, admin, path):
    """rtbkit/rtbkit#57, yfinkelstein/node-zookeeper#30."""
    held = mutex_of("c")
    proxy = new_proxy(zookeeper)
    client = c_peer.client(proxy.connect_string)
    held.acquire()
    for _ in range(20):
        wanted = client.mutex(path)
        wanted.acquire_for(5, thread="main", expect="CURATOR_TIMED_OUT")
        wanted.destroy(thread="main")
    proxy.blip()
    client.wait_for_state("RECONNECTED")
    admin.zk.set(held.lock_path(), b"changed")
    held.release()
    wanted = client.mutex(path)
    wanted.acquire()
    wanted.release()


def test_a_process_that_ends_while_holding_frees_the_lock_at_once(new_peer, zookeeper, mutex_of, admin, path):
    leaver = new_peer("c")
    leaver.client(zookeeper.connect_string).mutex(path).acquire()
    waiting = mutex_of("c").begin("acquire")
    admin.wait_for_children(path, 2)
    leaver.finish()
    waiting.wait()
