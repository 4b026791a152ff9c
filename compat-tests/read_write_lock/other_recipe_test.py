# SPDX-License-Identifier: Apache-2.0
"""A mutex and a read-write lock on one path do not exclude each other, here as in Curator. The log says so."""
from support.waiting import wait_until


def warnings(peer) -> list:
    return [line for line in peer.errors().splitlines() if "do not exclude each other" in line]


def test_a_mutex_that_meets_a_read_write_lock_warns_once_for_each_object(c_peer, java_peer, zookeeper, admin, path):
    java = java_peer.client(zookeeper.connect_string).read_write_lock(path)
    client = c_peer.client(zookeeper.connect_string, log=1)
    mutex, another = client.mutex(path), client.mutex(path)
    mutex.acquire()
    mutex.release()
    assert warnings(c_peer) == []
    java.write.acquire()
    [name] = admin.children(path)
    for _ in range(2):
        mutex.acquire_for(100, expect=None)
        mutex.release(expect=None)
    another.acquire_for(100, expect=None)
    client.close()
    said = warnings(c_peer)
    assert len(said) == 2 and all(f"lock {path}: " in line and name in line for line in said)


def test_a_read_write_lock_that_meets_a_mutex_warns_once(c_peer, java_peer, zookeeper, admin, path):
    java = java_peer.client(zookeeper.connect_string).mutex(path)
    client = c_peer.client(zookeeper.connect_string, log=1)
    lock = client.read_write_lock(path)
    for side in (lock.write, lock.read):
        side.acquire()
        side.release()
    lock.read.acquire()
    assert warnings(c_peer) == []
    lock.read.release()
    java.acquire()
    for side in (lock.read, lock.write, lock.read):
        side.acquire_for(100, expect=None)
        side.release(expect=None)
    wait_until(lambda: warnings(c_peer), "the warning")
    client.close()
    assert len(warnings(c_peer)) == 1
