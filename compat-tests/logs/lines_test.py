# SPDX-License-Identifier: Apache-2.0
"""The lines that an operator reads: sessions and states at INFO, the way of an acquire at DEBUG."""
import re

from logs.conftest import DEBUG, ERROR, INFO, WARN
from support.admin import expire
from support.waiting import wait_until

BY_LIST, BY_WATCH = "by a list of the nodes", "by the watch on the node before ours"


def session_id(client) -> str:
    return f"0x{client.session()[0]:x}"


def test_the_begin_and_the_end_of_a_session(c_peer, zookeeper, recorded):
    client = c_peer.client(zookeeper.connect_string, session_timeout=25000, log=1)
    record, session = recorded(client), session_id(client)
    record.wait_for_line(rf"session {session} is open at 127\.0\.0\.1:{zookeeper.port}, with a timeout of 10000 ms "
                         r"\(requested: 25000 ms\)", INFO)
    client.close()
    record.wait_for_line(f"session {session} is closed", INFO)
    assert record.lines(WARN) == []


def test_an_interruption(c_peer, zookeeper, new_proxy, recorded):
    proxy = new_proxy(zookeeper)
    client = c_peer.client(proxy.connect_string, log=1)
    record, session = recorded(client), session_id(client)
    proxy.blip()
    client.wait_for_state("RECONNECTED")
    record.wait_for_line(rf"connection SUSPENDED: session {session} has lost its server", INFO)
    record.wait_for_line(rf"session {session} is connected again, to 127\.0\.0\.1:\d+", INFO)
    record.wait_for_line(rf"connection RECONNECTED after \d+ ms: the same session {session}", INFO)


def test_a_loss_by_our_own_clock_says_so_for_the_connection_and_for_each_lock(c_peer, zookeeper, new_proxy, recorded,
                                                                              path):
    proxy = new_proxy(zookeeper)
    mutex = c_peer.client(proxy.connect_string, session_timeout=1000, log=1, trace=1).mutex(path)
    record, session = recorded(mutex.client), session_id(mutex.client)
    mutex.acquire()
    proxy.cut()
    mutex.wait_for_loss()
    why = "the ensemble's leader has not answered for so long that it must be taken for expired"
    record.wait_for_line(rf"connection LOST: session {session} is over, its timeout was \d+ ms: {why}", INFO)
    record.wait_for_line(rf"lock {path} is lost: the session is over: {why}", WARN)
    proxy.mend()
    mutex.client.wait_for_state("RECONNECTED")
    record.wait_for_line(rf"connection RECONNECTED after \d+ ms: a new session {session_id(mutex.client)}", INFO)


def test_a_loss_that_the_server_reports(c_peer, zookeeper, new_proxy, recorded, path):
    proxy = new_proxy(zookeeper)
    mutex = c_peer.client(proxy.connect_string, log=1).mutex(path)
    record = recorded(mutex.client)
    mutex.acquire()
    expire(mutex.client, proxy, zookeeper)
    mutex.wait_for_loss()
    record.wait_for_line(rf"lock {path} is lost: the session is over: the server has expired it", WARN)
    record.wait_for_line(r"connection LOST: session 0x[0-9a-f]+ is over, its timeout was \d+ ms: "
                         r"the server has expired it", INFO)


def test_a_lock_lost_to_an_operator(c_peer, zookeeper, admin, recorded, path):
    mutex = c_peer.client(zookeeper.connect_string, log=1).mutex(path)
    mutex.acquire()
    admin.delete(mutex.lock_path())
    recorded(mutex.client).wait_for_line(rf"lock {path} is lost: somebody deleted its node", WARN)


def test_the_way_of_an_acquire(c_peer, new_peer, zookeeper, admin, recorded, path):
    held = c_peer.client(zookeeper.connect_string, log=1).mutex(path)
    wanted = new_peer("c").client(zookeeper.connect_string, log=1).mutex(path)
    holder, waiter = recorded(held.client), recorded(wanted.client)
    held.acquire()
    node = held.lock_path().rsplit("/", 1)[-1]
    holder.wait_for_line(rf"acquire {path}: granted after [\d.]+ ms: by a list of the nodes; ours is {path}/{node}")
    waiting = wanted.begin("acquire")
    waiter.wait_for_line(rf"acquire {path}: queued behind {node}, with 1 before us in all")
    held.release()
    waiting.wait()
    holder.wait_for_line(rf"lock {path} was held for [\d.]+ ms")
    holder.wait_for_line(rf"release {path}: returned after [\d.]+ ms: CURATOR_OK")
    held.acquire_for(100, expect="CURATOR_TIMED_OUT")
    holder.wait_for_line(rf"CURATOR_TIMED_OUT: .*{path}: gave up after \d+ ms, waiting for .*")
    for record in (holder, waiter):
        assert not [line for line in record.lines(INFO) if path in line]
        assert [line for line in record.lines(DEBUG) if line.startswith("zookeeper: ")]


def ways_of_grants(record, path) -> list:
    """How each grant of the path came about, oldest first."""
    pattern = rf"acquire {path}: granted after [\d.]+ ms: (.*); ours is {path}/.*"
    return [found.group(1) for found in map(re.compile(pattern).fullmatch, record.lines()) if found]


def wait_for_way(record, path, number) -> str:
    return wait_until(lambda: ways_of_grants(record, path)[number - 1:], f"grant {number} logged")[0]


def test_a_grant_by_the_watch_sends_nothing_and_says_so(c_peer, new_zookeeper, new_wire, recorded, path):
    """A session that its leader has not answered for T/12 lists all the same; a slow machine gets there."""
    server = new_zookeeper(tick_ms=2000)
    wire = new_wire(server)
    held = c_peer.client(server.connect_string).mutex(path)
    wanted = c_peer.client(wire.connect_string, log=1).mutex(path)
    for number in range(1, 11):
        wire.clear()
        held.acquire()
        waiting = wanted.begin("acquire")
        wire.wait_for(2, "getData")  # both watches
        wire.clear()
        held.release()
        waiting.wait()
        asked = wire.asked()
        wanted.release()
        way = wait_for_way(recorded(wanted.client), path, number)
        assert way == (BY_LIST if "getChildren2" in asked else BY_WATCH)
        if asked == {}:
            return
    raise AssertionError(f"always asked again, at last {asked}")


def test_a_grant_behind_a_node_of_the_own_session_is_by_a_list(c_peer, zookeeper, recorded, path):
    client = c_peer.client(zookeeper.connect_string, log=1)
    held, wanted, record = client.mutex(path), client.mutex(path), recorded(client)
    held.acquire()
    waiting = wanted.begin("acquire")
    record.wait_for_line(rf"acquire {path}: queued behind .*")
    held.release()
    waiting.wait()
    wait_for_way(record, path, 2)
    assert ways_of_grants(record, path) == [BY_LIST, BY_LIST]


def test_a_read_lock_under_our_write_lock(c_peer, zookeeper, recorded, path):
    lock = c_peer.client(zookeeper.connect_string, log=1).read_write_lock(path)
    lock.write.acquire()
    lock.read.acquire()
    wait_for_way(recorded(lock.client), path, 2)
    assert ways_of_grants(recorded(lock.client), path) == [BY_LIST, "under our write lock"]


def test_a_retry_says_why(c_peer, zookeeper, new_proxy, recorded, path):
    proxy = new_proxy(zookeeper)
    mutex = c_peer.client(proxy.connect_string, connection_timeout=50, retry="n:2:10", log=1, trace=1).mutex(path)
    proxy.cut()
    mutex.acquire(expect="CURATOR_CONNECTION_LOSS")
    record = recorded(mutex.client)
    record.wait_for_line(rf"curator_mutex_acquire {path}: retry 2 after \d+ ms: .*")
    retry = record.wait_for_trace("retry", 2)
    assert (retry.status, retry.path) == ("CURATOR_CONNECTION_LOSS", path) and retry.ms >= 10
    assert record.wait_for_trace("acquire").status == "CURATOR_CONNECTION_LOSS"


def test_refused_credentials(c_peer, zookeeper, recorded):
    client = c_peer.client(zookeeper.connect_string, await_ms=None, auth_scheme="no-such-scheme", auth="x", log=1)
    client.await_connected(10000, expect="CURATOR_NO_AUTH")
    record = recorded(client)
    record.wait_for_line(r'the server refused the credentials of scheme "no-such-scheme"; no other session is opened, '
                         "and calls that need one answer CURATOR_NO_AUTH", ERROR)
    client.close()
    assert len(record.lines(ERROR)) == 1
