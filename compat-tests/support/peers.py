# SPDX-License-Identifier: Apache-2.0
"""
Processes that use the lock, in C with the library and in Java with the real Curator, driven alike: a Peer has clients,
a client has mutexes, a mutex has the calls of the recipe. Each call runs on a named thread of the peer.
"""
import itertools
import os
import signal
import subprocess
import tempfile
import threading

from support import jars
from support.calls import Call, Event, escape
from support.clients import Client
from support.programs import PROGRAMS, SANITIZER_REPORT, WRAPPER, c_environment, program
from support.waiting import bound, die_with_parent

NEW_CLIENT = itertools.count(1)


class Peer:
    """One process. `events` grows as they are reported."""

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

    def client(self, connect, await_ms=10000, **options) -> Client:
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
        return jars.java() + ["-cp", os.environ.get("CURATOR_PEER_CLASS_PATH") or self.class_path(),
                              "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "JavaPeer"]

    @staticmethod
    def class_path() -> str:
        classes = os.path.join(PROGRAMS, "java")
        if not os.path.exists(os.path.join(classes, "JavaPeer.class")):
            raise jars.MissingPart(f"{classes}/JavaPeer.class (cmake --build build)", "default-jdk-headless")
        return classes + ":" + jars.curator_class_path()
