# SPDX-License-Identifier: Apache-2.0
"""What a process does around the library: it forks, executes programs, unloads the library, opens files."""
import os
import re

from support.programs import BUILD


def assert_inherits_nothing(output):
    inherited = re.findall(r" (\d+) -> (?:socket|pipe|anon_inode)", output)
    assert all(int(number) <= 2 or int(number) > 1000 for number in inherited), output  # valgrind's own are high


def test_every_call_in_a_forked_child_says_so_and_the_parent_keeps_the_lock(run_scenario, zookeeper):
    """kazoo#554, zk-ruby/zookeeper#33: however the child was made."""
    run_scenario("after_fork", zookeeper.connect_string)


def test_fork_with_open_handle(run_scenario, zookeeper, admin, path):
    """zk-ruby/zookeeper#33, kazoo#554, ZOOKEEPER-2338: the parent holds and waits, and is busy, at the fork."""
    run_scenario("fork_while_waiting", zookeeper.connect_string, path)
    assert admin.children(path) == []


def test_an_executed_program_inherits_no_descriptor(run_scenario, zookeeper):
    assert_inherits_nothing(run_scenario("exec_leaks_nothing", zookeeper.connect_string))


def test_no_program_executed_right_after_the_connection_inherits_a_descriptor(run_scenario, zookeeper):
    """ZOOKEEPER-2338."""
    for _ in range(40):
        assert_inherits_nothing(run_scenario("exec_leaks_nothing", zookeeper.connect_string))


def test_dlclose_after_close(run_scenario):
    """X5: a name look-up that cannot be stopped continues after the library was unloaded."""
    run_scenario("closed_and_unloaded", os.path.join(BUILD, "lib/libcurator.so"))


def test_connecting_does_not_touch_the_files_that_other_threads_open(run_scenario, zookeeper):
    """Only ThreadSanitizer sees a violation: without it this test says little."""
    run_scenario("files_opened_meanwhile", zookeeper.connect_string)
