# SPDX-License-Identifier: Apache-2.0
"""The C programs of this folder, one test each."""
import os
import re

from support.peers import BUILD
from support.ports import free_port


def test_every_null_is_refused_in_a_sentence(run_scenario):
    run_scenario("null_arguments", f"127.0.0.1:{free_port()}")


def test_each_path_rule_is_named_with_its_position(run_scenario):
    run_scenario("path_rules", f"127.0.0.1:{free_port()}")


def test_options_are_checked_before_anything_is_sent(run_scenario):
    run_scenario("options")


def test_every_call_in_a_forked_child_says_so_and_the_parent_keeps_the_lock(run_scenario, zookeeper):
    """kazoo#554, zk-ruby/zookeeper#33: however the child was made."""
    run_scenario("after_fork", zookeeper.connect_string)


def test_an_executed_program_inherits_no_descriptor(run_scenario, zookeeper):
    output = run_scenario("exec_leaks_nothing", zookeeper.connect_string)
    inherited = re.findall(r" (\d+) -> (?:socket|pipe|anon_inode)", output)
    assert all(int(number) <= 2 or int(number) > 1000 for number in inherited), output  # valgrind's own are high


def test_calls_from_callbacks_work_or_say_that_they_would_deadlock(run_scenario, zookeeper, path):
    """kazoo#208, apache/bookkeeper#149, apache/incubator-heron#2907, ZOOKEEPER-981."""
    run_scenario("callbacks", zookeeper.connect_string, path)


def test_the_logger_may_call_the_library_and_nothing_comes_after_the_closing(run_scenario, zookeeper, path):
    run_scenario("logger", zookeeper.connect_string, path)


def test_the_sum_of_sizes_is_checked(run_scenario, zookeeper, path):
    """X9 sum_of_sizes_is_checked."""
    run_scenario("request_sizes", zookeeper.connect_string, path)


def test_a_guarded_write_passes_while_the_lock_is_held_and_never_after(run_scenario, zookeeper, path):
    """go-zk#20, kazoo#2."""
    run_scenario("guarded_writes", zookeeper.connect_string, path)


def test_dlclose_after_close(run_scenario):
    """X5: a look-up that nothing can stop goes on after the library's last user has left."""
    run_scenario("closed_and_unloaded", os.path.join(BUILD, "lib/libcurator.so"))
