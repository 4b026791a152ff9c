# SPDX-License-Identifier: Apache-2.0
"""Each example does what it says, on a real server, and leaves no lock node behind."""
import re

import pytest


def test_hello_lock_takes_the_lock_and_gives_it_back(run_example, zookeeper, admin):
    status, output = run_example("hello_lock", zookeeper.connect_string)
    assert status == 0, output
    assert "Hello!" in output
    assert admin.children("/examples/hello_lock") == []


def test_timed_acquire_waits_no_longer_than_it_says(run_example, zookeeper, admin):
    status, output = run_example("timed_acquire", zookeeper.connect_string)
    assert status == 0, output
    answers = re.findall(r"Bob, willing to wait (\d+) ms: (no|got it)\.", output)
    assert answers == [("0", "no"), ("1000", "no"), ("1000", "got it")], output
    assert admin.children("/examples/timed_acquire") == []


def test_locking_example_uses_the_resource_250_times_one_client_at_a_time(run_example, zookeeper, admin):
    status, output = run_example("locking_example", zookeeper.connect_string)
    assert status == 0, output
    assert sorted(re.findall(r"Client (\d) has used the resource 50 times", output)) == list("12345")
    assert "250 uses, 0 of them met another user." in output
    assert admin.children("/examples/locking_example") == []


def test_last_item_is_paid_by_exactly_one_buyer(run_example, zookeeper, admin):
    for _ in range(3):
        status, output = run_example("last_item", zookeeper.connect_string)
        assert status == 0, output
        assert output.count("pays.") == 1, output
        assert output.count("sold out.") == 1, output
        assert "1 of 2 buyers paid for the one item." in output
    assert admin.children("/last_item_lock") == []
    assert not admin.exists("/last_item_stock")


def test_with_lock_makes_order_numbers_unique_and_names_the_busy_business(run_example, zookeeper, admin):
    status, output = run_example("with_lock", zookeeper.connect_string)
    assert status == 0, output
    unique_without, unique_with = map(int, re.findall(r"(\d+) of 10 order numbers are unique", output))
    assert unique_without < 10, output
    assert unique_with == 10, output
    assert "The order desk is busy, please try again later." in output
    assert admin.children("/examples/with_lock") == []


@pytest.mark.parametrize("name", ["hello_lock", "timed_acquire", "locking_example", "last_item", "with_lock"])
def test_a_wrong_connect_string_is_told_and_fails(run_example, name):
    status, output = run_example(name, "localhost:not-a-port")
    assert status == 1, output
    assert "not-a-port" in output, output
