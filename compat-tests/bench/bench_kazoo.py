# SPDX-License-Identifier: Apache-2.0
"""The contender that is Python's kazoo: `bench_kazoo.py CONNECT_STRING PATH [hold]`. Speaks the lines of bench.c."""
import sys
import threading
import time

from kazoo.client import KazooClient

CONNECTING_SECONDS = 60


def open_client(connect_string: str) -> KazooClient:
    client = KazooClient(hosts=connect_string)
    client.start(timeout=CONNECTING_SECONDS)
    return client


class Contention:
    """Many contenders in one process, a thread each; does what contention.c does."""

    def __init__(self, connect_string: str, path: str, members: int, one_session: bool):
        self.one_session = one_session
        self.clients = [open_client(connect_string) for _ in range(1 if one_session else members)]
        self.locks = [self.clients[0].Lock(f"{path}/{i}") if one_session else self.clients[i].Lock(path)
                      for i in range(members)]
        self.guard = threading.Lock()  # of acquires to handoffs
        self.acquires = 0
        self.had_it = set()
        self.released_at = 0
        self.handoffs = []
        self.stopping = False
        self.gate = threading.Event()
        self.threads = []

    def take_part(self, member: int, hold: float, once: bool):
        while True:
            self.locks[member].acquire()
            with self.guard:
                self.acquires += 1
                self.had_it.add(member)
                if self.released_at and not self.one_session:
                    self.handoffs.append(time.monotonic_ns() - self.released_at)
            self.gate.wait()
            if hold and not self.stopping:
                time.sleep(hold)
            if not self.one_session:
                self.released_at = time.monotonic_ns()
            self.locks[member].release()
            if once or self.stopping:
                return

    def start(self, members: int, hold_us: int, once: bool = False):
        self.acquires, self.released_at, self.stopping = 0, time.monotonic_ns() if once else 0, False
        self.had_it.clear()
        self.handoffs.clear()
        self.gate.clear() if once else self.gate.set()
        self.threads = [threading.Thread(target=self.take_part, args=(member, hold_us / 1e6, once), daemon=True)
                        for member in range(members)]
        for thread in self.threads:
            thread.start()

    def go(self):
        self.gate.set()
        for thread in self.threads:
            thread.join()

    def mark(self) -> str:
        with self.guard:
            self.handoffs.clear()
            return f"{self.acquires} {time.monotonic_ns()} {len(self.had_it)}"

    def handoffs_so_far(self) -> str:
        with self.guard:
            return " ".join(map(str, self.handoffs))

    def stop(self):
        self.stopping = True
        for thread in self.threads:
            thread.join()

    def close(self):
        for client in self.clients:
            client.stop()
            client.close()


class Bench:
    """One session and one lock, and contention when asked for."""

    def __init__(self, connect_string: str, path: str):
        self.connect_string = connect_string
        self.client = open_client(connect_string)
        self.lock = self.client.Lock(path)
        self.samples = []
        self.contention = None

    def run_cycles(self, count: int):
        self.samples = []
        began = time.monotonic_ns()
        for _ in range(count):
            self.lock.acquire()
            self.lock.release()
            ended = time.monotonic_ns()
            self.samples.append(ended - began)
            began = ended

    def answer(self, verb: str, first: str = "", second: str = "", third: str = ""):
        if verb == "cycles":
            return self.run_cycles(int(first))
        if verb == "samples":
            return " ".join(map(str, self.samples))
        if verb in ("contend", "locks"):
            self.contention = Contention(third or self.connect_string, first, int(second), verb == "locks")
            return None
        if verb in ("start", "queue"):
            return self.contention.start(int(first), int(second), verb == "queue")
        if verb == "go":
            return self.contention.go()
        if verb == "mark":
            return self.contention.mark()
        if verb == "handoffs":
            return self.contention.handoffs_so_far()
        if verb == "stop":
            return self.contention.stop()
        if verb == "close":
            return self.contention.close()
        raise ValueError(f"no verb '{verb}'")


def main():
    connect_string, path, *hold = sys.argv[1:]
    bench = Bench(connect_string, path)
    if hold:
        bench.lock.acquire()
    print("ready", time.monotonic_ns(), flush=True)
    for line in sys.stdin:
        print((bench.answer(*line.split()) or "") + " ok", flush=True)
    bench.client.stop()


main()
