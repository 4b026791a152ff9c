# SPDX-License-Identifier: Apache-2.0
"""The C programs of this folder, and one of another that is worth running many times."""
import re


def test_calls_in_a_loss_callback_say_that_the_mutex_is_being_destroyed(run_scenario, zookeeper, admin, path):
    run_scenario("destroyed_in_callback", zookeeper.connect_string, path)
    assert admin.children(path) == []


def test_frameworks_open_and_close_at_once_and_leave_no_thread_and_no_descriptor(run_scenario, zookeeper, path):
    """apache/curator#1277, apache/curator#1292."""
    run_scenario("open_and_close", zookeeper.connect_string, path)


def test_a_writer_whose_node_was_deleted_does_not_read_while_another_writes(run_scenario, zookeeper, path):
    """CURATOR-621, bsc-s2/pykit#239: only the place of a node that is still there can be taken over."""
    run_scenario("ride_on_deleted_node", zookeeper.connect_string, path)


def test_a_slow_look_up_of_this_hosts_name_delays_no_connection_and_an_acquire_by_two_seconds(
        run_scenario, zookeeper, path):
    run_scenario("slow_host_name", zookeeper.connect_string, path, "connect")


def test_a_slow_look_up_of_this_hosts_name_is_waited_for_once(run_scenario, zookeeper, path):
    run_scenario("slow_host_name", zookeeper.connect_string, path, "short-limits")


def test_a_slow_look_up_of_this_hosts_name_does_not_keep_an_ended_session_from_being_replaced(
        run_scenario, zookeeper, path):
    """CURATOR-293, CURATOR-15."""
    run_scenario("slow_host_name", f"localhost:{zookeeper.port}", path, "ended-session")


def test_no_program_executed_right_after_the_connection_inherits_a_descriptor(run_scenario, zookeeper):
    """ZOOKEEPER-2338."""
    for _ in range(40):
        output = run_scenario("exec_leaks_nothing", zookeeper.connect_string)
        inherited = re.findall(r" (\d+) -> (?:socket|pipe|anon_inode)", output)
        assert all(int(number) <= 2 or int(number) > 1000 for number in inherited), output  # valgrind's own are high


def test_connecting_does_not_touch_the_files_that_other_threads_open(run_scenario, zookeeper):
    """Seen by ThreadSanitizer only: without it this says little."""
    run_scenario("files_opened_meanwhile", zookeeper.connect_string)
