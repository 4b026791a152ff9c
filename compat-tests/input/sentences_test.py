# SPDX-License-Identifier: Apache-2.0
"""The sentences of failures: who, what, why, and since when."""
import re
import socket
import threading
import time

import pytest

from support.ports import free_port
from support.waiting import wait_until

ENDLESS = {"connection_timeout": 500, "retry": "n:1:50", "await_ms": None}


def sentence_of(client, timeout_ms=300) -> str:
    return client.await_connected(timeout_ms, expect="CURATOR_TIMED_OUT").error


@pytest.mark.parametrize("retries, words", [(0, "0 retries"), (1, "1 retry"), (2, "2 retries")])
def test_retries_are_counted_in_english(c_peer, path, retries, words):
    client = c_peer.client(f"127.0.0.1:{free_port()}", connection_timeout=100, retry=f"n:{retries}:10", await_ms=None)
    assert f" ms and {words}: no connection to" in client.mutex(path).acquire(expect="CURATOR_CONNECTION_LOSS").error


@pytest.fixture
def closing_port():
    """A server that accepts each connection and closes it when something has come."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        def serve():
            while True:
                try:
                    with server.accept()[0] as one:
                        one.recv(1000)
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def test_each_server_that_refuses_is_named_with_it(c_peer):
    servers = [f"127.0.0.1:{free_port()}" for _ in range(3)]
    client = c_peer.client(",".join(servers), **ENDLESS)
    wait_until(lambda: all(f"{server} (connection refused)" in sentence_of(client) for server in servers),
               "the reason of each server")


def test_one_sentence_has_different_reasons_for_different_servers(c_peer, closing_port):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # the system accepts, and nobody answers
        refusing, unanswering = free_port(), silent.getsockname()[1]
        servers = f"127.0.0.1:{refusing},no-such-host.invalid:2181,127.0.0.1:{unanswering},127.0.0.1:{closing_port}"
        client = c_peer.client(servers, **ENDLESS)
        reasons = [rf"127\.0\.0\.1:{refusing} \(connection refused\)",
                   r"no-such-host\.invalid:2181 \(cannot resolve the host name: .+?\)",
                   rf"127\.0\.0\.1:{unanswering} \(it accepted the connection and \w+ not answer.*? for a session.*?\)",
                   rf"127\.0\.0\.1:{closing_port} \(it closed the connection and did not answer .*?\)"]
        wait_until(lambda: all(re.search(reason, sentence_of(client)) for reason in reasons), "all reasons", 60)
        client.close(expect=None)


def test_of_a_name_with_several_addresses_each_is_named(c_peer):
    port = free_port()
    client = c_peer.client(f"localhost:{port}", **ENDLESS)
    wait_until(lambda: f"localhost:{port} (" in sentence_of(client)
                       and "127.0.0.1: connection refused" in sentence_of(client), "the address and its reason")


def test_a_time_out_names_the_holder_and_its_data(mutex_of, admin, path):
    held, wanted = mutex_of("c"), mutex_of("c")
    holder = held.client.mutex(path, data=b"db-7 of \x00 \x1b[2J \xff " + "é".encode())
    holder.acquire()
    node = holder.lock_path()
    text = wanted.acquire_for(300, expect="CURATOR_TIMED_OUT").error
    assert f"waiting for {node}, which holds it; the holder's data is " in text
    assert '"db-7 of \\x00 \\x1b[2J \\xff é"' in text
    assert f"held by {node}" in wanted.acquire_for(0, expect="CURATOR_TIMED_OUT").error
    holder.release()


def test_the_third_in_the_queue_knows_the_holders_data_and_the_fourth_does_not_guess(mutex_of, admin, path):
    holder = mutex_of("c").client.mutex(path, data=b"first" + 100 * b"x")
    holder.acquire()
    queue = []
    for number in (2, 3):
        mutex = mutex_of("c").client.mutex(path, data=b"waiter")
        queue.append(mutex.begin("acquire"))
        admin.wait_for_children(path, number)
        if number == 2:
            call = mutex_of("c").acquire_for(500, expect="CURATOR_TIMED_OUT")
            assert "the last of 2 before us; the holder's data is \"first" + 59 * "x" + '..."' in call.error
            second = mutex
    text = mutex_of("c").acquire_for(500, expect="CURATOR_TIMED_OUT").error
    assert "the last of 3 before us" in text and "data" not in text
    holder.release()
    queue[0].wait()
    second.release()
    queue[1].wait()


def test_a_thread_that_does_not_own_is_told_who_does(mutex_of, path):
    mutex = mutex_of("c")
    nobody = mutex.release(expect="CURATOR_NOT_OWNER").error
    assert "does not hold the lock, nor does another thread of this process" in nobody
    mutex.acquire(thread="holder")
    text = mutex.release(thread="other", expect="CURATOR_NOT_OWNER").error
    assert re.search(r"thread \d+ of this process holds it$", text), text
    assert "of this process holds it" in mutex.call("token", thread="other", expect="CURATOR_NOT_OWNER").error
    mutex.release(thread="holder")


def test_a_holder_that_has_ended_is_told(mutex_of, path):
    mutex = mutex_of("c")
    mutex.acquire(thread="holder")
    mutex.peer.end_thread("holder")
    wait_until(lambda: "and has ended without a release" in mutex.release(expect="CURATOR_NOT_OWNER").error,
               "that the holder has ended")
    mutex.destroy()


def test_several_readers_are_counted(c_peer, zookeeper, path):
    lock = c_peer.client(zookeeper.connect_string).read_write_lock(path)
    for number in range(3):
        lock.read.acquire(thread=f"reader{number}")
    text = lock.read.release(thread="other", expect="CURATOR_NOT_OWNER").error
    assert re.search(r"each of 3 other threads of this process holds it, one of them \d+$", text), text
    for number in range(3):
        lock.read.release(thread=f"reader{number}")


def test_a_loss_says_why_and_since_when(mutex_of, admin, path):
    mutex = mutex_of("c")
    mutex.acquire()
    node = mutex.lock_path()
    deleted = time.monotonic()
    admin.delete(node)
    wait_until(lambda: not mutex.is_owned(), "the loss")
    noticed = time.monotonic()
    text = mutex.acquire_for(100, expect="CURATOR_LOCK_LOST").error
    why = rf"the lock was lost (\d+) ms ago, while it was held: somebody deleted its node \(node {re.escape(node)}\)"
    assert re.search(why + "; release it before it is acquired anew$", text), text
    other = mutex.release(thread="other", expect="CURATOR_NOT_OWNER").error
    assert "has lost it and not released it yet" in other
    least_ms = (time.monotonic() - noticed) * 1000
    released = re.search(why + "$", mutex.release(expect="CURATOR_LOCK_LOST").error)
    assert least_ms - 1 <= int(released.group(1)) <= (time.monotonic() - deleted) * 1000


def test_a_loss_with_the_session_says_so(c_peer, own_zookeeper, new_proxy, path):
    proxy = new_proxy(own_zookeeper)
    mutex = c_peer.client(proxy.connect_string, session_timeout=3000).mutex(path)
    mutex.acquire()
    proxy.mute()
    wait_until(lambda: not mutex.is_owned(), "the loss")
    error = mutex.release(expect="CURATOR_LOCK_LOST").error
    assert "the session is over: the ensemble's leader has not answered" in error


def test_a_chroot_that_does_not_exist_is_said_by_all_who_could_miss_it(c_peer, zookeeper, admin, path):
    client = c_peer.client(zookeeper.connect_string + path, await_ms=None)
    told = f"the chroot {path} of the connect string does not exist"
    assert told in client.await_connected(20000, expect="CURATOR_ERROR").error
    mutex = client.mutex("/lock")
    assert told in mutex.call("participants", expect="CURATOR_ERROR").error
    assert told in mutex.call("contenders", expect="CURATOR_ERROR").error
    assert told in mutex.acquire_for(20000, expect="CURATOR_ERROR").error
    client.await_connected(0)  # which only looks at the connection
    admin.create(path)
    client.await_connected(20000)
    assert mutex.participants() == []
    assert mutex.contenders() == []
    mutex.acquire()
    mutex.release()
