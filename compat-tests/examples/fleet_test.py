# SPDX-License-Identifier: Apache-2.0
"""The main job: C and Java processes on one lock, what it shows, how it fails, and that it cleans up after itself."""
import os
import re
import signal
import xml.etree.ElementTree as xml

import pytest

from support.waiting import bound, wait_until

RUNNING = r"  [1-9]\d?\.\d s of"
PROCESSES = ("C-1", "C-2", "C-3", "Java-1", "Java-2")


def lock_path_left(admin, output):
    """Of this fleet: one whose member was killed may leave its own on the same server, until the server removes it."""
    named = re.search(r"on the lock /(curator-example-fleet-\w+) ", output)
    return [name for name in admin.children("/") if named and name == named[1]]


def numbers(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    assert found, f"no {pattern!r} in:\n{text}"
    return [int(number) for number in found.groups()]


def read_until(process, pattern):
    """Reads lines of the fleet until one matches."""
    seen = ""
    for line in process.stdout:
        seen += line
        if re.search(pattern, line):
            return seen
    raise AssertionError(f"the fleet ended before {pattern!r}:\n{seen}")


def take_turns(run_fleet, *arguments, seconds):
    """On a slow machine not all get their turn in that time; then they get more."""
    for longer in (1, 4, 16):
        status, output = run_fleet(*arguments, "--seconds", longer * seconds)
        if not re.search(r"^FAILED: .*(never got the lock|no hand-off)", output, re.MULTILINE):
            break
    return status, output


def test_c_and_java_take_turns_and_a_picture_shows_it(run_fleet, zookeeper, admin, tmp_path, fleet_processes):
    status, output = take_turns(run_fleet, "--connect", zookeeper.connect_string, seconds=5)
    assert status == 0, output
    assert re.search(r"^ *\d+\.\d s of \d+ s  held by (C|Java)-\d thread [12], ", output, re.MULTILINE), output
    for process in PROCESSES:
        assert numbers(rf"^  {process} +(\d+) +\d+%", output)[0] > 0
    assert min(numbers(r"hand-offs +C to Java (\d+), Java to C (\d+)", output)) > 0
    assert re.search(r"longest wait +\d+\.\d ms \((C|Java)-\d, thread [12]\)", output), output
    assert numbers(r"^  violations +(\d+)$", output) == [0]
    assert "A shell script had its turn" in output

    picture = xml.parse(re.search(r"timeline +(/.*\.svg)$", output, re.MULTILINE)[1])
    texts = ["".join(element.itertext()) for element in picture.iter() if element.tag.endswith(("text", "title"))]
    for process in PROCESSES:
        assert process in texts
    held = re.compile(r"(C|Java)-\d thread [12] held it for .* ms after waiting .* ms")
    assert any(held.fullmatch(text) for text in texts), texts

    assert lock_path_left(admin, output) == []
    assert fleet_processes() == []
    assert os.listdir(tmp_path) == []


def test_without_the_lock_the_resource_notices(run_fleet, zookeeper):
    status, output = run_fleet("--connect", zookeeper.connect_string, "--seconds=2", "--without-lock")
    assert status == 1, output
    assert numbers(r"^  violations +(\d+)$", output)[0] > 0
    assert re.search(r"^FAILED: \d+ times the resource had two users at once\.$", output, re.MULTILINE), output


def test_without_an_ensemble_it_starts_one_and_removes_it(run_fleet, tmp_path, fleet_processes):
    status, output = take_turns(run_fleet, seconds=3)
    assert status == 0, output
    assert fleet_processes() == []
    assert os.listdir(tmp_path) == []


def test_it_runs_on_an_ensemble_of_three(run_fleet, ensemble):
    status, output = take_turns(run_fleet, "--connect", ensemble.connect_string, seconds=3)
    assert status == 0, output


def test_an_ensemble_that_does_not_answer_is_named(run_fleet, tmp_path, fleet_processes):
    status, output = run_fleet("--connect", "127.0.0.1:1", "--seconds", 3)
    assert status == 1, output
    assert "127.0.0.1:1" in output.split("FAILED: ")[1], output
    assert fleet_processes() == []
    assert os.listdir(tmp_path) == []


def test_a_server_without_a_port_has_the_default_port(start_fleet, fleet_processes):
    fleet = start_fleet("--connect", "nowhere.invalid,127.0.0.1:1/shop")
    read_until(fleet, "at nowhere.invalid:2181,127.0.0.1:1/shop ")
    fleet.terminate()
    fleet.communicate(timeout=bound(20))
    assert fleet_processes() == []


@pytest.mark.parametrize("moment", ["Building in", "Starting 3 C and 2 Java", RUNNING])
def test_ctrl_c_leaves_nothing_behind(moment, start_fleet, zookeeper, admin, tmp_path, fleet_processes):
    fleet = start_fleet("--connect", zookeeper.connect_string, "--seconds", 60)
    output = read_until(fleet, moment)
    os.killpg(fleet.pid, signal.SIGINT)  # what a terminal does
    output += fleet.communicate(timeout=bound(20))[0]
    assert fleet.returncode == 128 + signal.SIGINT, output
    assert fleet_processes() == []
    assert os.listdir(tmp_path) == []
    assert lock_path_left(admin, output) == []
    assert moment == "Building in" or "on the lock" in output, output


CMAKE = """#!/bin/sh
# cmake, and Ctrl-C so many seconds after the build has ended
/usr/bin/cmake "$@"
status=$?
group=$(ps -o pgid= -p $PPID | tr -d ' ')
[ "$1" != --build ] || setsid sh -c "sleep $AFTER_THE_BUILD; kill -s INT -- -$group" &
exit $status
"""


@pytest.mark.parametrize("seconds", [0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.2])
def test_ctrl_c_in_the_moment_the_build_ends_leaves_nothing_behind(seconds, start_fleet, tmp_path, fleet_processes):
    commands = tmp_path.with_name("commands")
    commands.mkdir()
    (commands / "cmake").write_text(CMAKE)
    (commands / "cmake").chmod(0o755)
    fleet = start_fleet("--seconds", 60, PATH=f"{commands}:{os.environ['PATH']}", AFTER_THE_BUILD=str(seconds))
    output = fleet.communicate(timeout=bound(20))[0]
    assert fleet.returncode == 128 + signal.SIGINT, output
    assert "Starting 3 C and 2 Java" not in output or seconds > 0.1
    assert fleet_processes() == []
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("moment", ["Building in", "Starting a throwaway ZooKeeper", RUNNING])
def test_a_kill_leaves_nothing_behind(moment, start_fleet, tmp_path, fleet_processes):
    fleet = start_fleet("--seconds", 60)
    read_until(fleet, moment)
    fleet.terminate()
    output = fleet.communicate(timeout=bound(20))[0]
    assert fleet.returncode == 128 + signal.SIGTERM, output
    assert fleet_processes() == []
    assert os.listdir(tmp_path) == []


def test_after_a_kill_that_cannot_be_caught_no_process_stays(start_fleet, zookeeper, admin, fleet_processes):
    fleet = start_fleet("--connect", zookeeper.connect_string, "--seconds", 60)
    output = read_until(fleet, RUNNING)
    fleet.kill()
    wait_until(lambda: not fleet_processes(), "the end of all members", 20)
    assert "on the lock" in output
    assert lock_path_left(admin, output) == []


def test_a_member_that_dies_is_named(start_fleet, zookeeper, fleet_processes):
    fleet = start_fleet("--connect", zookeeper.connect_string, "--seconds", 60)
    read_until(fleet, RUNNING)
    os.kill(next(pid for pid, command in fleet_processes() if command.endswith(" C-2")), signal.SIGKILL)
    output = fleet.communicate(timeout=bound(40))[0]
    assert fleet.returncode == 1, output
    assert "FAILED: C-2 ended early" in output
    assert fleet_processes() == []


def test_help_tells_the_options(run_fleet):
    status, output = run_fleet("--help")
    assert status == 0
    for option in ("--connect", "--seconds", "--without-lock", "--help"):
        assert option in output


@pytest.mark.parametrize("arguments, complaint", [
    (["--frobnicate"], "there is no option '--frobnicate'"),
    (["hello"], "there is no option 'hello'"),
    (["--seconds"], "--seconds wants a whole number from 1 to 3600, not ''"),
    (["--seconds", "0"], "--seconds wants a whole number from 1 to 3600, not '0'"),
    (["--seconds=soon"], "--seconds wants a whole number from 1 to 3600, not 'soon'"),
    (["--connect"], "--connect wants HOST[:PORT]"),
    (["--connect", "127.0.0.1 "], "--connect wants HOST[:PORT]"),
    (["--connect", "a:1,,b:2"], "--connect wants HOST[:PORT]"),
])
def test_a_wrong_option_is_told_and_nothing_is_done(run_fleet, arguments, complaint):
    status, output = run_fleet(*arguments)
    assert status == 2, output
    assert complaint in output
    assert "Building" not in output
