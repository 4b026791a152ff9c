# SPDX-License-Identifier: Apache-2.0
"""Builds a mixed fleet of C and Java processes, runs it on one lock, shows it. Called by ../run, which has the help."""

import argparse
import contextlib
import os
import selectors
import shutil
import signal
import sys
import tempfile
import time
import uuid

from building import BuildFailed, build
from display import Display
from member import Member
from record import Record
from server import Server, ServerFailed
from shell import ShellFailed, ShellTurn
from summary import summary
from timeline import draw_timeline

FLEET = [("C", 3), ("Java", 2)]
READY_SECONDS = 30
STOP_SECONDS = 15  # more than the session timeout, in case one died and the others wait for its lock


class Interrupted(Exception):
    """A signal asked us to end."""


class RunFailed(Exception):
    """The run cannot go on; the text says why."""


class Fleet:
    """The members' life: start, ready, go, stop. Every wait in it ends early when a signal has come."""

    def __init__(self, members, record):
        self._members = members
        self._record = record
        self._selector = selectors.DefaultSelector()
        self._signal = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._note_signal)

    def _note_signal(self, number, _frame):
        """Only notes it, so that no step of the clean-up can be torn apart."""
        self._signal = number

    def check_stop(self):
        if self._signal is not None:
            raise Interrupted

    def exit_status_of_signal(self):
        return 128 + self._signal

    def start(self, arguments):
        for member in self._members:
            member.start([*arguments[:3], member.name, *arguments[3:]])
            for pipe in member.pipes():
                self._selector.register(pipe, selectors.EVENT_READ, member)

    def wait_until_ready(self):
        deadline = time.monotonic() + READY_SECONDS
        while not all(member.ready for member in self._members):
            self._listen(until=deadline)
            if time.monotonic() > deadline:
                late = ", ".join(member.name for member in self._members if not member.ready)
                raise RunFailed(f"not connected after {READY_SECONDS} s: {late}")

    def run(self, seconds, display, shell):
        """The shell script has its turn in the middle; shell: None, or how."""
        deadline = time.monotonic() + seconds
        for member in self._members:
            member.go()
        while time.monotonic() < deadline or (shell is not None and not shell.over):
            if shell is not None and not shell.started and time.monotonic() > deadline - seconds / 2:
                shell.start()
            display.tick()
            self._listen(until=time.monotonic() + 0.05)

    def stop(self):
        """Lets the members finish their turns and leave; returns those that did not end well by themselves."""
        for member in self._members:
            member.ask_to_stop()
        deadline = time.monotonic() + STOP_SECONDS
        while self._selector.get_map() and time.monotonic() < deadline:
            self._read_what_came(deadline)
        return [member for member in self._members if not member.end()]

    def _listen(self, until):
        self._read_what_came(until)
        self.check_stop()
        for member in self._members:
            if len(member.pipes()) < 2 or member.failed:
                raise RunFailed(f"{member.name} ended early")

    def _read_what_came(self, until):
        pause = max(0.0, min(0.05, until - time.monotonic()))
        for key, _ in self._selector.select(pause):
            pipe, member = key.fileobj, key.data
            lines = member.read(pipe)
            if pipe.closed:
                self._selector.unregister(pipe)
            for line in lines:
                self._note(member, line)

    def _note(self, member, line):
        if line == "ready":
            member.ready = True
            return
        event, thread, at = line.split()
        if event == "failed":
            member.failed = True
        self._record.note(member, event, int(thread), int(at))


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--connect")
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--without-lock", action="store_true")
    return parser.parse_args()


def run_fleet(arguments, directory, server, fleet, record, clean_up):
    build(arguments.build, fleet.check_stop)
    connect = arguments.connect
    if connect is None:
        print("Starting a throwaway ZooKeeper ...", flush=True)
        server.start(fleet.check_stop)
        connect = server.connect
    path = f"/curator-example-fleet-{uuid.uuid4().hex[:8]}"
    lock = "without the lock" if arguments.without_lock else f"on the lock {path}"
    print(f"Starting 3 C and 2 Java processes, two threads each, {lock} at {connect} ...", flush=True)
    resource = os.path.join(directory, "in-use")
    fleet.start([connect, path, resource] + (["--without-lock"] if arguments.without_lock else []))
    fleet.wait_until_ready()
    display = Display(record, arguments.seconds)
    shell = None
    if not arguments.without_lock:
        shell = ShellTurn(arguments.build, connect, path, resource)
        clean_up.callback(shell.end)
    fleet.run(arguments.seconds, display, shell)
    display.draw()
    if shell is not None:
        shell.check()
    return lock


def report(arguments, record, lock):
    picture = os.path.join(arguments.build, "examples", "fleet-timeline.svg")
    with open(f"{picture}.{os.getpid()}", "w", encoding="utf-8") as file:
        file.write(draw_timeline(record, lock, locked=not arguments.without_lock))
    os.replace(f"{picture}.{os.getpid()}", picture)  # another fleet may draw there too
    print(f"\n{summary(record)}\n  timeline      {picture}\n")
    reasons = record.shortcomings()
    if reasons:
        print("FAILED: " + "; ".join(reasons) + ".")
        return 1
    if not arguments.without_lock:
        print("A shell script had its turn in the middle, by the command curator-lock.")
    print("C and Java took turns on one lock, and the resource never had two users at once.")
    return 0


def main():
    arguments = parse_arguments()
    members = [Member(language, number, arguments.build) for language, count in FLEET for number in range(1, count + 1)]
    record = Record(members)
    fleet = Fleet(members, record)
    directory = tempfile.mkdtemp(prefix="curator-fleet-")
    server = Server(directory)
    failure = None
    clean_up = contextlib.ExitStack()
    try:
        lock = run_fleet(arguments, directory, server, fleet, record, clean_up)
    except (Interrupted, BuildFailed, RunFailed, ServerFailed, ShellFailed) as reason:
        failure = reason
    finally:
        clean_up.close()
        unwell = fleet.stop()
        server.stop()
        shutil.rmtree(directory)
    complaints = "".join(member.complaints for member in members)
    if isinstance(failure, Interrupted):
        print("\nInterrupted; everything is cleaned up.")
        return fleet.exit_status_of_signal()
    if failure is None and unwell:
        failure = RunFailed(", ".join(member.name for member in unwell) + " did not end well")
    if failure is not None:
        print(f"FAILED: {failure}\n{complaints}", end="", file=sys.stderr)
        return 1
    return report(arguments, record, lock)


if __name__ == "__main__":
    sys.exit(main())
