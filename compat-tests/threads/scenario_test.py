# SPDX-License-Identifier: Apache-2.0
"""Threads that are cancelled and signalled inside the library, and objects ended while they are in use."""


def test_a_cancelled_thread_ends_after_its_call_and_disturbs_nobody(run_scenario, zookeeper, admin, path):
    run_scenario("cancelled", zookeeper.connect_string, path)
    assert admin.children(path) == []


def test_a_storm_of_signals_disturbs_no_call(run_scenario, zookeeper, admin, path):
    """vitessio/vitess#11678: plain signals neither end a wait nor a request."""
    run_scenario("signal_storm", zookeeper.connect_string, path)
    assert admin.children(path) == []


def test_objects_ended_while_they_are_in_use(run_scenario, zookeeper, admin, path):
    """apache/incubator-heron#2907, ZOOKEEPER-981, spring-integration#11113, CURATOR-530."""
    run_scenario("endings", zookeeper.connect_string, path)
    assert admin.children(path) == []
