# SPDX-License-Identifier: Apache-2.0
"""One case, from the opening of the contender's client to the last look at what it left."""
import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from matrix.cases import CONNECTION_TIMEOUT_MS, LIMIT_MS, RETRY, SESSION_TIMEOUT_MS
from support.fault_proxy import FaultProxy
from support.frames import CREATES, Request
from support.waiting import bound, wait_until

CONNECTED = ("CONNECTED", "RECONNECTED")
LETS_GO_SECONDS = 0.5  # after the fault, the holder before us releases
OTHERS_WAIT_MS = 60000  # the most that those who come after wait for the lock
STAYS_SECONDS = 0.3  # that the contender holds at least, with others waiting
LOOKS_SECONDS = 12  # for how long a node that stays is watched
NUMBERS = itertools.count(1)


def now_ms() -> float:
    return 1000 * time.monotonic()


@dataclass
class Outcome:
    """What was seen. Times are the monotonic clock's milliseconds."""

    case: object
    language: str
    fired: bool = False
    acquire: object = None  # Calls
    release: object = None
    holds: list = field(default_factory=list)  # (who, since, until)
    losses: list = field(default_factory=list)
    states: list = field(default_factory=list)
    stuck: list = field(default_factory=list)  # what did not return
    free_from: float = 0  # the calls have returned, the fault is over, and the holder before has released
    node_gone_ms: float = None  # after that, None: not in the time that was waited
    there_after_ok: list = field(default_factory=list)  # nodes of the contender after release returned OK
    taken_ms: dict = field(default_factory=dict)  # who -> when the lock was taken again, after free_from
    problem: str = ""  # of the test itself
    record: str = ""  # the proxy's


class Contender:
    """The one under test, behind the proxy."""

    retry = RETRY

    def __init__(self, setup, proxy, path, case):
        self.setup, self.proxy, self.path, self.case = setup, proxy, path, case
        self.client = self.lock = None

    def open(self, await_ms):
        self.client = self.setup.contenders.client(
            self.proxy.connect_string, await_ms, session_timeout=SESSION_TIMEOUT_MS,
            connection_timeout=CONNECTION_TIMEOUT_MS, retry=self.retry)
        self.lock = lock_of(self.client, self.path, self.case.lock)
        if self.case.operation == "own" and self.setup.language == "java":
            self.lock.make_revocable()  # Curator watches its own node for that alone

    def acquire(self):
        return self.lock.begin("acquire_for", LIMIT_MS)

    def release(self):
        return self.lock.begin("release")

    def losses(self) -> list:
        """When the contender was notified that its lock is lost."""
        if self.setup.language == "c":
            return [event.time for event in self.lock.losses()]
        return [event.time for event in self.client.events() if event.detail == "LOST"]


def lock_of(client, path, lock):
    return client.mutex(path) if lock == "mutex" else getattr(client.read_write_lock(path), lock)


class CaseRun:
    """Runs on a thread of its own, side by side with others of the batch."""

    def __init__(self, case, setup, server_fault=None, contender=Contender):
        self.case, self.setup, self.server_fault = case, setup, server_fault
        self.directory = f"/matrix-{next(NUMBERS)}-{case}"
        self.path = f"{self.directory}/locks/one"
        self.others_lock = "mutex" if case.lock == "mutex" else "write"
        self.proxy = FaultProxy(*setup.ports)
        self.contender = contender(setup, self.proxy, self.path, case)
        self.outcome = Outcome(case, setup.language)
        self.over = threading.Event()
        self.over_at = 0.0
        self.holder = self.holder_acquired = self.holder_released = None
        self.nexts = []

    def run(self) -> Outcome:
        try:
            self.prepare()
            rule = self.spoil()
            self.begin()
            self.outcome.fired = rule.fired.wait(bound(10))
            assert self.outcome.fired, "the fault never came"
            self.watch_through()
        except Exception as problem:  # whatever it is, it is this case's
            self.outcome.problem = f"{type(problem).__name__}: {problem}"
            if self.server_fault is not None:
                self.server_fault.begin.abort()
        finally:
            self.outcome.record = str(self.proxy)
            self.end()
        return self.outcome

    # ---- before ----

    def prepare(self):
        if self.case.operation != "parent":
            self.setup.operator.create(self.path)
        if self.case.holder != "free":
            self.holder = lock_of(self.setup.clients[self.case.holder], self.path, self.others_lock)
            self.holder_acquired = self.holder.acquire(seconds=40)
        if self.case.operation != "start":
            self.contender.open(await_ms=20000)
        if self.case.operation == "delete":
            self.outcome.acquire = self.contender.acquire()
            if self.holder is not None:
                wait_until(lambda: len(self.setup.operator.children(self.path)) == 2, "the contender queued", 20)
                self.holder_released = self.holder.begin("release")
            self.outcome.acquire.wait()
            self.others_queue()

    def spoil(self):
        """Arms the fault."""
        fault = self.case.fault
        rule = self.request_meant()
        if fault == "request_lost":
            return rule.lose_request(then=self.is_over)
        if fault == "reply_lost":
            return rule.lose_reply(then=self.is_over)
        if fault == "held_1500":
            return rule.hold_reply(1.5, then=lambda: threading.Timer(1.5, self.is_over).start())
        if fault == "held_10000":
            return rule.hold_reply(10, then=self.is_over)  # on that connection; a new one is free
        if fault == "cut_2000":
            return rule.lose_request(then=lambda: self.cut(lambda: time.sleep(2)))
        if fault == "cut_until_dead":
            return rule.lose_reply(then=lambda: self.cut(self.await_session_end))
        threading.Thread(target=self.follow_server_fault, daemon=True).start()
        if fault == "restart":
            return rule.lose_reply(then=self.server_fault.wait_for_fault)
        return rule.pass_request(then=self.server_fault.wait_for_fault)

    def request_meant(self):
        inside = self.path + "/"
        return {
            "start": lambda: self.proxy.on("connect"),
            "parent": lambda: self.proxy.on(*CREATES, path=f"{self.directory}/locks"),
            "create": lambda: self.proxy.on(*CREATES, path=lambda path: path.startswith(inside)),
            "children": lambda: self.proxy.on("getChildren", "getChildren2", path=self.path),
            "predecessor": lambda: self.proxy.on(
                "getData", "exists", path=lambda path: path.startswith(inside) and not self.is_ours(path)),
            "own": lambda: self.proxy.on("getData", "exists", path=self.is_ours),
            "delete": lambda: self.proxy.on("delete", path=lambda path: path.startswith(inside)),
        }[self.case.operation]()

    def is_ours(self, path) -> bool:
        """Whether the contender asked for this node to be created: the name begins with one of its UUIDs."""
        prefixes = [entry.path for entry in list(self.proxy.record)
                    if isinstance(entry, Request) and entry.operation in CREATES and
                    entry.path.startswith(self.path + "/")]
        return any(path.startswith(prefix) for prefix in prefixes)

    def is_over(self):
        self.over_at = now_ms()
        self.over.set()

    def cut(self, wait):
        """Refuses connections while wait() lasts."""
        self.proxy.cut()

        def mend():
            wait()
            self.proxy.mend()
            self.is_over()

        threading.Thread(target=mend, daemon=True).start()

    def await_session_end(self):
        self.setup.await_session_end(self.proxy.sessions[-1])

    def follow_server_fault(self):
        if self.server_fault.over.wait(bound(120)):
            self.is_over()

    # ---- the fault, and the way out of it ----

    def begin(self):
        if self.server_fault is not None:
            self.server_fault.begin.wait(bound(100))
        if self.case.operation == "delete":
            self.outcome.release = self.contender.release()
            return
        if self.case.operation == "start":
            self.contender.open(await_ms=None)
        self.outcome.acquire = self.contender.acquire()

    def watch_through(self):
        outcome = self.outcome
        if self.holder is not None and self.holder_released is None:
            time.sleep(LETS_GO_SECONDS)
            self.holder_released = self.holder.begin("release")
        if outcome.release is None and self.returned(outcome.acquire, "acquire"):
            self.others_queue()
            if outcome.acquire.status == "CURATOR_OK":
                self.hold()
                outcome.release = self.contender.release()
        if outcome.release is not None:
            self.returned(outcome.release, "release")
            if outcome.release.status == "CURATOR_OK":
                outcome.there_after_ok = self.nodes_of_ours()
        assert self.over.wait(bound(120)), "the fault is not over"
        if self.holder_released is not None:
            self.holder_released.wait(expect=None, seconds=60)
        self.look()

    def returned(self, call, name) -> bool:
        try:
            call.wait(expect=None, seconds=40)
        except AssertionError as problem:
            self.outcome.stuck.append(f"{name}: {problem}")
        return call.done

    def hold(self):
        """With others waiting; and where the fault hits a holder, through it."""
        since = time.monotonic()
        if self.case.operation == "own":
            assert self.over.wait(bound(120)), "the fault is not over"
            if self.case.fault == "held_10000":
                time.sleep(SESSION_TIMEOUT_MS / 1000)  # long enough to notice the silence, and to come back
        time.sleep(max(0, since + STAYS_SECONDS - time.monotonic()))

    def others_queue(self):
        """A C and a Java contender of the same lock, which acquire and release at once."""
        for language, client in self.setup.clients.items():
            lock = lock_of(client, self.path, self.others_lock)
            self.nexts.append((language, lock.begin("acquire_for", int(bound(OTHERS_WAIT_MS))), lock.begin("release")))

    def look(self):
        outcome = self.outcome
        calls = [call for call in (outcome.acquire, outcome.release, self.holder_released) if call is not None]
        outcome.free_from = max([self.over_at] + [call.ended for call in calls])
        until = max(now_ms(), outcome.free_from) + 1000 * bound(LOOKS_SECONDS)
        while left := self.nodes_of_ours():
            if now_ms() > until:
                break
            time.sleep(0.02)
        outcome.node_gone_ms = None if left else max(0, now_ms() - outcome.free_from)
        for language, acquire, release in self.nexts:
            release.wait(expect=None, seconds=90)
            if acquire.status == "CURATOR_OK":
                outcome.taken_ms[language] = max(0, acquire.ended - max(outcome.free_from, self.others_connected()))
                outcome.holds.append((f"the next, {language}", acquire.ended, release.began))
        if self.holder is not None:
            outcome.holds.append((f"the holder before, {self.case.holder}", self.holder_acquired.ended,
                                  self.holder_released.began))
        if outcome.release and outcome.release.status == "CURATOR_LOCK_LOST":
            self.await_told()
        outcome.losses = self.contender.losses()
        outcome.states = self.contender.client.states()
        if outcome.acquire.status == "CURATOR_OK":
            since = outcome.acquire.ended
            ends = [time for time in outcome.losses if time >= since]
            ends.append(outcome.release.began if outcome.release.done else now_ms())
            outcome.holds.append(("the contender", since, min(ends)))

    def await_told(self):
        """
        A release may detect the loss itself; then the callback comes a moment later. The checks report it if it does
        not.
        """
        try:
            wait_until(self.contender.losses, "the loss told")
        except AssertionError:
            pass

    def others_connected(self) -> float:
        """
        When the next contenders were connected (again): a server fault hits them too. A client may meet a starting
        server that accepts it and never answers, and RECONNECTED is told when the lease is renewed: so each is awaited.
        """
        clients = self.setup.clients.values()
        wait_until(lambda: all(client.states()[-1] in CONNECTED for client in clients), "all connected again", 30)
        return max(event.time for client in clients for event in client.events() if event.detail in CONNECTED)

    def nodes_of_ours(self) -> list:
        return [name for name in self.setup.operator.children(self.path) if self.is_ours(f"{self.path}/{name}")]

    def end(self):
        try:
            if self.contender.client is not None:
                self.proxy.mend()
                self.contender.client.close(thread=f"closes{next(NUMBERS)}", expect=None)
        except AssertionError as problem:
            self.outcome.stuck.append(f"close: {problem}")
        finally:
            self.proxy.remove()


def run_cases(cases, setup, contender=Contender) -> list:
    """Runs the cases side by side. They share a fault if it is one of a server."""
    if not cases:
        return []
    setup.restore()
    server_fault = setup.server_fault(cases[0].fault, len(cases))
    runs = [CaseRun(case, setup, server_fault, contender) for case in cases]
    with ThreadPoolExecutor(len(cases)) as pool:
        running = []
        for one in runs:
            running.append(pool.submit(one.run))
            if server_fault is None:
                time.sleep(0.05)  # so that they do not all begin in the same moment
        if server_fault is not None:
            server_fault.run()
        return [one.result() for one in running]
