# SPDX-License-Identifier: Apache-2.0
"""The processes that are measured. Another language is another line in COMMANDS and speaks the lines of bench.c."""
import os
import select
import subprocess
import time

from support import jars
from support.peers import program
from support.waiting import die_with_parent

PATH = "/bench"  # of the lock; made by the floor as a persistent node, so that nobody spends time on creating it
ANSWER_SECONDS = 300


def java(name: str) -> list:
    """As a user would start it: the JVM's own choice of compilers, heap and collector."""
    jars.java()  # says what is missing
    classes = os.path.dirname(program(f"java/{name}.class"))
    return ["java", "-cp", classes + ":" + jars.curator_class_path(),
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", name]


COMMANDS = {
    "floor": lambda: [program("bench/bench"), "floor"],
    "requests": lambda: [program("bench/bench"), "requests"],
    "c": lambda: [program("bench/bench"), "library"],
    "java": lambda: java("Bench"),
}


class BenchFailed(Exception):
    """A contender ended or did not answer; the text says which."""


class Contender:
    """One process with one session and one lock, or what stands for a lock. To be ended, by `with` or end()."""

    def __init__(self, name: str, server):
        self.name = name
        self.process = subprocess.Popen(COMMANDS[name]() + [server.connect_string, PATH], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, preexec_fn=die_with_parent, start_new_session=True)
        try:
            self.answer("its start")
        except BaseException:
            self.end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def answer(self, request: str) -> str:
        if not select.select([self.process.stdout], [], [], ANSWER_SECONDS)[0]:
            raise BenchFailed(f"{self.name}: no answer to {request} in {ANSWER_SECONDS} s")
        line = self.process.stdout.readline().decode("ascii")
        if not line.endswith("\n"):
            raise BenchFailed(f"{self.name}: ended at {request} with status {self.process.wait()}")
        return line.strip()

    def ask(self, verb: str, count: int = 0) -> str:
        self.process.stdin.write(f"{verb} {count}\n".encode("ascii"))
        self.process.stdin.flush()
        return self.answer(verb)

    def cpu_seconds(self) -> float:
        """Of all its threads so far. To the nanosecond, which the JVM cannot tell of itself."""
        return time.clock_gettime(~self.process.pid << 3 | 2)  # what clock_getcpuclockid(3) gives on Linux

    def resident_kib(self) -> int:
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))

    def end(self):
        try:
            self.process.stdin.close()
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            pass
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
