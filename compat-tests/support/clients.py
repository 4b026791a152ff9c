# SPDX-License-Identifier: Apache-2.0
"""
The clients and locks of a Peer. `mutex.acquire()` waits for the answer and asserts its status; `mutex.begin("acquire")`
returns at once with a Call to look at later.
"""
import itertools
import typing

from support.calls import ANSWER_SECONDS, Call, Event
from support.waiting import wait_until

NEW_MUTEX = itertools.count(1)


class Client:
    """A CuratorFramework of a peer."""

    def __init__(self, peer, name: str):
        self.peer = peer
        self.name = name
        self.closed = False

    def call(self, verb, *arguments, thread="main", expect="CURATOR_OK") -> Call:
        return self.peer.begin(thread, verb, self.name, *arguments).wait(expect)

    def mutex(self, path, data=None, expect="CURATOR_OK", thread="main") -> "Mutex":
        mutex = Mutex(self, f"m{next(NEW_MUTEX)}", path)
        arguments = [mutex.name, self.name, path] + ([] if data is None else [data])
        mutex.created = self.peer.begin(thread, "mutex", *arguments).wait(expect)
        return mutex

    def read_write_lock(self, path, data=None, expect="CURATOR_OK", thread="main") -> "ReadWriteLock":
        lock = ReadWriteLock(self, f"rw{next(NEW_MUTEX)}", path)
        arguments = [lock.name, self.name, path] + ([] if data is None else [data])
        lock.created = self.peer.begin(thread, "read_write_lock", *arguments).wait(expect)
        return lock

    def semaphore(self, path, maximum, data=None, expect="CURATOR_OK", thread="main") -> "Semaphore":
        semaphore = Semaphore(self, f"s{next(NEW_MUTEX)}", path)
        arguments = [semaphore.name, self.name, path, maximum] + ([] if data is None else [data])
        semaphore.created = self.peer.begin(thread, "semaphore", *arguments).wait(expect)
        return semaphore

    def revoke(self, node_path, **options) -> Call:
        return self.call("revoke", node_path, **options)

    def await_connected(self, timeout_ms, **options) -> Call:
        return self.call("await", timeout_ms, **options)

    def borrow_handle(self) -> Call:
        """The peer keeps the handle until it is given back; one at a time."""
        return self.call("borrow")

    def give_handle_back(self, **options) -> Call:
        return self.call("give_back", **options)

    def set_servers(self, connect, **options) -> Call:
        return self.call("set_servers", connect, **options)

    def state(self) -> str:
        return self.call("state").value

    def session_timeout(self) -> int:
        return int(self.call("session_timeout").value)

    def session(self) -> tuple:
        """The id and the password of the session."""
        identity, password = self.call("session").values
        return int(identity), bytes.fromhex(password)

    def read(self, path) -> tuple:
        """A node's data and its ACL as scheme:id:permissions, seen with a Java client's eyes."""
        data, *acl = self.call("read", path).values
        return data.encode("utf-8", "surrogateescape"), acl

    def write(self, path, data) -> Call:
        """Of a Java client."""
        return self.call("write", path, data)

    def close(self, thread="main", **options) -> Call:
        self.closed = True
        return self.call("close", thread=thread, **options)

    def states(self) -> list:
        """The connection states reported so far."""
        return [event.detail for event in self.events()]

    def events(self) -> list:
        return [event for event in self.peer.events if event.kind == "state" and event.name == self.name]

    def wait_for_state(self, state: str, seconds=20) -> Event:
        """Waits until this state was reported; returns the last event of it."""
        wait_until(lambda: state in self.states(), f"{state} told by {self.peer.name}", seconds)
        return [event for event in self.events() if event.detail == state][-1]


class Contender(typing.NamedTuple):
    """A node in the queue of a lock, as the C library describes it."""
    path: str
    kind: str
    holds: bool
    readable: bool
    session: int
    created_ms: int
    token: int
    data: str
    data_size: int
    data_length: int

    @classmethod
    def of(cls, values) -> "Contender":
        path, kind, holds, readable, session, created, token, data, size, length = values
        return cls(path, kind, holds == "true", readable == "true", int(session), int(created), int(token), data,
                   int(size), int(length))


class Mutex:
    """
    An InterProcessMutex of a peer. Every call takes the thread it runs on, by default one of the mutex's own, and the
    status it must give.
    """

    def __init__(self, client: Client, name: str, path: str, thread=None):
        self.client = client
        self.peer = client.peer
        self.name = name
        self.path = path
        self.thread = thread or name
        self.created = None

    def begin(self, verb, *arguments, thread=None) -> Call:
        return self.peer.begin(thread or self.thread, verb, self.name, *arguments)

    def call(self, verb, *arguments, thread=None, expect="CURATOR_OK", seconds=ANSWER_SECONDS) -> Call:
        return self.begin(verb, *arguments, thread=thread).wait(expect, seconds)

    def acquire(self, **options) -> Call:
        return self.call("acquire", **options)

    def acquire_for(self, timeout_ms, **options) -> Call:
        return self.call("acquire_for", timeout_ms, **options)

    def release(self, **options) -> Call:
        return self.call("release", **options)

    def release_for(self, timeout_ms, **options) -> Call:
        return self.call("release_for", timeout_ms, **options)

    def destroy(self, **options) -> Call:
        return self.call("destroy", **options)

    def interrupt(self, thread="interrupter", **options) -> Call:
        return self.call("interrupt", thread=thread, **options)

    def is_acquired(self, **options) -> bool:
        return self.call("is_acquired", **options).value == "true"

    def is_owned(self, **options) -> bool:
        return self.call("is_owned", **options).value == "true"

    def participants(self, **options) -> list:
        return self.call("participants", **options).values

    def lock_path(self, **options) -> str:
        return self.call("lock_path", **options).value

    def token(self, **options) -> int:
        return int(self.call("token", **options).value)

    def contenders(self, **options) -> list:
        values = self.call("contenders", **options).values
        return [Contender.of(values[i:i + 10]) for i in range(0, len(values), 10)]

    def lease_remaining(self, **options) -> int:
        return int(self.call("lease_remaining", **options).value)

    def on_endangered(self, ms_before, **options) -> Call:
        return self.call("on_endangered", ms_before, **options)

    def not_on_endangered(self, **options) -> Call:
        return self.call("not_on_endangered", **options)

    def make_revocable(self, **options) -> Call:
        return self.call("make_revocable", **options)

    def make_irrevocable(self, **options) -> Call:
        return self.call("make_irrevocable", **options)

    def revocation_requested(self, **options) -> bool:
        return self.call("revocation_requested", **options).value == "true"

    def events(self, kind) -> list:
        return [event for event in self.peer.events if event.kind == kind and event.name == self.name]

    def revocations(self) -> list:
        """The revocations reported so far."""
        return self.events("revoke")

    def wait_for_revocations(self, count=1, seconds=20) -> Event:
        """Waits until so many were reported and returns the last one; more than that fail."""
        wait_until(lambda: len(self.revocations()) >= count, f"revocation {count} told by {self.peer.name}", seconds)
        assert len(self.revocations()) == count
        return self.revocations()[-1]

    def warnings(self) -> list:
        """The calls so far that said that a hold is endangered."""
        return self.events("endangered")

    def wait_for_warnings(self, count=1, seconds=20) -> Event:
        wait_until(lambda: len(self.warnings()) >= count, f"warning {count} told by {self.peer.name}", seconds)
        assert len(self.warnings()) == count
        return self.warnings()[-1]

    def losses(self) -> list:
        """The losses reported so far."""
        return self.events("lost")

    def wait_for_loss(self, seconds=20) -> Event:
        wait_until(self.losses, f"the loss told by {self.peer.name}", seconds)
        return self.losses()[-1]


class Lease:
    """A lease of a semaphore, or of a try to get one. Its calls run on a thread of their own, unless one is named."""

    def __init__(self, semaphore: "Semaphore", name: str):
        self.peer = semaphore.peer
        self.name = name
        self.acquired = None  # the call

    def call(self, verb, *arguments, thread=None, expect="CURATOR_OK") -> Call:
        return self.peer.begin(thread or self.name, verb, self.name, *arguments).wait(expect)

    def give_back(self, **options) -> Call:
        return self.call("return", **options)

    def give_back_for(self, timeout_ms, **options) -> Call:
        return self.call("return_for", timeout_ms, **options)

    def is_held(self) -> bool:
        return self.call("is_held").value == "true"

    def path(self) -> str:
        return self.call("lock_path").value

    def token(self) -> int:
        return int(self.call("token").value)


class Semaphore:
    """An InterProcessSemaphoreV2 of a peer. Each acquire runs on a thread of its lease."""

    def __init__(self, client: Client, name: str, path: str):
        self.client = client
        self.peer = client.peer
        self.name = name
        self.path = path
        self.leases_path = f"{path}/leases"
        self.locks_path = f"{path}/locks"
        self.created = None

    def begin(self, verb="acquire", *arguments, thread=None) -> Lease:
        """A lease that is being acquired; its call says how that ended."""
        lease = Lease(self, f"l{next(NEW_MUTEX)}")
        lease.acquired = self.peer.begin(thread or lease.name, verb, self.name, lease.name, *arguments)
        return lease

    def acquire(self, expect="CURATOR_OK", thread=None) -> Lease:
        lease = self.begin(thread=thread)
        lease.acquired.wait(expect)
        return lease

    def acquire_for(self, timeout_ms, expect="CURATOR_OK", thread=None) -> Lease:
        lease = self.begin("acquire", timeout_ms, thread=thread)
        lease.acquired.wait(expect)
        return lease

    def begin_many(self, count, *timeout_ms) -> tuple:
        """The leases that are being acquired together, and the call."""
        together = self.begin("acquire_many", count, *timeout_ms)
        return [Lease(self, f"{together.name}.{number}") for number in range(count)], together.acquired

    def acquire_many(self, count, *timeout_ms, expect="CURATOR_OK") -> list:
        leases, call = self.begin_many(count, *timeout_ms)
        call.wait(expect)
        return leases

    def call(self, verb, *arguments, thread="main", expect="CURATOR_OK") -> Call:
        return self.peer.begin(thread, verb, self.name, *arguments).wait(expect)

    def interrupt(self, **options) -> Call:
        return self.call("interrupt", thread="interrupter", **options)

    def destroy(self, **options) -> Call:
        return self.call("destroy", **options)

    def losses(self) -> list:
        return [event for event in self.peer.events if event.kind == "lost" and event.name == self.name]

    def wait_for_losses(self, count=1, seconds=20) -> Event:
        wait_until(lambda: len(self.losses()) >= count, f"loss {count} told by {self.peer.name}", seconds)
        assert len(self.losses()) == count
        return self.losses()[-1]


class ReadWriteLock:
    """An InterProcessReadWriteLock of a peer. The calls of both sides run on one thread, unless another is named."""

    def __init__(self, client: Client, name: str, path: str):
        self.client = client
        self.peer = client.peer
        self.name = name
        self.path = path
        self.read = Mutex(client, f"{name}.read", path, thread=name)
        self.write = Mutex(client, f"{name}.write", path, thread=name)
        self.created = None

    def destroy(self, expect="CURATOR_OK", thread="main") -> Call:
        return self.peer.begin(thread, "destroy", self.name).wait(expect)
