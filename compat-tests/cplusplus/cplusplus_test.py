# SPDX-License-Identifier: Apache-2.0
"""<curator/curator.hpp>: the locks with the guards of the standard, losses, what may outlive what, and time-outs."""
from concurrent.futures import ThreadPoolExecutor

from support.waiting import wait_until


def test_durations_and_time_points_become_milliseconds(run_scenario):
    run_scenario("cplusplus_durations")


def test_the_locks_work_with_the_guards_of_the_standard(run_scenario, zookeeper, admin, path):
    run_scenario("cplusplus_locks", zookeeper.connect_string, path)
    assert admin.children(path) == []
    assert admin.children(path + "-other") == []


def test_locks_frameworks_and_functions_may_end_in_any_order(run_scenario, zookeeper, admin, path):
    run_scenario("cplusplus_lifetimes", zookeeper.connect_string, path)
    wait_until(lambda: admin.children(path) == [], "no node left")


def test_a_lock_that_is_lost_is_reported_before_and_after(run_scenario, zookeeper, new_proxy, path, tmp_path):
    proxy, held = new_proxy(zookeeper), tmp_path / "held"
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run_scenario, "cplusplus_losses", proxy.connect_string, path, held)
        wait_until(lambda: held.exists() or running.done(), "the lock held", 30)
        proxy.cut()
        running.result()
