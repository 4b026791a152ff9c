# SPDX-License-Identifier: Apache-2.0
"""curator-lock in a real terminal: below an interactive shell with job control, in a pseudo-terminal."""
import os
import pty
import re
import select
import signal
import sys
import termios
import time

import pytest

from support.programs import c_environment
from support.waiting import bound, wait_until
from tools.children_test import until
from tools.conftest import CURATOR_LOCK, alive

# Raw mode, without echo: shows each key as its number; "q" ends it, "z" suspends it as an editor's Ctrl-Z does.
EDITOR = """
import os, signal, sys, termios, tty
modes = termios.tcgetattr(0)
def edit():
    tty.setraw(0)
    os.write(1, b"editing\\r\\n")
edit()
while True:
    key = os.read(0, 1)
    os.write(1, b"<%d>" % key[0])
    if key == b"q":
        break
    if key == b"z":
        termios.tcsetattr(0, termios.TCSADRAIN, modes)
        os.kill(0, signal.SIGTSTP)
        edit()
termios.tcsetattr(0, termios.TCSADRAIN, modes)
"""


class Terminal:
    """A pseudo-terminal with bash in it."""

    def __init__(self, servers):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            modes = termios.tcgetattr(0)
            modes[3] &= ~termios.ECHO  # what we type would be found among what is printed; before bash keeps the modes
            termios.tcsetattr(0, termios.TCSANOW, modes)
            environment = {**c_environment(), "CURATOR_SERVERS": servers, "PS1": "", "TERM": "dumb", "HISTFILE": "",
                           "lock": CURATOR_LOCK, "python": sys.executable}
            os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], environment)
        self.seen = ""
        self.type("PS1=; echo re''ady\n")
        self.wait("ready")

    def type(self, keys):
        os.write(self.master, keys.encode())

    def wait(self, pattern, seconds=20):
        """Reads until the pattern has come; forgets what was before and hands out the match."""
        deadline = time.monotonic() + bound(seconds)
        while not (found := re.search(pattern, self.seen)):
            assert time.monotonic() < deadline, f"no {pattern!r} in the terminal but {self.seen!r}"
            if select.select([self.master], [], [], 0.1)[0]:
                self.seen += os.read(self.master, 65536).decode("utf-8", "replace")
        self.seen = self.seen[found.end():]
        return found

    def modes(self) -> int:
        return termios.tcgetattr(self.master)[3]

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.master)  # which hangs up whatever runs there
        os.waitpid(self.pid, 0)


@pytest.fixture
def terminal(zookeeper):
    one = Terminal(zookeeper.connect_string)
    yield one
    one.close()


def test_ctrl_c_ends_the_command_and_gives_the_lock_back(terminal, admin, path):
    terminal.type(f"$lock {path} sh -c 'echo u''p; exec sleep 1000'; echo status=$?\n")
    terminal.wait("up")
    terminal.type("\x03")
    terminal.wait(f"status={128 + signal.SIGINT}")
    assert admin.children(path) == []


def test_ctrl_c_ends_the_wait(terminal, start_lock, admin, path):
    start_lock(path, "sh", "-c", "echo; sleep 1000").line()
    terminal.type(f"$lock {path} true; echo status=$?\n")
    admin.wait_for_children(path, 2)
    terminal.type("\x03")
    terminal.wait(f"status={128 + signal.SIGINT}")
    admin.wait_for_children(path, 1)


@pytest.mark.parametrize("options", ["", "--foreground"])
def test_ctrl_z_stops_all_and_fg_goes_on_with_the_lock(terminal, run_lock, admin, path, options):
    terminal.type(f"$lock {options} {path} sh -c 'echo u''p; read line; echo got $line'; echo status=$?\n")
    terminal.wait("up")
    terminal.type("\x1a")
    terminal.wait("Stopped")
    assert run_lock("-n", path, "true")[0] == 1
    terminal.type("fg\n")
    terminal.type("a-line\n")
    terminal.wait("got a-line")
    terminal.type("echo do''ne\n")
    terminal.wait("done")
    assert admin.children(path) == []


def test_ctrl_z_while_it_waits_and_fg(terminal, start_lock, admin, path):
    holder = start_lock(path, "sh", "-c", "echo; exec cat", stdin=-1)
    holder.line()
    terminal.type(f"$lock {path} echo at la''st\n")
    admin.wait_for_children(path, 2)
    terminal.type("\x1a")
    terminal.wait("Stopped")
    terminal.type("fg\n")
    terminal.wait("lock")
    holder.process.communicate()
    terminal.wait("at last")


def test_an_editor_gets_each_key_is_suspended_and_leaves_the_terminal_as_it_was(terminal, tmp_path, path):
    editor = tmp_path / "editor.py"
    editor.write_text(EDITOR)
    before = terminal.modes()
    terminal.type(f"$lock {path} $python {editor}; echo status=$?\n")
    terminal.wait("editing")
    terminal.type("a\x03\x1a")  # in raw mode Ctrl-C and Ctrl-Z are keys
    terminal.wait("<97><3><26>")
    terminal.type("z")
    terminal.wait("Stopped")
    terminal.type("fg\n")
    terminal.wait("editing")
    terminal.type("q")
    terminal.wait("<113>")
    terminal.type("echo status=$?\n")
    terminal.wait("status=0")
    assert terminal.modes() == before


def test_an_editor_that_is_killed_on_a_loss_leaves_the_terminal_as_it_was(terminal, admin, tmp_path, path):
    editor = tmp_path / "editor.py"
    editor.write_text(EDITOR.replace("edit()\n", "edit()\nsignal.signal(15, signal.SIG_IGN)\n", 1))
    before = terminal.modes()
    terminal.type(f"$lock -k 100ms {path} $python {editor}; echo status=$?\n")
    terminal.wait("editing")
    admin.delete(f"{path}/{admin.children(path)[0]}")
    terminal.wait("is lost")
    terminal.wait("status=75")
    assert terminal.modes() == before


def test_in_the_background_it_waits_for_fg_to_read(terminal, path):
    terminal.type(f"$lock {path} sh -c 'echo u''p; read line; echo got $line' &\n")
    terminal.wait("up")
    terminal.type("jobs\n")
    wait_until(lambda: terminal.type("jobs\n") or terminal.wait(r"(Running|Stopped)").group(1) == "Stopped",
               "the job stopped as it reads")
    terminal.type("fg\n")
    terminal.type("b-line\n")
    terminal.wait("got b-line")


def test_a_terminal_that_hangs_up_ends_it(terminal, admin, path):
    terminal.type(f"$lock {path} sh -c 'echo pid=$$; exec sleep 1000'\n")
    command = int(terminal.wait(r"pid=(\d+)").group(1))
    os.kill(terminal.pid, signal.SIGHUP)
    wait_until(lambda: not alive(command), "the end of the command")
    admin.wait_for_children(path, 0)


@pytest.mark.parametrize("ignores", [False, True])
def test_a_terminal_that_is_closed_ends_a_command_that_does_not_ignore_it(zookeeper, run_lock, admin, path, tmp_path,
                                                                          ignores):
    """As when a connection of ssh breaks: curator-lock is the session's leader, without a shell."""
    told, go_on = tmp_path / "told", tmp_path / "go-on"
    trap = "trap '' HUP; " if ignores else ""
    command = f"{trap}echo $$ >{told}.new; mv {told}.new {told}; {until(go_on)}; echo; exit 0"
    pid, master = pty.fork()
    if pid == 0:
        os.execve(CURATOR_LOCK, ["curator-lock", "-z", zookeeper.connect_string, path, "sh", "-c", command],
                  c_environment())
    wait_until(told.exists, "the command", 20)
    os.close(master)
    if ignores:
        assert run_lock("-n", path, "true")[0] == 1
        assert alive(int(told.read_text()))
        go_on.touch()
    _, status = wait_until(lambda: (found := os.waitpid(pid, os.WNOHANG))[0] and found, "the end of curator-lock", 30)
    assert os.waitstatus_to_exitcode(status) == (0 if ignores else 128 + signal.SIGHUP)
    assert not alive(int(told.read_text())) and admin.children(path) == []


def test_a_pipe_gets_no_escape_codes(run_lock, path):
    for words in (["-v", path, "true"], ["--help"], ["hold", path]):
        _, output, errors = run_lock(*words, stdin=-1)
        assert "\x1b" not in output + errors
