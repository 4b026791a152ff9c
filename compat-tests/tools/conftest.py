# SPDX-License-Identifier: Apache-2.0
"""The command curator-lock, as a user starts it."""
import contextlib
import os
import signal
import subprocess
import warnings

import pytest

from support.programs import BUILD, SANITIZER_REPORT, WRAPPER, c_environment
from support.waiting import bound, die_with_parent, wait_until

CURATOR_LOCK = os.path.join(BUILD, "tools", "curator-lock")


def started(words, environment=None, **options):
    """curator-lock with these arguments; standard input, output and error are what `options` say, as Popen takes it."""
    variables = {**c_environment(), **(environment or {})}
    # The signals that Python ignores would stay ignored.
    return subprocess.Popen([*WRAPPER, CURATOR_LOCK, *map(str, words)], env=variables, preexec_fn=die_with_parent,
                            text=True, **options)


class Started:
    """A curator-lock that runs, with what it prints."""

    def __init__(self, words, stdin=subprocess.DEVNULL, **options):
        self.process = started(words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def line(self) -> str:
        """The next line of standard output, without its end."""
        return self.process.stdout.readline().rstrip("\n")

    def wait_for_error(self, text):
        """Reads standard error up to the line with this text; the command may write there, too."""
        while text not in (line := self.process.stderr.readline()):
            assert line, f"curator-lock has not said {text!r}"

    def signal(self, number):
        self.process.send_signal(number)

    def end(self, seconds=30) -> tuple:
        """Waits for the end: status, what was printed and not read before, standard error."""
        try:
            output, errors = self.process.communicate(timeout=bound(seconds))
        except subprocess.TimeoutExpired:
            self.process.kill()
            pytest.fail(f"curator-lock did not end in {bound(seconds):g} s: {self.process.communicate()}")
        assert not SANITIZER_REPORT.search(errors), errors
        return self.process.returncode, output, errors


@pytest.fixture
def run_lock(zookeeper):
    """run_lock("-n", path, "true", ...): status, output, errors of a curator-lock on the shared server."""

    def run(*words, seconds=30, environment=None, **options):
        variables = {"CURATOR_SERVERS": zookeeper.connect_string, **(environment or {})}
        return Started(words, environment=variables, **options).end(seconds)

    return run


@pytest.fixture
def start_lock(zookeeper):
    """start_lock(path, "sleep", 100): one that runs beside the test; killed after it."""
    all_started = []

    def start(*words, environment=None, **options):
        variables = {"CURATOR_SERVERS": zookeeper.connect_string, **(environment or {})}
        all_started.append(Started(words, environment=variables, **options))
        return all_started[-1]

    yield start
    for one in all_started:
        if one.running:
            one.signal(signal.SIGCONT)
            one.process.kill()
        one.process.communicate()


@pytest.fixture
def queued(admin, path):
    """with queued(holder, waiter): one mutex holds, the other one waits behind it; afterwards each has its turn."""

    @contextlib.contextmanager
    def queue(holder, waiter):
        holder.acquire()
        waiting = waiter.begin("acquire")
        admin.wait_for_children(path, 2)
        yield
        holder.release()
        waiting.wait()
        waiter.release()

    return queue


def alive(pid: int) -> bool:
    """Whether there is a process of that number that can still do something: a zombie cannot."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until_dead(*pids, seconds=20):
    wait_until(lambda: not any(map(alive, pids)), f"the end of {pids}", seconds)


def needs(possible, reason):
    """A test that cannot run here is not there, and a warning says why."""
    def judge(test):
        if possible:
            return test
        warnings.warn(f"{test.__name__} does not run here: {reason}", stacklevel=2)
        return None
    return judge
