# SPDX-License-Identifier: Apache-2.0
"""The contenders of the soak: processes in three languages, each behind links of its own that can be broken."""
import glob
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

from support import jars
from support.admin import end_session
from support.programs import SANITIZER_REPORT, WRAPPER, c_environment, program
from support.proxy import Proxy
from support.waiting import bound, die_with_parent, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
MUTEX_PATH, LOCK_PATH = "/soak/mutex", "/soak/read-write-lock"
SESSION_MS = 4000

# A process that is never killed shows leaks, because they add up.
Role = namedtuple("Role", "name, language, threads, never_killed")
ROLES = [Role("c1", "c", 4, True), Role("c2", "c", 3, False), Role("c3", "c", 2, False),
         Role("java1", "java", 3, True), Role("java2", "java", 2, False),
         Role("python1", "python", 2, False)]


# Children die with the thread that started them (PR_SET_PDEATHSIG), so one that lasts starts all that are started while
# the chaos goes on.
LAUNCHER = ThreadPoolExecutor(1)


def launch(start):
    return LAUNCHER.submit(start).result()


def milliseconds() -> float:
    return time.monotonic() * 1000


class Links:
    """What lies between one process and the servers."""

    def __init__(self, servers):
        self.proxies = [Proxy(server.port) for server in servers]

    @property
    def connect_string(self) -> str:
        return ",".join(proxy.connect_string for proxy in self.proxies)

    def each(self, what: str):
        for proxy in self.proxies:
            getattr(proxy, what)()


class Member:
    """One place in the fleet: a process, and after its death the next. Each of them has a name and a history file."""

    def __init__(self, role, servers, directory, seed, broken=False):
        self.role = role
        self.servers = servers
        self.directory = directory
        self.random = random.Random(f"{seed} {role.name}")
        self.broken = broken
        self.links = Links(servers)
        self.life = 0
        self.process = self.stderr = None
        self.deaths, self.stops = {}, []  # name -> when; (name, since, until)

    @property
    def name(self) -> str:
        return f"{self.role.name}.{self.life}"

    @property
    def history(self) -> str:
        return os.path.join(self.directory, self.name)

    def command(self) -> list:
        if self.role.language == "c":
            start = WRAPPER + [program("soak/soak_contender")]
        elif self.role.language == "java":
            classes = os.path.dirname(program("java/SoakContender.class"))
            start = jars.java() + ["-cp", classes + ":" + jars.curator_class_path(),
                                   "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", "SoakContender"]
        else:
            start = [sys.executable, "-B", os.path.join(HERE, "kazoo_contender.py")]
        arguments = [self.links.connect_string, MUTEX_PATH, LOCK_PATH, self.name, self.history,
                     self.random.randrange(2 ** 31), self.role.threads, SESSION_MS]
        if self.broken and self.role.language == "c":
            arguments.append("broken")
        return start + [str(argument) for argument in arguments]

    def start(self):
        self.life += 1
        self.stderr = tempfile.TemporaryFile()
        before = milliseconds()
        self.process = launch(lambda: subprocess.Popen(
            self.command(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self.stderr, env=c_environment(),
            preexec_fn=die_with_parent, start_new_session=True))
        wait_until(lambda: self.lines("hello") or self.process.poll() is not None, f"the start of {self.name}", 60)
        hello = self.lines("hello")
        assert hello, f"{self.name} ended with {self.process.returncode}:\n{self.errors()}"
        assert before <= float(hello[0][1]) <= milliseconds(), f"{self.name} has another clock than this process"
        return self

    def lines(self, what: str) -> list:
        try:
            with open(self.history, encoding="ascii") as file:
                return [line.split() for line in file if line.startswith(what + " ")]
        except FileNotFoundError:
            return []

    def errors(self) -> str:
        size = os.fstat(self.stderr.fileno()).st_size
        return os.pread(self.stderr.fileno(), size, 0).decode("utf-8", "replace")[-20000:]

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.deaths[self.name] = milliseconds()
        self.process.stdin.close()

    def stop(self):
        self.stops.append((self.name, milliseconds(), float("inf")))
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)
        name, since, _ = self.stops.pop()
        self.stops.append((name, since, milliseconds()))

    def expire(self, connect_string):
        """Has the server end its session now; the id, None if there was none to end. The links must be cut."""
        sessions = self.lines("session")
        if not sessions or sessions[-1][2] == "-":
            return None
        identity = int(sessions[-1][2], 16)
        signed = identity - 2 ** 64 if identity >= 2 ** 63 else identity
        end_session(connect_string, (signed, bytes.fromhex(sessions[-1][3])))
        return signed

    def tell(self, word: str):
        self.process.stdin.write(word.encode() + b"\n")
        self.process.stdin.flush()

    def usage(self) -> dict:
        """Descriptors, threads, resident KiB."""
        process = f"/proc/{self.process.pid}"
        with open(f"{process}/status", encoding="ascii", errors="replace") as status:
            values = dict(line.split(":", 1) for line in status)
        return {"descriptors": len(os.listdir(f"{process}/fd")), "threads": int(values["Threads"]),
                "resident KiB": int(values["VmRSS"].split()[0])}

    def finish(self) -> list:
        """Ends the process; returns what was wrong."""
        try:
            self.tell("end")
            self.process.wait(bound(60))
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
            return [f"{self.name} did not end when it was told to:\n{self.errors()}"]
        if self.process.returncode != 0 or SANITIZER_REPORT.search(self.errors()):
            return [f"{self.name} ended with {self.process.returncode}:\n{self.errors()}"]
        return []

    def remove(self):
        if self.process is not None and self.alive:
            self.process.kill()
            self.process.wait()
        for proxy in self.links.proxies:
            proxy.remove()


def history_files(directory: str) -> list:
    return sorted(glob.glob(os.path.join(directory, "*.[0-9]*")))
