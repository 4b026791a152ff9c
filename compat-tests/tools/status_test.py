# SPDX-License-Identifier: Apache-2.0
"""What curator-lock exits with, and what its command finds in its environment."""
import os
import signal
import stat
import time

import pytest
from kazoo.security import make_digest_acl

from support.admin import sequence
from support.waiting import bound
from tools.conftest import Started, wait_until_dead

HOLDS = 'echo "$$"; exec sleep 1000'


@pytest.mark.parametrize("words, status", [
    (["true"], 0), (["false"], 1), (["--", "sh", "-c", "exit 75"], 75), (["-c", "exit 3"], 3),
    (["sh", "-c", "kill -KILL $$"], 128 + signal.SIGKILL), (["sh", "-c", "kill -TERM $$"], 128 + signal.SIGTERM),
    (["/no/such/command"], 127), (["no-such-command"], 127), (["/etc/passwd"], 126), (["/"], 126),
])
def test_the_status_is_that_of_the_command(run_lock, admin, path, words, status):
    assert run_lock(path, *words)[0] == status
    assert admin.children(path) == []


def test_the_word_run_may_be_left_out_and_options_after_the_path_are_the_commands(run_lock, path):
    assert run_lock("run", path, "echo", "-n", "--help", "-E", "600")[:2] == (0, "--help -E 600")
    assert run_lock(path, "--", "printf", "%s|", "-w", "--")[:2] == (0, "-w|--|")


def test_the_command_reads_our_standard_input(start_lock, path):
    one = start_lock(path, "cat", stdin=-1)
    assert one.process.communicate("a line\n")[0] == "a line\n"


def test_the_command_finds_the_lock_in_its_environment(run_lock, start_lock, admin, path):
    status, output, _ = run_lock(path, "sh", "-c", "env")
    variables = dict(line.split("=", 1) for line in output.splitlines() if line.startswith("CURATOR_LOCK_"))
    assert (status, variables.pop("CURATOR_LOCK_PATH"), variables.pop("CURATOR_LOCK_MODE")) == (0, path, "exclusive")
    assert variables.pop("CURATOR_LOCK_NODE").startswith(path + "/_c_")
    assert int(variables.pop("CURATOR_LOCK_TOKEN")) > 0
    assert int(variables.pop("CURATOR_LOCK_SESSION"), 16) != 0
    assert variables == {}


@pytest.mark.parametrize("option, mode, kind", [("-x", "exclusive", "-lock-"), ("-s", "shared", "-__READ__"),
                                                ("--write", "write", "-__WRIT__")])
def test_the_node_the_session_and_the_token_are_those_of_the_server(start_lock, admin, path, option, mode, kind):
    one = start_lock(option, path, "sh", "-c", "env; echo .; cat", stdin=-1)
    variables = {}
    while (line := one.line()) != ".":
        name, _, value = line.partition("=")
        variables[name] = value
    (node,) = admin.children(path)
    assert kind in node
    assert variables["CURATOR_LOCK_NODE"] == f"{path}/{node}"
    assert variables["CURATOR_LOCK_MODE"] == mode
    about = admin.zk.exists(f"{path}/{node}")
    assert int(variables["CURATOR_LOCK_TOKEN"]) == about.czxid
    assert int(variables["CURATOR_LOCK_SESSION"], 16) == about.ephemeralOwner
    host, pid, program = admin.data(f"{path}/{node}").decode().split("/")
    assert (host, int(pid), program) == (os.uname().nodename, one.pid, "curator-lock")
    assert one.end()[0] == 0


def test_a_lock_that_is_held_is_not_obtained(run_lock, start_lock, path):
    start_lock(path, "sh", "-c", HOLDS).line()
    assert run_lock("-n", path, "touch", "/no/such/file")[:2] == (1, "")
    status, output, errors = run_lock(f"--wait={bound(0.3)}", "-E", 42, path, "true")
    assert (status, output) == (42, "")
    assert errors.startswith("curator-lock: ") and errors.count("\n") == 1
    assert run_lock("-q", "-n", "-E0", path, "true") == (0, "", "")


def test_readers_share_and_a_writer_waits(run_lock, start_lock, path):
    start_lock("--shared", path, "sh", "-c", HOLDS).line()
    assert run_lock("-n", "-s", path, "true")[0] == 0
    assert run_lock("-n", "--write", path, "true")[0] == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1])
def test_a_signal_ends_the_wait_and_nothing_stays(start_lock, admin, path, number):
    holder = start_lock(path, "sh", "-c", HOLDS)
    holder.line()
    waiting = start_lock("-v", path, "true")
    admin.wait_for_children(path, 2)
    waiting.signal(number)
    assert waiting.end()[0] == 128 + number
    assert len(admin.children(path)) == 1


def test_a_signal_ends_the_connecting(late_ms, new_proxy, zookeeper, path):
    link = new_proxy(zookeeper)
    link.mute()
    waiting = Started(["-vv", "-z", link.connect_string, path, "true"])
    waiting.process.stderr.readline()
    began = time.monotonic()
    waiting.signal(signal.SIGTERM)
    assert waiting.end()[0] == 128 + signal.SIGTERM
    assert (time.monotonic() - began) * 1000 < late_ms()


@pytest.mark.parametrize("words, status", [(["-w", "300ms", "/x", "true"], 69), (["hold", "-w", "300ms", "/x"], 69),
                                           (["list", "--connection-timeout=300ms", "/x"], 69)])
def test_a_server_that_says_nothing_does_not_keep_us(late_ms, new_proxy, zookeeper, words, status):
    """No session was opened, so none is closed."""
    link = new_proxy(zookeeper)
    link.mute()
    began = time.monotonic()
    assert Started(words, environment={"CURATOR_SERVERS": link.connect_string}).end()[0] == status
    assert (time.monotonic() - began) * 1000 < 300 + late_ms()


@pytest.mark.parametrize("words, needle", [
    (["-E", "600", "/x", "true"], "0 to 255"), (["-E", "-1", "/x", "true"], "0 to 255"),
    (["-E", "x", "/x", "true"], "0 to 255"), (["-w", "soon", "/x", "true"], "duration"),
    (["-w", "-1", "/x", "true"], "duration"), (["-w", "1e9h", "/x", "true"], "duration"),
    (["-w", "99999999h", "/x", "true"], "duration"), (["--session-timeout", "0", "/x", "true"], "more than 0"),
    (["--signal", "NOPE", "/x", "true"], "signal"), (["--on-lost", "panic", "/x", "true"], "kill, term or ignore"),
    (["--no-such", "/x", "true"], "--no-such"), (["-Z", "/x", "true"], "-Z"), (["-w"], "-w needs a value"),
    (["--quiet=yes", "/x", "true"], "--quiet"), ([], "lock path"), (["/x"], "command for /x"), (["/x", "-c"], "-c"),
    (["/x", "--"], "command for /x"), (["/x", "-c", "a", "b"], "quote"), (["-c", "a", "/x", "b"], "together"),
    (["nothing"], "no command 'nothing'"), (["hold"], "one lock path"), (["hold", "/x", "y"], "one lock path"),
    (["hold", "--format=xml", "/x"], "table or json"), (["run", "x", "true"], "slash"), (["hold", "x"], "slash"),
    (["/x/", "true"], "/x/"), (["/", "true"], "/"), (["/a//b", "true"], "/a//b"),
    (["-z", "http://x", "/x", "true"], "http"), (["--name-space", "/a//b", "/x", "true"], "a//b"),
])
def test_what_is_wrong_is_said_in_a_line(words, needle):
    status, output, errors = Started(words, environment={"CURATOR_SERVERS": "127.0.0.1:1"}).end()
    assert (status, output) == (64, ""), errors
    assert errors.count("\n") == 1 and errors.startswith("curator-lock: ") and needle in errors


@pytest.mark.parametrize("mode, text, needle", [
    (0o640, "digest:a:b\n", "chmod 600"), (0o604, "digest:a:b\n", "chmod 600"), (0o600, "digest\n", "scheme:"),
    (0o600, "", "scheme:"), (0o600, ":x", "scheme:"), (None, "", "No such file")])
def test_an_auth_file_that_cannot_be_used_is_refused(tmp_path, mode, text, needle):
    file = tmp_path / "auth"
    if mode is not None:
        file.write_text(text)
        file.chmod(mode)
    status, _, errors = Started(["--auth-file", file, "/x", "true"]).end()
    assert status == 64 and needle in errors and errors.count("\n") == 1


def test_credentials_open_what_others_may_not_touch(run_lock, new_admin, zookeeper, tmp_path, path):
    owner = new_admin(zookeeper.connect_string, auth=("digest", "shop:secret"))
    owner.create(path, acl=[make_digest_acl("shop", "secret", all=True)])
    status, _, errors = run_lock(path, "true")
    assert status == 77 and errors.count("\n") == 1 and path in errors
    file = tmp_path / "auth"
    file.write_text("digest:shop:secret\n")
    file.chmod(stat.S_IRUSR)
    assert run_lock("--auth-file", file, path, "true")[0] == 0


def test_a_path_below_a_lock_node_is_refused_by_the_server(run_lock, start_lock, admin, path):
    start_lock(path, "sh", "-c", HOLDS).line()
    (node,) = admin.children(path)
    status, _, errors = run_lock(f"{path}/{node}/below", "true")
    assert status == 77 and errors.count("\n") == 1
    assert sequence(node) == 0


@pytest.mark.parametrize("servers", ["127.0.0.1:1", "no-such-host.invalid:2181"])
def test_without_a_server_it_says_so(servers):
    status, _, errors = Started(["-z", servers, "--connection-timeout", "500ms", "/x", "true"]).end()
    assert status == 69 and errors.count("\n") == 1 and servers.split(":", maxsplit=1)[0] in errors


def test_help_fits_a_screen_and_the_version_is_printed():
    status, output, errors = Started(["--help"]).end()
    assert (status, errors) == (0, "")
    assert len(output.splitlines()) <= 24 and max(map(len, output.splitlines())) <= 80
    assert Started(["--version"]).end()[1].startswith("curator-lock ")


def test_a_wait_is_timed_with_its_fraction_and_unit(run_lock, start_lock, path):
    holder = start_lock(path, "sh", "-c", HOLDS)
    command = int(holder.line())
    assert run_lock("-w", f"{bound(250):.0f}ms", path, "true")[0] == 1
    waiting = start_lock("-w", "1m", path, "true")
    holder.signal(signal.SIGTERM)
    wait_until_dead(command)
    assert waiting.end()[0] == 0
    assert holder.end()[0] == 128 + signal.SIGTERM
