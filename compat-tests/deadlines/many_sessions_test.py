# SPDX-License-Identifier: Apache-2.0
"""Many sessions that are opened at the same time: each costs itself only."""
from support.programs import WRAPPER

TOGETHER = 150 if not WRAPPER else 20  # valgrind takes 500 threads at most
AT_ONCE = 200 if not WRAPPER else 20
TIMEOUT_MS = 3000


def assert_on_time(calls, timeout_ms, late, record_property):
    latest = max(call.wait(expect=None, seconds=60).elapsed for call in calls) - timeout_ms
    measured = f"{latest:.1f} ms after its deadline; others were up to {late.worst_ms:.1f} ms late"
    record_property("measured", measured)
    assert latest <= late.allowed_ms(), measured


def test_opening_many_sessions_costs_no_deadline(c_peer, own_zookeeper, lateness, record_property, path):
    """X1: a server that stood still for longer than the session timeout; then all of them open a new session."""
    clients = [c_peer.client(own_zookeeper.connect_string, session_timeout=TIMEOUT_MS) for _ in range(TOGETHER)]
    mutexes = [client.mutex(f"{path}/{i}") for i, client in enumerate(clients)]
    for mutex in mutexes:
        mutex.acquire()
    own_zookeeper.pause()
    try:
        for mutex in mutexes:
            mutex.wait_for_loss()
        with lateness() as late:
            calls = [mutex.begin("acquire_for", 1000, thread=f"{mutex.name}-again") for mutex in mutexes]
            own_zookeeper.resume()
            for call in calls:
                call.wait(expect=None, seconds=60)
        assert_on_time(calls, 1000, late, record_property)
    finally:
        own_zookeeper.resume()
    for client in clients:
        client.await_connected(10000)


def test_the_first_acquire_of_many_frameworks_opened_at_once_ends_on_time(
        c_peer, own_zookeeper, lateness, record_property, path):
    """X1."""
    with lateness() as late:
        calls = []
        for i in range(AT_ONCE):
            client = c_peer.client(own_zookeeper.connect_string, await_ms=None)
            calls.append(client.mutex(f"{path}/{i}").begin("acquire_for", 1000))
        for call in calls:
            call.wait(expect=None, seconds=60)
    assert_on_time(calls, 1000, late, record_property)


def test_a_connection_costs_the_same_whatever_other_descriptors_there_are(run_scenario, zookeeper):
    """X1."""
    run_scenario("many_descriptors", zookeeper.connect_string)
