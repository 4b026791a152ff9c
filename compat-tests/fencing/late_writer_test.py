# SPDX-License-Identifier: Apache-2.0
"""
A holder that was stopped for longer than its session lives continues to write (go-zk#20, CURATOR-689). The loss is
reported to it, and until it looks, the guard and the token keep its writes out.
"""
import signal
import time

import pytest

from support.admin import expire
from support.waiting import wait_until

TIMEOUT_MS = 2000
ZOK, ZNONODE = 0, -101


@pytest.fixture
def holder(new_peer, zookeeper, path):
    """A mutex of a process of its own, whose client's handle is lent to the test."""
    client = new_peer("c").client(zookeeper.connect_string, session_timeout=TIMEOUT_MS)
    return client.mutex(path)


def write(mutex, resource, data) -> int:
    """What becomes of a guarded write: the ZooKeeper client's result code. It uses the session of the moment."""
    mutex.client.borrow_handle()
    code = int(mutex.call("guarded_set", resource, data).value)
    mutex.client.give_handle_back()
    return code


def test_a_guarded_write_by_a_handle_whose_session_is_over_frees_nothing_twice(
        c_peer, new_proxy, zookeeper, admin, path):
    """zoo_amulti() of ZooKeeper 3.8 then frees the path of an op that is its caller's: here the library's."""
    proxy = new_proxy(zookeeper)
    holder = c_peer.client(proxy.connect_string).mutex(path)
    resource = admin.create(path + "-resource", b"nothing")
    holder.acquire()
    assert write(holder, resource, "in time") == ZOK
    holder.client.borrow_handle()
    expire(holder.client, proxy, zookeeper)
    holder.wait_for_loss()
    for _ in range(3):
        assert int(holder.call("guarded_set", resource, "too late").value) != ZOK
    holder.release(expect="CURATOR_LOCK_LOST")
    holder.client.give_handle_back()
    assert admin.data(resource) == b"in time"


def test_a_holder_in_c_is_stopped_java_writes_and_the_late_guarded_write_fails(
        holder, java_peer, zookeeper, admin, path):
    """go-zk#20, CURATOR-689, CURATOR-607: loss signal, fencing token, guard."""
    resource = admin.create(path + "-resource", b"nothing")
    java = java_peer.client(zookeeper.connect_string).mutex(path)
    holder.acquire()
    token, node = holder.token(), holder.lock_path()
    assert write(holder, resource, "c, in time") == ZOK
    waiting = java.begin("acquire")
    admin.wait_for_children(path, 2)
    holder.client.borrow_handle()
    holder.peer.signal(signal.SIGSTOP)
    waiting.wait()
    java_token = java.token()
    assert java_token > token and not admin.exists(node)
    java.client.write(resource, "java")
    late = holder.begin("guarded_set", resource, "c, too late")  # read and sent when it runs again
    asked = holder.begin("is_owned")
    told = holder.begin("release")
    resumed = time.monotonic() * 1000
    holder.peer.signal(signal.SIGCONT)
    assert int(late.wait().value) != ZOK  # by a session that is over
    assert asked.wait().value == "false"
    told.wait("CURATOR_LOCK_LOST")
    lost = holder.wait_for_loss()
    assert lost.time >= resumed - 1
    holder.client.give_handle_back()
    assert admin.data(resource) == b"java"
    java.release()

    holder.client.wait_for_state("RECONNECTED")
    holder.acquire()
    assert holder.token() > java_token
    assert write(holder, resource, "c, again in time") == ZOK
    holder.release()


def test_the_guard_refuses_also_in_a_session_that_is_alive(holder, java_peer, zookeeper, admin, path):
    """The process has reconnected already, and the thread has not looked yet."""
    resource = admin.create(path + "-resource", b"nothing")
    java = java_peer.client(zookeeper.connect_string).mutex(path)
    holder.acquire()
    holder.peer.signal(signal.SIGSTOP)
    java.acquire()
    java.client.write(resource, "java")
    holder.peer.signal(signal.SIGCONT)
    holder.client.wait_for_state("RECONNECTED")
    assert write(holder, resource, "c, too late") == ZNONODE
    assert admin.data(resource) == b"java"
    holder.release(expect="CURATOR_LOCK_LOST")
    java.release()


def test_each_of_several_holds_is_told_once_after_a_sleep(new_peer, zookeeper, admin, path):
    """CURATOR-206, kazoo#2: also those of other objects and threads, and before the new session is announced."""
    client = new_peer("c").client(zookeeper.connect_string, session_timeout=TIMEOUT_MS)
    mutexes = [client.mutex(f"{path}-{number}") for number in range(5)]
    for mutex in mutexes:
        mutex.acquire()
    client.peer.signal(signal.SIGSTOP)
    admin.wait_until_gone(f"{path}-0/" + admin.children(f"{path}-0")[0], seconds=20)
    client.peer.signal(signal.SIGCONT)
    client.wait_for_state("RECONNECTED")
    for mutex in mutexes:
        mutex.wait_for_loss()
    reconnected = client.wait_for_state("RECONNECTED").time
    for mutex in mutexes:
        [lost] = mutex.losses()
        assert lost.time <= reconnected
        mutex.release(expect="CURATOR_LOCK_LOST")
    assert client.states() == ["CONNECTED", "LOST", "RECONNECTED"] or client.states() == [
        "CONNECTED", "SUSPENDED", "LOST", "RECONNECTED"]


def test_a_sleep_shorter_than_the_session_loses_nothing(new_peer, zookeeper, admin, path):
    """FLINK-10052: a mere interruption is not reported as a loss."""
    holder = new_peer("c").client(zookeeper.connect_string, session_timeout=10000).mutex(path)
    holder.acquire()
    node = admin.children(path)
    for _ in range(3):
        holder.peer.signal(signal.SIGSTOP)
        began = time.monotonic()
        wait_until(lambda began=began: time.monotonic() - began > 0.5, "a short sleep")
        holder.peer.signal(signal.SIGCONT)
        assert holder.is_owned()
    assert admin.children(path) == node and holder.losses() == []
    assert "LOST" not in holder.client.states()
    holder.release()
