# SPDX-License-Identifier: Apache-2.0
"""A handle that the program has borrowed outlives its session here, but does not keep the session's locks there."""
import pytest

from support.waiting import wait_until

TIMEOUT_MS = 4000


@pytest.fixture
def leaver(new_peer):
    """A process that never gives its handle back; what stays open ends when the process is killed."""
    peer = new_peer("c")
    yield peer
    peer.kill()


@pytest.fixture
def linked(request, zookeeper, new_proxy, path):
    """A mutex of a client with a link of its own, and that link."""
    proxy = new_proxy(zookeeper)
    peer = request.getfixturevalue("leaver" if "leaver" in request.fixturenames else "c_peer")
    return peer.client(proxy.connect_string, session_timeout=TIMEOUT_MS).mutex(path), proxy


def test_a_lost_lock_is_free_although_the_handle_is_lent(linked, mutex_of, admin, path):
    """ZOOKEEPER-1105: the requests of a client that hears nothing reach the server and keep its session alive there."""
    held, proxy = linked
    wanted = mutex_of("c")
    held.client.borrow_handle()
    held.acquire()
    proxy.mute_answers()
    held.wait_for_loss()
    waiting = wanted.begin("acquire")
    proxy.unmute()
    waiting.wait(seconds=TIMEOUT_MS / 1000)
    held.release(expect="CURATOR_LOCK_LOST")
    held.client.give_handle_back()
    wanted.release()
    held.acquire()
    held.release()


def test_a_closed_framework_frees_its_locks_although_the_handle_is_lent(late_ms, leaver, linked, mutex_of, admin, path):
    """ZOOKEEPER-1105; the program gives its handle back late or never."""
    held, _ = linked
    wanted = mutex_of("c")
    held.client.borrow_handle()
    held.acquire()
    waiting = wanted.begin("acquire")
    admin.wait_for_children(path, 2)
    closed = held.client.close(expect="CURATOR_ERROR")
    waiting.wait(seconds=TIMEOUT_MS / 1000)
    assert waiting.ended < closed.ended + late_ms(1000)
    wanted.release()


def test_a_framework_closes_in_time_on_a_silent_link_although_the_handle_is_lent(late_ms, leaver, linked):
    held, proxy = linked
    held.client.borrow_handle()
    held.acquire()
    proxy.mute()
    closed = held.client.close(expect="CURATOR_ERROR")
    assert closed.elapsed < 6000 + late_ms(500)  # five seconds for the server, one for the handle


def test_a_handle_that_comes_back_while_its_framework_closes_is_closed_with_it(new_peer, zookeeper, new_proxy):
    for _ in range(5):
        proxy = new_proxy(zookeeper)
        client = new_peer("c").client(proxy.connect_string, session_timeout=TIMEOUT_MS)
        client.borrow_handle()
        proxy.mute()
        connections = len(proxy.links)
        closing = client.peer.begin("other", "close", client.name)
        wait_until(lambda links=proxy.links, before=connections: len(links) > before,
                   "the second handle: the first one is no longer waited for")
        back = client.give_handle_back(expect=None)
        closed = closing.wait(None)
        if back.status == "CURATOR_OK" and back.ended < closed.ended - 500:  # else it may have come too late
            client.closed = True
            assert closed.status != "CURATOR_ERROR", closed
            return
    raise AssertionError("the handle never came back in time")
