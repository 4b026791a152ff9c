# SPDX-License-Identifier: Apache-2.0
"""Opening and closing while names take long to look up."""


def test_frameworks_open_and_close_at_once_and_leave_no_thread_and_no_descriptor(run_scenario, zookeeper, path):
    """apache/curator#1277, apache/curator#1292."""
    run_scenario("open_and_close", zookeeper.connect_string, path)


def test_a_slow_look_up_of_this_hosts_name_delays_no_connection_and_an_acquire_by_two_seconds(
        run_scenario, zookeeper, path):
    run_scenario("slow_host_name", zookeeper.connect_string, path, "connect")


def test_a_slow_look_up_of_this_hosts_name_is_waited_for_once(run_scenario, zookeeper, path):
    run_scenario("slow_host_name", zookeeper.connect_string, path, "short-limits")


def test_a_slow_look_up_of_this_hosts_name_does_not_keep_an_ended_session_from_being_replaced(
        run_scenario, zookeeper, path):
    """CURATOR-293, CURATOR-15."""
    run_scenario("slow_host_name", f"localhost:{zookeeper.port}", path, "ended-session")
