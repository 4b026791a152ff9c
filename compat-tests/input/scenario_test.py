# SPDX-License-Identifier: Apache-2.0
"""Arguments and options: what is refused, and in which words."""
from support.ports import free_port


def test_every_null_is_refused_in_a_sentence(run_scenario):
    run_scenario("null_arguments", f"127.0.0.1:{free_port()}")


def test_what_is_destroyed_twice_is_recognised(run_scenario):
    run_scenario("destroyed_twice", f"127.0.0.1:{free_port()}")


def test_each_path_rule_is_named_with_its_position(run_scenario):
    run_scenario("path_rules", f"127.0.0.1:{free_port()}")


def test_options_are_checked_before_anything_is_sent(run_scenario):
    run_scenario("options")


def test_the_sum_of_sizes_is_checked(run_scenario, zookeeper, path):
    """X9 sum_of_sizes_is_checked."""
    run_scenario("request_sizes", zookeeper.connect_string, path)
