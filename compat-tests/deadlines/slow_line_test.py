# SPDX-License-Identifier: Apache-2.0
"""A line that is slow and loses nothing: every answer comes, a long round trip later."""
import pytest

from support.waiting import bound


@pytest.mark.parametrize("timeout_ms, round_trip_ms", [(2000, 250), (6000, 900)])
def test_a_free_lock_is_got_on_a_slow_line(c_peer, zookeeper, new_proxy, path, timeout_ms, round_trip_ms):
    """The lease is behind by three round trips and half a tick all the time, and renewed all the time."""
    client = c_peer.client(new_proxy(zookeeper, delay_ms=round_trip_ms).connect_string, session_timeout=timeout_ms)
    mutex = client.mutex(path)
    for _ in range(2):
        mutex.begin("acquire").wait(seconds=bound(60))
        mutex.release()


@pytest.mark.parametrize("timeout_ms", [1, 2, 2 ** 30, 2 ** 31 - 1])
def test_a_session_timeout_that_the_zookeeper_client_cannot_count_with_connects(c_peer, zookeeper, path, timeout_ms):
    """It takes two thirds of the number of milliseconds, in an int."""
    client = c_peer.client(zookeeper.connect_string, session_timeout=timeout_ms)
    mutex = client.mutex(path)
    mutex.acquire()
    mutex.release()
