# SPDX-License-Identifier: Apache-2.0
"""A node under a name that was ours: an operator deletes our node and creates another one, in one transaction."""
from kazoo.security import ACL, Id

from support.waiting import wait_until

NOT_TO_BE_READ = ACL(31 & ~1, Id("world", "anyone"))
KINDS = ("persistent", "of another session", "not to be read")
READABLE_KINDS = KINDS[:2]


def make_again(admin, node, made="persistent"):
    transaction = admin.zk.transaction()
    transaction.delete(node)
    transaction.create(node, b"foreign", acl=[NOT_TO_BE_READ] if made == "not to be read" else None,
                       ephemeral=made == "of another session")
    assert transaction.commit() == [True, node]


def is_foreign(admin, node) -> bool:
    stat = admin.zk.exists(node)
    return stat is not None and stat.ephemeralOwner in (0, admin.zk.client_id[0])


def cut_off(mutex, link):
    link.cut()
    mutex.client.wait_for_state("SUSPENDED")


def cut_and_make_again(mutex, link, admin, node, made="persistent"):
    cut_off(mutex, link)
    make_again(admin, node, made)
    link.mend()


def node_of(admin, path, number) -> str:
    """The node of this place in the queue, once there are that many."""
    return f"{path}/{admin.wait_for_children(path, number + 1)[number]}"


def answered(wire, operation, path) -> list:
    """The requests of this operation and path that were answered without an error."""
    return [request for request in wire.requests
            if (request.operation, request.path, request.error) == (operation, path, 0)]


def wait_until_watched(wire, node):
    wait_until(lambda: answered(wire, "getData", node), "its node watched")


def expect_loss(mutex, admin, node):
    """The loss is reported once, and what has the name now is left alone."""
    mutex.wait_for_loss()
    assert not mutex.is_owned() and not mutex.is_acquired()
    mutex.release(expect="CURATOR_LOCK_LOST")
    assert is_foreign(admin, node)
    assert len(mutex.losses()) == 1
    admin.zk.delete(node)
    mutex.acquire()
    mutex.release()
