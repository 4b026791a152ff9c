# SPDX-License-Identifier: Apache-2.0
"""An independent client (kazoo) that looks at the server's nodes and plays the operator."""
import os
import re
import time

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

from support.waiting import bound, wait_until

NODE_NAME = re.compile(r"_c_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-lock-\d{10}")


def sequence(name: str) -> int:
    """The number that the server appended."""
    return int(name[-10:])


class Admin:
    """Everything here is done and confirmed when the call returns."""

    def __init__(self, connect_string: str, auth=None):
        self.zk = KazooClient(hosts=connect_string, timeout=10, auth_data=[auth] if auth else None)
        self.zk.start(timeout=bound(20))

    def close(self):
        self.zk.stop()
        self.zk.close()

    def exists(self, path) -> bool:
        return self.zk.exists(path) is not None

    def children(self, path) -> list:
        """The children's names by sequence; none if the node is not there."""
        try:
            return sorted(self.zk.get_children(path), key=lambda name: name[-10:])
        except NoNodeError:
            return []

    def wait_for_children(self, path, count, seconds=10) -> list:
        try:
            wait_until(lambda: len(self.children(path)) == count, f"{count} children of {path}", seconds)
        except AssertionError as late:
            raise AssertionError(f"{late}, but {self.children(path)}") from None
        return self.children(path)

    def wait_until_gone(self, path, seconds=10):
        wait_until(lambda: not self.exists(path), f"{path} gone", seconds)

    def data(self, path) -> bytes:
        return self.zk.get(path)[0]

    def acl(self, path) -> list:
        return self.zk.get_acls(path)[0]

    def owner(self, path) -> int:
        """The session that a node belongs to; 0 for a persistent one."""
        return self.zk.exists(path).ephemeralOwner

    def create(self, path, data=b"", **options) -> str:
        return self.zk.create(path, data, makepath=True, **options)

    def delete(self, path):
        self.zk.delete(path, recursive=True)


def end_session(connect_string: str, session: tuple):
    """
    Ends another client's session by joining it with its id and password and closing it. The client must be cut off
    meanwhile, or it takes its session back.
    """
    other = KazooClient(hosts=connect_string, client_id=session, timeout=10)
    other.start(timeout=bound(20))
    assert other.client_id[0] == session[0], "the session was over already"
    other.stop()
    other.close()


def expire(client, link, server):
    """Ends the session of a client on the server, while its link is cut, so that it cannot take it back."""
    session = client.session()
    link.cut()
    end_session(server.connect_string, session)
    link.mend()


def new_path() -> str:
    """A path that no other test uses."""
    return f"/test-{os.getpid()}-{time.monotonic_ns()}/locks/one"
