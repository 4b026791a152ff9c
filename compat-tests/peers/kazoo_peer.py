# SPDX-License-Identifier: Apache-2.0
"""
Kazoo's locks. The first argument is the kind: "kazoo" as it comes, "kazoo-patterns", or "kazoo-subclass"; the second a
file with the code that docs/compatibility.md offers to copy.
"""
import runpy
import sys

from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout
from kazoo.recipe.lock import Lock
from python_peer import serve


class Kazoo:
    def __init__(self, kind, offered):
        self.kind = kind
        self.offered = offered

    def open(self, connect, session_seconds):
        client = KazooClient(hosts=connect, timeout=session_seconds)
        client.start(timeout=20)
        return client

    def mutex(self, client, path):
        if self.kind == "kazoo":
            return Lock(client, path)
        if self.kind == "kazoo-patterns":
            return Lock(client, path, extra_lock_patterns=("lock-",))
        return self.offered["CuratorLock"](client, path)

    def read_write_lock(self, client, path):
        return self.offered["CuratorReadLock"](client, path), self.offered["CuratorWriteLock"](client, path)

    def acquire(self, lock, seconds):
        try:
            return lock.acquire(blocking=seconds != 0, timeout=seconds or None)
        except LockTimeout:
            return False

    def release(self, lock):
        lock.release()

    def close(self, client):
        client.stop()
        client.close()


serve(Kazoo(sys.argv[1], runpy.run_path(sys.argv[2]) if sys.argv[2] else {}))
