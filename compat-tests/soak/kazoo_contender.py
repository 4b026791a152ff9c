# SPDX-License-Identifier: Apache-2.0
"""
A Python process of the soak: kazoo's own lock recipe on Curator's mutex path; writes the lines of contender.c.

As it comes, kazoo's lock does not see Curator's nodes, and Curator sorts kazoo's by their random beginning: both would
hold. Two public attributes make it sound both ways: `extra_lock_patterns` lets kazoo count every `...lock-<sequence>`,
and a `prefix` of Curator's form lets Curator and the C library sort kazoo's node by its sequence. What is left is
kazoo's own: it may take the node of a session that has ended for its own after a lost answer, so a grant counts only if
the node belongs to the session of now; it may leave its node behind when an acquire fails, so every failed one sweeps.
Of a read-write lock it knows too little (its readers and writers are other names), so it keeps off that path.
"""
import os
import random
import sys
import threading
import time
import uuid

from kazoo.client import KazooClient
from kazoo.exceptions import ConnectionClosedError, KazooException, NoNodeError
from kazoo.recipe.lock import Lock
from kazoo.retry import KazooRetry

FAILURES = (KazooException, ConnectionClosedError)


class Contender:
    def __init__(self, servers, path, name, history, seed, session_ms):
        self.path = path
        self.name = name
        self.history = os.open(history, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self.stopping = threading.Event()
        self.seed = seed
        self.keep_until = 0.0  # holders were told to hold on until then
        self.write("hello", os.getpid())
        threading.Thread(target=self.watch_for_pauses, daemon=True).start()
        self.client = KazooClient(hosts=servers, timeout=session_ms / 1000, randomize_hosts=True,
                                  connection_retry=KazooRetry(max_tries=-1, delay=0.1, max_delay=1))
        self.client.add_listener(self.told_state)
        self.client.start_async()

    def write(self, what, details):
        os.write(self.history, f"{what} {time.monotonic() * 1000:.3f} {details}\n".encode("ascii"))

    def watch_for_pauses(self):
        before = time.monotonic()
        while True:
            time.sleep(0.02)
            now = time.monotonic()
            if now - before > 0.32:
                self.write("paused", f"{before * 1000:.3f}")
            before = now

    def told_state(self, state):
        self.write("state", state)
        if state == "CONNECTED":
            session, password = self.client.client_id
            self.write("session", f"{session & 2 ** 64 - 1:x} {password.hex()}")

    def lock(self) -> Lock:
        lock = Lock(self.client, self.path, self.name, extra_lock_patterns=("lock-",))
        lock.prefix = f"_c_{uuid.uuid4()}-lock-"
        lock.create_path = f"{self.path}/{lock.prefix}"
        return lock

    def sweep(self, lock):
        """Deletes whatever this attempt may have created. Goes on until it is confirmed."""
        while True:
            try:
                for child in self.client.get_children(self.path):
                    if child.startswith(lock.prefix):
                        self.client.delete(f"{self.path}/{child}")
                return
            except NoNodeError:
                return
            except FAILURES:
                time.sleep(0.1)

    def is_own(self, lock) -> bool:
        try:
            stat = self.client.exists(f"{self.path}/{lock.node}")
        except FAILURES:
            return False
        return stat is not None and stat.owner_session_id == self.client.client_id[0]

    def turn(self, index, choice):
        lock = self.lock()
        limit = None if choice.randrange(10) < 3 else (10 + choice.randrange(2000)) / 1000
        self.write("want", f"{index} mutex own{index} {-1 if limit is None else int(limit * 1000)}")
        result = "TIMED_OUT"
        try:
            granted = lock.acquire(timeout=limit)
            if granted and not self.is_own(lock):
                granted, result = False, "NOT_OWN"
        except FAILURES as failure:
            granted, result = False, type(failure).__name__
        if not granted:
            self.write("refused", f"{index} {result}")
            self.sweep(lock)
            return
        self.write("enter", f"{index} mutex own{index} {self.path}/{lock.node} -")
        time.sleep(choice.randrange(8) / 1000)
        while time.monotonic() < self.keep_until and not self.stopping.is_set():
            time.sleep(0.001)
        self.write("leave", index)
        try:
            lock.release()
            result = "OK"
        except FAILURES as failure:
            result = type(failure).__name__
            self.sweep(lock)
        self.write("left", f"{index} {result}")

    def run(self, index):
        choice = random.Random(self.seed * 31 + index)
        while not self.stopping.is_set():
            self.turn(index, choice)
            time.sleep(choice.randrange(40) / 1000)


def main():
    servers, path, _, name, history, seed, threads, session_ms = sys.argv[1:9]
    contender = Contender(servers, path, name, history, int(seed), int(session_ms))
    running = [threading.Thread(target=contender.run, args=(index,), daemon=True) for index in range(int(threads))]
    for thread in running:
        thread.start()
    while (line := sys.stdin.readline()).startswith("keep "):
        contender.keep_until = time.monotonic() + int(line[5:]) / 1000
    contender.stopping.set()
    for thread in running:
        thread.join()  # an acquire without a limit ends too: the others let go
    contender.write("idle", 0)
    sys.stdin.readline()
    contender.client.stop()
    contender.client.close()
    contender.write("closed", "OK")


main()
