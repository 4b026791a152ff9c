# SPDX-License-Identifier: Apache-2.0
"""
Processes that use the lock, in C with the library and in Java with the real Curator, driven alike: a Peer has clients,
a client has mutexes, a mutex has the calls of the recipe. A call runs on a named thread of the peer. `mutex.acquire()`
waits for the answer and asserts its status; `mutex.begin("acquire")` returns at once with a Call to look at later.
"""
import itertools
import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
import time
import urllib.parse

from support import jars
from support.waiting import bound, die_with_parent, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("CURATOR_BUILD", os.path.join(ROOT, "build"))
PROGRAMS = os.path.join(BUILD, "compat-tests")
WRAPPER = shlex.split(os.environ.get("CURATOR_WRAPPER", ""))
ANSWER_SECONDS = 20  # how long a call may take that a test waits for
SANITIZER_REPORT = re.compile("ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:")

NEW_CLIENT = itertools.count(1)
NEW_MUTEX = itertools.count(1)


def program(name: str) -> str:
    """The path of a built C program of these tests."""
    path = os.path.join(PROGRAMS, name)
    if not os.path.exists(path):
        raise jars.MissingPart(f"{path} (cmake -B build && cmake --build build)", "cmake libzookeeper-mt-dev gcc")
    return path


def c_environment() -> dict:
    """Makes the sanitizers end a process with a status of their own, and point at what is not ours as not ours."""
    environment = dict(os.environ)
    suppressions = os.path.join(HERE, "sanitizer-suppressions")
    environment.setdefault("ASAN_OPTIONS", "detect_leaks=1:fast_unwind_on_malloc=0:exitcode=66:abort_on_error=0")
    environment.setdefault("LSAN_OPTIONS", f"suppressions={suppressions}/leak.txt:print_suppressions=0:exitcode=66")
    environment.setdefault("TSAN_OPTIONS", f"suppressions={suppressions}/thread.txt:exitcode=66")
    environment.setdefault("VALGRIND_OPTS", f"--suppressions={suppressions}/valgrind.txt")
    environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1:halt_on_error=1:exitcode=66")
    return environment


def escape(value) -> str:
    data = value if isinstance(value, bytes) else str(value).encode()
    return urllib.parse.quote_from_bytes(data, safe="/:=,-._~") or "%"


def unescape(token: str) -> str:
    return "" if token == "%" else urllib.parse.unquote_to_bytes(token).decode("utf-8", "surrogateescape")


class Call:
    """A request under way, and its answer. Times are the monotonic clock's milliseconds, the same in all processes."""

    def __init__(self, peer, text):
        self.peer = peer
        self.text = text
        self.answered = threading.Event()
        self.status = None
        self.began = self.ended = 0.0
        self.values = []

    def __repr__(self):
        return f"<{self.peer.name}: {self.text} -> {self.status} {self.values}>"

    @property
    def done(self) -> bool:
        return self.answered.is_set()

    @property
    def elapsed(self) -> float:
        return self.ended - self.began

    @property
    def value(self) -> str:
        return self.values[0]

    @property
    def error(self) -> str:
        """The sentence of a failure."""
        return self.values[0] if self.values else ""

    def answer(self, tokens):
        self.status = tokens[0]
        self.began, self.ended = float(tokens[1]), float(tokens[2])
        self.values = [unescape(token) for token in tokens[3:]]
        self.answered.set()

    def wait(self, expect="CURATOR_OK", seconds=ANSWER_SECONDS):
        """Waits for the answer and asserts its status (None: any)."""
        deadline = time.monotonic() + bound(seconds)
        while not self.answered.wait(0.1):
            assert self.peer.alive or self.answered.wait(0.1), f"{self} is gone:\n{self.peer.errors()}"
            assert time.monotonic() < deadline, f"no answer in {bound(seconds):g} s: {self}\n{self.peer.errors()}"
        assert expect is None or self.status == expect, f"{self}, expected {expect}\n{self.peer.errors()}"
        return self


class Event:
    def __init__(self, tokens):
        self.kind, self.name = tokens[0], tokens[1]
        self.detail = tokens[2] if len(tokens) > 3 else None
        self.time = float(tokens[-1])

    def __repr__(self):
        return f"{self.kind} {self.name} {self.detail or ''} {self.time:.0f}"


class Peer:
    """One process. `events` grows as they are told."""

    language = ""

    def __init__(self):
        self.stderr = tempfile.TemporaryFile()
        self.calls = {}
        self.events = []
        self.clients = []
        self.ids = itertools.count(1)
        self.thread_prefix = ""
        self.killed = False
        self.writing = threading.Lock()
        self.process = subprocess.Popen(self.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.stderr, env=self.environment(), preexec_fn=die_with_parent,
                                        start_new_session=True)
        threading.Thread(target=self.read, daemon=True).start()

    def command(self) -> list:
        raise NotImplementedError

    def environment(self) -> dict:
        return dict(os.environ)

    @property
    def name(self) -> str:
        return f"{self.language} {self.process.pid}"

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def read(self):
        for line in self.process.stdout:
            tokens = line.decode("ascii", "replace").split()
            if tokens[:1] == ["event"]:
                self.events.append(Event(tokens[1:]))
            elif tokens and tokens[0] in self.calls:
                self.calls.pop(tokens[0]).answer(tokens[1:])

    def errors(self, last=20000) -> str:
        """What the process wrote to standard error: the last characters of it."""
        size = os.fstat(self.stderr.fileno()).st_size
        return os.pread(self.stderr.fileno(), size, 0).decode("utf-8", "replace")[-last:]

    def begin(self, thread: str, verb: str, *arguments) -> Call:
        with self.writing:
            request = str(next(self.ids))
            tokens = [self.thread_prefix + thread, verb] + [escape(argument) for argument in arguments]
            call = Call(self, " ".join(tokens)[:300])
            self.calls[request] = call
            try:
                self.process.stdin.write((request + " " + " ".join(tokens) + "\n").encode())
                self.process.stdin.flush()
            except OSError as error:
                raise AssertionError(f"{self.name} is gone:\n{self.errors()}") from error
        return call

    def client(self, connect, await_ms=10000, **options) -> "Client":
        """A new client, connected unless await_ms is None."""
        client = Client(self, f"c{next(NEW_CLIENT)}")
        self.begin("main", "open", client.name, f"connect={connect}",
                   *(f"{key}=".encode() + (value if isinstance(value, bytes) else str(value).encode())
                     for key, value in options.items())).wait()
        self.clients.append(client)
        if await_ms is not None:
            client.await_connected(int(bound(await_ms)))
        return client

    def end_thread(self, thread: str):
        """The thread ends; a later call of this name runs on another one."""
        self.begin(thread, "end_thread").wait()

    def kill(self):
        """SIGKILL: the process cannot say goodbye to the server."""
        self.killed = True
        self.process.kill()
        self.process.wait()

    def signal(self, number):
        self.process.send_signal(number)

    def finish(self):
        """Ends the process and asserts that it ended well. Once is enough; more is harmless."""
        if self.stderr.closed:
            return
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(bound(30))
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)
            self.killed = True
            self.process.wait()
            raise AssertionError(f"{self.name} did not end when its input did:\n{self.errors()}") from None
        finally:
            errors = self.errors()
            self.stderr.close()
        assert not SANITIZER_REPORT.search(errors), f"{self.name}:\n{errors}"
        assert self.killed or self.process.returncode == 0, f"{self.name}: {self.process.returncode}\n{errors}"


class CPeer(Peer):
    language = "c"

    def command(self):
        return WRAPPER + [program("curator_peer")]

    def environment(self):
        return c_environment()


class JavaPeer(Peer):
    language = "java"

    def command(self):
        classes = os.path.join(PROGRAMS, "java")
        if not os.path.exists(os.path.join(classes, "JavaPeer.class")):
            raise jars.MissingPart(f"{classes}/JavaPeer.class (cmake --build build)", "default-jdk-headless")
        return jars.java() + ["-cp", classes + ":" + jars.curator_class_path(),
                              "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "JavaPeer"]


class Client:
    """A CuratorFramework of a peer."""

    def __init__(self, peer: Peer, name: str):
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

    def revoke(self, node_path, **options) -> Call:
        return self.call("revoke", node_path, **options)

    def await_connected(self, timeout_ms, **options) -> Call:
        return self.call("await", timeout_ms, **options)

    def borrow_handle(self) -> Call:
        """The peer keeps the handle until it is given back; one at a time."""
        return self.call("borrow")

    def give_handle_back(self, **options) -> Call:
        return self.call("give_back", **options)

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
        """The connection states told so far."""
        return [event.detail for event in self.events()]

    def events(self) -> list:
        return [event for event in self.peer.events if event.kind == "state" and event.name == self.name]

    def wait_for_state(self, state: str, seconds=20) -> Event:
        """Waits until this state has been told; gives the last event of that kind."""
        wait_until(lambda: state in self.states(), f"{state} told by {self.peer.name}", seconds)
        return [event for event in self.events() if event.detail == state][-1]


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

    def make_revocable(self, **options) -> Call:
        return self.call("make_revocable", **options)

    def make_irrevocable(self, **options) -> Call:
        return self.call("make_irrevocable", **options)

    def revocation_requested(self, **options) -> bool:
        return self.call("revocation_requested", **options).value == "true"

    def events(self, kind) -> list:
        return [event for event in self.peer.events if event.kind == kind and event.name == self.name]

    def revocations(self) -> list:
        """The revocations told so far."""
        return self.events("revoke")

    def wait_for_revocations(self, count=1, seconds=20) -> Event:
        """Waits until so many have been told and gives the last; more than that fails."""
        wait_until(lambda: len(self.revocations()) >= count, f"revocation {count} told by {self.peer.name}", seconds)
        assert len(self.revocations()) == count
        return self.revocations()[-1]

    def losses(self) -> list:
        """The losses told so far."""
        return self.events("lost")

    def wait_for_loss(self, seconds=20) -> Event:
        wait_until(self.losses, f"the loss told by {self.peer.name}", seconds)
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
