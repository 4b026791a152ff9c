# SPDX-License-Identifier: Apache-2.0
"""curator_framework_close() takes at most five seconds, whatever state the framework is in."""
import pytest

from support.waiting import wait_until

LIMIT_MS = 5000
SESSION = {"session_timeout": 4000, "connection_timeout": 8000}


def assert_closed_in_time(client, late, closed):
    print(f"closed in {closed.elapsed:.0f} ms; others were up to {late.worst_ms:.1f} ms late")
    assert closed.elapsed <= LIMIT_MS + late.allowed_ms(), client


@pytest.mark.parametrize("how", ["hung", "muted"])
def test_with_threads_waiting_and_deletes_pending_and_a_silent_server(
        c_peer, own_zookeeper, new_proxy, new_admin, lateness, path, how):
    """ZOOKEEPER-1105, ZOOKEEPER-3868, kazoo#482, CURATOR-720: waiting calls end, and nothing continues afterwards."""
    proxy = new_proxy(own_zookeeper)
    client = c_peer.client(proxy.connect_string, **SESSION)
    held, other, giving_up = client.mutex(path), client.mutex(path + "-2"), client.mutex(path)
    admin = new_admin(own_zookeeper.connect_string)
    held.acquire()
    other.acquire()
    waiting = [held.begin("acquire", thread="one"), held.begin("acquire_for", 60000, thread="two")]
    admin.wait_for_children(path, 3)
    (own_zookeeper.pause if how == "hung" else proxy.mute)()
    try:
        giving_up.acquire_for(50, expect="CURATOR_TIMED_OUT")  # its create is not answered, so its delete is pending
        releasing = other.begin("release")
        asking = giving_up.begin("participants", thread="asker")
        wait_until(lambda: not other.is_acquired(thread="looker"), "the release under way")
        with lateness() as late:
            closed = client.close(expect="CURATOR_CONNECTION_LOSS")
        assert_closed_in_time(client, late, closed)
        for call in waiting + [asking]:
            call.wait("CURATOR_CLOSED")
            assert call.ended <= closed.ended + late.allowed_ms()
        releasing.wait("CURATOR_CLOSED")
        assert releasing.ended <= closed.ended + late.allowed_ms()
    finally:
        own_zookeeper.resume()
        proxy.unmute()
    admin.wait_for_children(path, 0, seconds=30)  # by the end of the session at the latest
    admin.wait_for_children(path + "-2", 0, seconds=30)


def test_while_the_session_is_being_made(c_peer, zookeeper, new_proxy, lateness, path):
    proxy = new_proxy(zookeeper)
    proxy.mute()
    client = c_peer.client(proxy.connect_string, await_ms=None, **SESSION)
    waiting = client.mutex(path).begin("acquire")
    with lateness() as late:
        closed = client.close(expect=None)
    assert_closed_in_time(client, late, closed)
    waiting.wait("CURATOR_CLOSED")
    proxy.unmute()


def test_while_deletes_wait_for_a_link_that_is_cut(linked, lateness, admin, path):
    """CURATOR-42, CURATOR-106."""
    mutex, proxy = linked(session_timeout=3000, connection_timeout=500, retry="n:0:0")
    others = [mutex.client.mutex(path) for _ in range(20)]
    mutex.acquire()
    for number, other in enumerate(others):
        other.begin("acquire", thread=f"t{number}")
    admin.wait_for_children(path, 21)
    proxy.cut()
    mutex.client.wait_for_state("SUSPENDED")
    mutex.release(expect="CURATOR_RELEASE_PENDING")
    with lateness() as late:
        closed = mutex.client.close(expect="CURATOR_CONNECTION_LOSS")
    assert_closed_in_time(mutex.client, late, closed)
    admin.wait_for_children(path, 0, seconds=20)
