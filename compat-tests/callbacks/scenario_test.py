# SPDX-License-Identifier: Apache-2.0
"""What user code may call when the library calls it: listeners, loss callbacks, loggers, tracers."""


def test_calls_from_callbacks_work_or_say_that_they_would_deadlock(run_scenario, zookeeper, path):
    """kazoo#208, apache/bookkeeper#149, apache/incubator-heron#2907, ZOOKEEPER-981."""
    run_scenario("callbacks", zookeeper.connect_string, path)


def test_calls_in_a_loss_callback_say_that_the_mutex_is_being_destroyed(run_scenario, zookeeper, admin, path):
    run_scenario("destroyed_in_callback", zookeeper.connect_string, path)
    assert admin.children(path) == []


def test_the_logger_may_call_the_library_and_nothing_comes_after_the_closing(run_scenario, zookeeper, path):
    run_scenario("logger", zookeeper.connect_string, path)


def test_the_tracer_may_call_the_library_and_delays_no_call_and_nothing_comes_after_the_closing(run_scenario, zookeeper,
                                                                                              path):
    run_scenario("tracer", zookeeper.connect_string, path)
