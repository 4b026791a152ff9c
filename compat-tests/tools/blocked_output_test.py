# SPDX-License-Identifier: Apache-2.0
"""Nobody reads what curator-lock prints: a terminal after Ctrl-S, a log that hangs. The lock does not wait for that."""
import contextlib
import os
import re
import signal
import socket
import subprocess

import pytest

from support.waiting import bound, wait_until
from tools.children_test import until
from tools.conftest import started


@contextlib.contextmanager
def full_pipe():
    """Both ends of a pipe that takes nothing more."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, b"x" * 4096)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, b"x")
    os.set_blocking(writer, True)
    try:
        yield reader, writer
    finally:
        os.close(reader)
        os.close(writer)


@pytest.fixture
def start(zookeeper):
    """As start_lock, with outputs of the test's own."""
    processes = []

    def begin(*words, **options):
        processes.append(started(words, environment={"CURATOR_SERVERS": zookeeper.connect_string},
                                 stdin=subprocess.DEVNULL, **options))
        return processes[-1]

    yield begin
    for process in processes:
        process.kill()
        process.wait()


def test_a_warning_that_nobody_reads_costs_no_lock(start, run_lock, admin, path, tmp_path):
    """The lease is renewed for the supervisor meanwhile, which would kill the command otherwise."""
    go_on, log = tmp_path / "go-on", tmp_path / "log"
    with full_pipe() as (_, writer):
        one = start("--session-timeout=4s", "--revocable", path, "sh", "-c",
                    f"exec 2>/dev/null; trap 'echo asked >>{log}' TERM; echo up >>{log}; {until(go_on)}; exit 5",
                    stdout=subprocess.DEVNULL, stderr=writer)
        wait_until(log.exists, "the command")
        admin.zk.set(f"{path}/{admin.children(path)[0]}", b"__REVOKE__")
        wait_until(lambda: "asked" in log.read_text(), "the signal")
        # Longer than a whole lease: without a renewal all is killed by then.
        assert run_lock("-w", "5s", path, "true")[0] == 1
        go_on.touch()
        assert one.wait(bound(30)) == 5
        assert log.read_text() == "up\nasked\n"


def test_a_loss_that_nobody_reads_of_ends_it_with_its_status(start, admin, path, tmp_path):
    log = tmp_path / "log"
    with full_pipe() as (_, writer):
        one = start("-vv", path, "sh", "-c", f"echo up >{log}; exec sleep 1000", stdout=subprocess.DEVNULL,
                    stderr=writer)
        wait_until(log.exists, "the command")
        admin.delete(f"{path}/{admin.children(path)[0]}")
        assert one.wait(bound(30)) == 75


@pytest.fixture
def hold(start, path, tmp_path):
    """hold(pipe): a `curator-lock hold` that has been granted the lock; that it has seen the grant is not known."""

    def begin(stdout):
        log = tmp_path / f"log-{len(list(tmp_path.iterdir()))}"
        with log.open("w") as errors:
            one = start("hold", "-vv", path, stdout=stdout, stderr=errors)
        wait_until(lambda: "granted after" in log.read_text(), "the grant")
        return one

    return begin


def test_hold_with_an_output_that_nobody_reads_notices_a_loss(hold, admin, path):
    with full_pipe() as (_, writer):
        one = hold(writer)
        admin.delete(f"{path}/{admin.children(path)[0]}")
        assert one.wait(bound(30)) == 75
        admin.wait_for_children(path, 0)


def test_hold_with_an_output_that_nobody_reads_can_be_ended(hold, admin, path):
    """A signal that comes before it has seen the grant ends the wait instead: then it is tried again."""
    statuses = []
    with full_pipe() as (_, writer):
        while not statuses or statuses[-1] == 128 + signal.SIGTERM and len(statuses) < 20:
            one = hold(writer)
            one.send_signal(signal.SIGTERM)
            statuses.append(one.wait(bound(30)))
            admin.wait_for_children(path, 0)
    assert statuses[-1] == 0, statuses


def test_lines_that_found_no_room_are_counted(start, admin, path, tmp_path):
    go_on, log = tmp_path / "go-on", tmp_path / "log"
    with full_pipe() as (reader, writer):
        one = start("--revocable", path, "sh", "-c",
                    f"exec 2>/dev/null; trap 'echo asked >>{log}' TERM; echo up >>{log}; {until(go_on)}",
                    stdout=subprocess.DEVNULL, stderr=writer)
        wait_until(log.exists, "the command")
        (node,) = admin.children(path)
        for number in range(300):
            admin.zk.set(f"{path}/{node}", b"__REVOKE__")
            wait_until(lambda number=number: log.read_text().count("asked") > number, "the signal")
        text = ""
        while not (missing := re.search(r"^curator-lock: lines .* are missing here: (\d+)\n", text, re.M)):
            text += os.read(reader, 65536).decode()
        go_on.touch()
        assert one.wait(bound(30)) == 0
        assert text[:missing.start()].count("asked for the lock") == 256
        assert int(missing.group(1)) >= 300 - 256


def test_a_systemd_that_reads_nothing_is_a_warning(start_lock, path, tmp_path):
    """And the end of the hold waits for it for a second, no longer."""
    name = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener, \
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        listener.bind(name)
        sender.connect(name)
        sender.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                sender.send(b"x")
        one = start_lock("hold", path, environment={"NOTIFY_SOCKET": name})
        one.line()
        one.signal(signal.SIGTERM)
        status, _, errors = one.end()
    assert (status, errors.count("systemd cannot be notified")) == (0, 2)
