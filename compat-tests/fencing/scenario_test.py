# SPDX-License-Identifier: Apache-2.0
"""The guard of a write: a check that the lock is still held, in the same transaction."""


def test_a_guarded_write_passes_while_the_lock_is_held_and_never_after(run_scenario, zookeeper, path):
    """go-zk#20, kazoo#2."""
    run_scenario("guarded_writes", zookeeper.connect_string, path)
