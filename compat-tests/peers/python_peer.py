# SPDX-License-Identifier: Apache-2.0
"""
A Python process with another client's locks, for the tests to talk to; speaks the line protocol of support/peer.c, as
far as those locks can. The first argument names the kind of lock, the second a file with the code that
docs/compatibility.md offers to copy.
"""
import asyncio
import queue
import runpy
import sys
import threading
import time
import urllib.parse

CLIENTS = {}
LOCKS = {}
WORKERS = {}
WRITING = threading.Lock()


class Kazoo:
    """Its lock as it comes, with extra patterns, or a class from the docs."""

    def __init__(self, kind, offered):
        self.kind = kind
        self.offered = offered

    def open(self, connect, session_seconds):
        from kazoo.client import KazooClient
        client = KazooClient(hosts=connect, timeout=session_seconds)
        client.start(timeout=20)
        return client

    def mutex(self, client, path):
        from kazoo.recipe.lock import Lock
        if self.kind == "kazoo":
            return Lock(client, path)
        if self.kind == "kazoo-patterns":
            return Lock(client, path, extra_lock_patterns=("lock-",))
        return self.offered["CuratorLock"](client, path)

    def read_write_lock(self, client, path):
        return self.offered["CuratorReadLock"](client, path), self.offered["CuratorWriteLock"](client, path)

    def acquire(self, lock, seconds):
        from kazoo.exceptions import LockTimeout
        try:
            return lock.acquire(blocking=seconds != 0, timeout=seconds or None)
        except LockTimeout:
            return False

    def release(self, lock):
        lock.release()

    def close(self, client):
        client.stop()
        client.close()


class Aiozk:
    """Its locks run on one event loop; the threads of the protocol wait for it."""

    def __init__(self, offered):
        self.offered = offered
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def open(self, connect, session_seconds):
        from aiozk import ZKClient

        async def start():
            client = ZKClient(connect, session_timeout=session_seconds)
            await client.start()
            return client

        return self.run(start())

    def mutex(self, client, path):
        async def make():
            return self.offered["curator_lock"](client, path)

        return self.run(make())

    def acquire(self, lock, seconds):
        from aiozk.exc import TimeoutError as LockTimeout
        try:
            self.run(lock.acquire(timeout=seconds))
            return lock.locked()
        except LockTimeout:
            return False

    def release(self, lock):
        self.run(lock.release())

    def close(self, client):
        self.run(client.close())


def now() -> float:
    return time.monotonic() * 1000


def send(line: str):
    with WRITING:
        print(line, flush=True)


def opened(library, options):
    settings = dict(option.split("=", 1) for option in options)
    return library.open(settings["connect"], int(settings.get("session_timeout", 10000)) / 1000)


def perform(library, verb, name, arguments) -> str:
    if verb == "open":
        CLIENTS[name] = opened(library, arguments)
    elif verb == "mutex":
        LOCKS[name] = library.mutex(CLIENTS[arguments[0]], arguments[1])
    elif verb == "read_write_lock":
        LOCKS[name + ".read"], LOCKS[name + ".write"] = library.read_write_lock(CLIENTS[arguments[0]], arguments[1])
    elif verb in ("acquire", "acquire_for"):
        seconds = None if verb == "acquire" else int(arguments[0]) / 1000
        return "CURATOR_OK" if library.acquire(LOCKS[name], seconds) else "CURATOR_TIMED_OUT"
    elif verb == "release":
        library.release(LOCKS[name])
    elif verb == "close":
        library.close(CLIENTS.pop(name))
    elif verb != "await":
        raise ValueError(f"no verb {verb}")
    return "CURATOR_OK"


def work(library, requests):
    while (request := requests.get()) is not None:
        number, _, verb, name, *arguments = request
        began, details = now(), ""
        try:
            status = perform(library, verb, name, arguments)
        except Exception as problem:  # whatever it is, the test is to see it
            status, details = "CURATOR_ERROR", " " + urllib.parse.quote(repr(problem))
        send(f"{number} {status} {began:.3f} {now():.3f}{details}")


def main():
    kind, code = sys.argv[1:]
    offered = runpy.run_path(code) if code else {}
    library = Aiozk(offered) if kind == "aiozk" else Kazoo(kind, offered)
    for line in sys.stdin:
        request = [urllib.parse.unquote(token) for token in line.split()]
        if request[1] not in WORKERS:
            WORKERS[request[1]] = queue.Queue()
            threading.Thread(target=work, args=(library, WORKERS[request[1]]), daemon=True).start()
        WORKERS[request[1]].put(request)
    for client in list(CLIENTS.values()):
        library.close(client)


main()
