# SPDX-License-Identifier: Apache-2.0
"""Running the programs that people copy from, and the fleet."""
import glob
import os
import re
import signal
import subprocess
import uuid

import pytest

from support.jars import MissingPart
from support.programs import BUILD, ROOT, SANITIZER_REPORT, WRAPPER, c_environment
from support.waiting import bound, die_with_parent, wait_until

FLEET = os.path.join(ROOT, "examples", "run")


def example(name: str) -> str:
    """The path of a built example."""
    path = os.path.join(BUILD, "examples", name)
    if not os.path.exists(path):
        raise MissingPart(f"{path} (cmake -B build && cmake --build build)", "cmake libzookeeper-mt-dev gcc")
    return path


@pytest.fixture
def tmp_path(tmp_path):
    """With a name that nothing else on the machine has, since processes are recognised by it."""
    directory = tmp_path / uuid.uuid4().hex
    directory.mkdir()
    return directory


def environment(directory):
    """What is made in a temporary directory is made in this one, where the test can look for leftovers."""
    return {**c_environment(), "CURATOR_BUILD": BUILD, "TMPDIR": str(directory)}


def run_to_the_end(command, directory, seconds):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=environment(directory),
                          preexec_fn=die_with_parent, timeout=bound(seconds), check=False)
    assert not SANITIZER_REPORT.search(done.stdout), done.stdout
    return done.returncode, done.stdout


@pytest.fixture
def run_example(tmp_path):
    """run_example("hello_lock", ...) returns the exit status and what was printed, on stdout and stderr."""
    return lambda name, *arguments: run_to_the_end([*WRAPPER, example(name), *arguments], tmp_path, seconds=60)


class Running:
    """An example that is stopped by the test."""

    def __init__(self, log, name, *arguments):
        self.log = log
        with open(log, "w", encoding="utf-8") as output:
            self.process = subprocess.Popen(
                [*WRAPPER, example(name), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=environment(log.parent), preexec_fn=die_with_parent)

    def output(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def prints(self, pattern, seconds=30) -> list:
        """Waits until it has printed that; gives all that matches."""
        return wait_until(lambda: re.findall(pattern, self.output(), re.MULTILINE), f"{pattern!r} printed", seconds)

    def stop(self, sent=signal.SIGTERM) -> str:
        """Ends it as an operator does; it has to end well."""
        self.process.send_signal(sent)
        self.process.wait(timeout=bound(30))
        assert self.process.returncode == 0, self.output()
        return self.output()


@pytest.fixture
def start_example(tmp_path):
    """start_example("service", ...) lets it run, and hands out what runs."""
    started = []

    def start(name, *arguments):
        started.append(Running(tmp_path / f"{name}-{len(started)}", name, *arguments))
        return started[-1]

    yield start
    for running in started:
        running.process.kill()
        running.process.wait()
    assert not [running.output() for running in started if SANITIZER_REPORT.search(running.output())]


@pytest.fixture
def run_fleet(tmp_path):
    """run_fleet("--seconds", 3, ...): the same for the fleet."""
    return lambda *arguments: run_to_the_end([FLEET, *arguments], tmp_path, seconds=150)


@pytest.fixture
def start_fleet(tmp_path):
    """Starts a fleet in a process group of its own, as a terminal would, and hands out the process."""
    started = []

    def start(*arguments, **variables):
        started.append(subprocess.Popen(
            [FLEET, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env={**environment(tmp_path), **variables}, preexec_fn=die_with_parent, start_new_session=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def fleet_processes(tmp_path):
    """Lists (pid, command line) of the processes that this test's fleets have running."""

    def processes():
        found = []
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(path, "rb") as file:
                    command = file.read().decode(errors="replace").replace("\0", " ").strip()
            except OSError:
                continue  # it has ended
            if str(tmp_path) in command:
                found.append((int(path.split("/")[2]), command))
        return found

    return processes
