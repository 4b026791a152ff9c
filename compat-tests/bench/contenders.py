# SPDX-License-Identifier: Apache-2.0
"""The processes that are measured. Another language is another line in COMMANDS and speaks the lines of bench.c."""
import os
import select
import subprocess
import sys
import time

from support import jars
from support.programs import program

PATH = "/bench"  # of the lock; the floor creates it as a persistent node, so that no contender spends time on that
ANSWER_SECONDS = 300
HERE = os.path.dirname(os.path.abspath(__file__))
OTHER_CURATOR = []  # class path of a Curator that is not Debian's


def java() -> list:
    """As a user would start it: the JVM's own choice of compilers, heap and collector."""
    jars.java()  # says what is missing
    classes = os.path.dirname(program("java/Bench.class"))
    return ["java", "-cp", ":".join([classes] + OTHER_CURATOR + [jars.curator_class_path()]),
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "Bench"]


COMMANDS = {
    "floor": lambda: [program("bench/bench"), "floor"],
    "requests": lambda: [program("bench/bench"), "requests"],
    "one_flight": lambda: [program("bench/bench"), "one_flight"],
    "c": lambda: [program("bench/bench"), "library"],
    "pending": lambda: [program("bench/bench"), "pending"],
    "java": java,
    "kazoo": lambda: [sys.executable, os.path.join(HERE, "bench_kazoo.py")],
}


class BenchFailed(Exception):
    """A contender ended or did not answer; the text says which."""


class Contender:
    """
    One process with one session and one lock, or the requests of a floor. End it by `with` or end(). It also ends when
    this process ends, because its standard input ends then.
    """

    def __init__(self, name: str, connect_string: str, path: str = PATH, hold: bool = False):
        self.name = name
        command = COMMANDS[name]() + [connect_string, path] + ["hold"] * hold
        self.began = time.monotonic_ns()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ready_ms = 0.0  # from the start of the process
        try:
            self.ready_ms = (int(self.answer("its start", "ready")) - self.began) / 1e6
        except BaseException:
            self.end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        status = self.end()
        if kind is None:
            self.check(status)

    def check(self, status: int):
        if status != 0:
            raise BenchFailed(f"{self.name}: ended with status {status}")

    def answer(self, request: str, mark: str = "ok") -> str:
        if not select.select([self.process.stdout], [], [], ANSWER_SECONDS)[0]:
            raise BenchFailed(f"{self.name}: no answer to {request} in {ANSWER_SECONDS} s")
        line = self.process.stdout.readline().decode("ascii")
        if mark not in line.split() or not line.endswith("\n"):
            raise BenchFailed(f"{self.name}: ended at {request} with status {self.process.wait()}")
        return line.replace(mark, "", 1).strip()

    def send(self, verb: str, *arguments):
        """What send() sends answer() has to fetch."""
        self.process.stdin.write((" ".join([verb, *map(str, arguments)]) + "\n").encode("ascii"))
        self.process.stdin.flush()

    def ask(self, verb: str, *arguments) -> str:
        self.send(verb, *arguments)
        return self.answer(verb)

    def numbers(self, verb: str, *arguments) -> list:
        return [int(word) for word in self.ask(verb, *arguments).split()]

    def cpu_seconds(self) -> float:
        """CPU time of all its threads so far, in nanosecond resolution, which the JVM does not offer."""
        return time.clock_gettime(~self.process.pid << 3 | 2)  # what clock_getcpuclockid(3) gives on Linux

    def resident_bytes(self) -> int:
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as rollup:
            return next(int(line.split()[1]) * 1024 for line in rollup if line.startswith("Rss:"))

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def end(self) -> int:
        try:
            self.process.stdin.close()
            self.process.wait(30)
        except (OSError, subprocess.TimeoutExpired):
            pass
        self.process.kill()
        self.process.stdout.close()
        return self.process.wait()


class ContenderPool:
    """The long-lived contenders of a measurement, each started and warmed up when it is first needed."""

    def __init__(self, connect_string: str, warm_up: dict, say):
        self.connect_string = connect_string
        self.warm_up = warm_up
        self.say = say
        self.contenders = {}

    def __getitem__(self, name: str) -> Contender:
        if name not in self.contenders:
            contender = self.contenders[name] = Contender(name, self.connect_string)
            self.say(f"  warming up {name} ...")
            contender.ask("cycles", self.warm_up["cycles"][name])
            seconds = self.warm_up["handoff_seconds"].get(name, 0)
            if seconds:  # so that what waits for the lock is compiled too
                contender.ask("contend", PATH + "-warm-up", 4)
                contender.ask("start", 4, 0)
                time.sleep(seconds)
                contender.ask("stop")
                contender.ask("close")
        return self.contenders[name]

    def of(self, names) -> dict:
        return {name: self[name] for name in names}

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        statuses = [(contender, contender.end()) for contender in self.contenders.values()]
        for contender, status in statuses if kind is None else ():
            contender.check(status)
