# SPDX-License-Identifier: Apache-2.0
"""curator-lock list and test: who holds, who waits, in a table, in JSON, live."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import termios
import time

import pytest
from kazoo.recipe.lock import Lock

from support.waiting import bound, wait_until
from tools.conftest import started

ESCAPE = "\x1b"


class AgreeingLock(Lock):
    """As docs/compatibility.md has it."""
    _NODE_NAME = "-lock-"
    _EXCLUDE_NAMES = ["lock-"]


def listed(run_lock, *words) -> list:
    status, output, errors = run_lock("list", "--format=json", *words)
    assert (status, errors) == (0, ""), errors
    return json.loads(output)


def test_one_queue_shows_c_java_and_the_command(run_lock, start_lock, mutex_of, peer_of, zookeeper, admin, path):
    java = peer_of("java").client(zookeeper.connect_string).mutex(path, data="java-host")
    java.acquire()
    ours = mutex_of("c")
    waiting = ours.begin("acquire")
    admin.wait_for_children(path, 2)
    start_lock(path, "true")
    admin.wait_for_children(path, 3)
    first, second, third = listed(run_lock, path)
    assert (first["state"], first["behind"], first["data"], first["kind"]) == ("holds", None, "java-host", "mutex")
    assert (second["state"], second["behind"], second["position"]) == ("waits", 1, 2)
    assert (third["state"], third["behind"]) == ("waits", 2)
    assert re.fullmatch(r"[^/]+/\d+/curator-lock", third["data"])
    for one in (first, second, third):
        stat = admin.zk.exists(one["node"])
        assert int(one["session"], 16) == stat.ephemeralOwner and one["token"] == stat.czxid
        assert one["path"] == path and 0 <= one["age"] < bound(600)
    status, output, _ = run_lock("list", path)
    heading, *lines = output.splitlines()
    assert status == 0 and ESCAPE not in output
    assert heading.split() == ["POS", "STATE", "KIND", "DATA", "AGE", "SESSION", "TOKEN", "NODE"]
    assert [line.split()[1] for line in lines] == ["holds", "waits", "waits"]
    assert lines[1].split()[3] == "1" and lines[2].endswith(third["node"])
    java.release()
    waiting.wait()
    ours.release()


def test_a_kazoo_lock_that_agrees_stands_in_the_queue(run_lock, mutex_of, admin, path):
    lock = AgreeingLock(admin.zk, path, "kazoo-host")
    lock.acquire()
    ours = mutex_of("c")
    waiting = ours.begin("acquire")
    admin.wait_for_children(path, 2)
    first, second = listed(run_lock, path)
    assert (first["state"], first["data"], first["behind"]) == ("holds", "kazoo-host", None)
    assert (second["state"], second["behind"]) == ("waits", 1)
    lock.release()
    waiting.wait()
    ours.release()


def test_a_read_write_lock_shows_whom_each_side_waits_for(run_lock, read_write_lock_of, admin, path):
    reader, writer, late = (read_write_lock_of("c") for _ in range(3))
    reader.read.acquire()
    waiting = [writer.write.begin("acquire")]
    admin.wait_for_children(path, 2)
    waiting.append(late.read.begin("acquire"))
    admin.wait_for_children(path, 3)
    assert [(one["kind"], one["state"], one["behind"]) for one in listed(run_lock, path)] == [
        ("read", "holds", None), ("write", "waits", 1), ("read", "waits", 2)]
    reader.read.release()
    waiting[0].wait()
    writer.write.release()
    waiting[1].wait()
    late.read.release()


def test_several_paths_and_free_ones(run_lock, mutex_of, path):
    assert listed(run_lock, path) == []
    assert run_lock("list", path)[:2] == (0, "free\n")
    mutex = mutex_of("c")
    mutex.acquire()
    assert [one["path"] for one in listed(run_lock, path + "-other", path)] == [path]
    first, second = run_lock("list", path + "-other", path)[1].split("\n\n")
    assert first == f"{path}-other\nfree" and second.startswith(path + "\nPOS")
    mutex.release()


def test_data_of_others_cannot_reach_the_terminal_nor_break_the_json(run_lock, admin, path):
    admin.create(f"{path}/lock-0000000001", b'\x1b[2J"\\\n\xff\xe2\x80\xae\xc3\xa4' + b"x" * 100)
    [one] = listed(run_lock, path)
    assert one["data"] == '\x1b[2J"\\\n\ufffd\u202e\u00e4' + "x" * 100
    output = run_lock("list", path)[1]
    assert ESCAPE not in output and "\u202e" not in output and len(output.splitlines()) == 2
    assert "?[2J\"\\???\u00e4xxx" in output
    admin.delete(path)


def test_the_status_says_whether_the_lock_is_held(run_lock, mutex_of, path):
    assert run_lock("test", path) == (0, "", "")
    mutex = mutex_of("java")
    mutex.acquire()
    assert run_lock("test", path) == (1, "", "")
    assert mutex.lock_path() in run_lock("test", "-v", path)[2]
    mutex.release()
    assert run_lock("test", path)[0] == 0


@pytest.mark.parametrize("words, status, says", [
    (["list"], 64, "lock path"), (["list", "--format=xml", "/a"], 64, "xml"), (["list", "a"], 64, "slash"),
    (["list", "/a//b"], 64, "/a//b"), (["list", "--nonsense", "/a"], 64, "--nonsense"), (["test"], 64, "lock path"),
    (["test", "/a", "/b"], 64, "lock path"), (["test", "/"], 64, "root")])
def test_bad_input_is_one_line_that_says_what_is_wrong(run_lock, words, status, says):
    ended, output, errors = run_lock(*words)
    assert (ended, output) == (status, "")
    assert errors.count("\n") == 1 and says in errors


def test_without_a_server_the_status_says_so(run_lock):
    for command in ("list", "test"):
        status, output, errors = run_lock(command, "-z", "127.0.0.1:1", "--connection-timeout", "200ms", "/a")
        assert (status, output, errors.count("\n")) == (69, "", 1), errors


class Screen:
    """A terminal, and what is printed to it."""

    def __init__(self, rows, columns):
        self.ours, self.theirs = pty.openpty()
        self.text = ""
        self.resize(rows, columns)

    def resize(self, rows, columns):
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def drawn(self) -> list:
        """All that was drawn so far, one screen after the other."""
        while select.select([self.ours], [], [], 0.05)[0]:
            self.text += os.read(self.ours, 65536).decode()
        return self.text.replace("\r\n", "\n").split("\x1b[H\x1b[2J")[1:]

    def wait_for(self, count) -> str:
        wait_until(lambda: len(self.drawn()) >= count, f"screen {count}", 30)
        return self.drawn()[-1]


def test_a_terminal_is_drawn_anew_on_changes_and_on_resize_only(zookeeper, mutex_of, admin, path):
    screen = Screen(24, 60)
    words = ["list", "--watch", "-z", zookeeper.connect_string, path]
    process = started(words, stdin=screen.theirs, stdout=screen.theirs, stderr=screen.theirs)
    try:
        assert screen.wait_for(1) == "free\n"
        mutex = mutex_of("c")
        mutex.acquire()  # the path exists from here on
        wait_until(lambda: " holds " in screen.drawn()[-1], "the holder on the screen", 30)
        drawn = screen.drawn()
        assert all(len(line) <= 60 for line in drawn[-1].splitlines())
        screen.resize(24, 40)
        process.send_signal(signal.SIGWINCH)
        narrow = screen.wait_for(len(drawn) + 1)
        assert max(len(line) for line in narrow.splitlines()) == 40
        waiting = mutex_of("java").begin("acquire")
        wait_until(lambda: "waits for 1" in screen.drawn()[-1], "the waiter on the screen", 30)
        count, quiet = len(screen.drawn()), time.monotonic()
        wait_until(lambda: time.monotonic() - quiet > 1, "a moment without changes")
        assert len(screen.drawn()) == count
        mutex.release()
        waiting.wait()
        wait_until(lambda: "waits" not in screen.drawn()[-1], "the new holder on the screen", 30)
    finally:
        process.kill()
        process.wait()


def test_a_pipe_gets_each_queue_without_escape_codes_by_one_watch(start_lock, new_wire, zookeeper, mutex_of, admin,
                                                                  path):
    for number in range(5):
        admin.create(f"{path}/lock-{number:010d}")
    wire = new_wire(zookeeper)
    lister = start_lock("list", "--watch", "-z", wire.connect_string, path)
    first = [lister.line() for _ in range(7)]
    assert first[0].startswith("POS") and first[6] == ""
    assert wire.count()["getChildren"] == 1  # with the watch
    quiet = time.monotonic()
    wait_until(lambda: time.monotonic() - quiet > 1, "a moment without changes")
    assert wire.count()["getData"] == 5
    admin.delete(f"{path}/lock-0000000000")
    second = [lister.line() for _ in range(6)]
    assert ESCAPE not in "".join(first + second)
    assert second[1].split()[1] == "holds" and second[1].endswith("lock-0000000001")
    assert (wire.events, wire.count()["getChildren"], wire.count()["getData"]) == (1, 2, 9)
    lister.signal(signal.SIGTERM)
    assert lister.end()[0] == -signal.SIGTERM
    admin.delete(path)
