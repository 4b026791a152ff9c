# SPDX-License-Identifier: Apache-2.0
"""Semaphores on the test's path."""
import pytest


@pytest.fixture
def semaphore_of(peer_of, zookeeper, path):
    """semaphore_of("java", 3): a semaphore on the test's path, of a client of its own on the shared server."""

    def make(language, maximum, data=None, **options):
        return peer_of(language).client(zookeeper.connect_string, **options).semaphore(path, maximum, data)

    return make


@pytest.fixture
def wired_semaphore(c_peer, zookeeper, new_wire, path):
    """wired_semaphore(3): a semaphore in C, and its link, which records each request and can spoil it."""

    def make(maximum, **options):
        wire = new_wire(zookeeper)
        return c_peer.client(wire.connect_string, **options).semaphore(path, maximum), wire

    return make


@pytest.fixture
def nothing_is_left(admin, path):
    """nothing_is_left(): waits until no node of a lease or of the semaphore's lock exists."""

    def wait():
        admin.wait_for_children(f"{path}/leases", 0)
        admin.wait_for_children(f"{path}/locks", 0)

    return wait
