# SPDX-License-Identifier: Apache-2.0
"""
Curator's InterProcessSemaphoreV2 has an InterProcessMutex at PATH/locks, which is held while a lease is acquired. A
program in C that holds it keeps others from new leases. Run by the matrix, which names the client.
"""
from peers.clients_check import client_of, new_foreign  # noqa: F401 pylint: disable=unused-import


def test_c_that_holds_the_inner_mutex_keeps_leases_from_being_given(client_of, admin, path):  # noqa: F811
    inner = client_of("c").mutex(f"{path}/locks")
    semaphore = client_of("foreign").mutex(path)
    for _ in range(3):
        inner.acquire()
        waiting = semaphore.begin("acquire")
        admin.wait_for_children(f"{path}/locks", 2)
        assert not waiting.done and admin.children(f"{path}/leases") == []
        inner.release()
        waiting.wait()
        assert len(admin.children(f"{path}/leases")) == 1
        semaphore.release()


def test_c_waits_while_a_lease_is_waited_for(client_of, admin, path):  # noqa: F811
    """Who waits for a lease holds the inner mutex; whoever has come before it has the lease."""
    first, second = (client_of("foreign").mutex(path) for _ in range(2))
    inner = client_of("c").mutex(f"{path}/locks")
    first.acquire()
    waiting = second.begin("acquire")
    admin.wait_for_children(f"{path}/locks", 1)
    behind = inner.begin("acquire")
    admin.wait_for_children(f"{path}/locks", 2)
    assert not behind.done and not waiting.done
    first.release()
    waiting.wait()
    behind.wait()
    inner.release()
    second.release()
