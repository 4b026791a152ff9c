# SPDX-License-Identifier: Apache-2.0
"""The test command itself: whatever goes wrong in a test makes it fail, and it says how many failed."""
import os
import re
import shutil
import subprocess
import tempfile

import pytest

from support.peers import BUILD, ROOT
from support.waiting import bound

RUN = os.path.join(ROOT, "compat-tests", "run")
BUILT_BY = {"-clang": ("--compiler", "clang"), "-asan": ("--asan",), "-tsan": ("--tsan",)}
GOES_WRONG = os.environ.get("CURATOR_GOES_WRONG")  # set by this test for the test command that it runs

if GOES_WRONG == "import":
    raise ImportError("asked for")


@pytest.fixture
def shaky():
    assert GOES_WRONG != "fixture", "asked for"
    yield
    assert GOES_WRONG != "clean-up", "asked for"


def test_victim(shaky):
    if GOES_WRONG == "skip":
        pytest.skip("asked for")
    if GOES_WRONG == "crash":
        os._exit(0)
    if GOES_WRONG == "end":
        pytest.exit("asked for", 0)
    assert GOES_WRONG != "assertion", "asked for"


def test_other_victim():
    """So that there is one that passes."""


def run(*arguments, goes_wrong=""):
    """The exit status and the last line of the test command on this folder's victims."""
    kind = next((options for ending, options in BUILT_BY.items() if BUILD.endswith(ending)), ())
    environment = {**os.environ, "CURATOR_GOES_WRONG": goes_wrong, "CURATOR_WRAPPER": ""}
    done = subprocess.run([RUN, *kind, "--jobs", "2", "--folder", "command", *arguments], env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=bound(110), check=False)
    return done.returncode, done.stdout.splitlines()[-1], done.stdout


def test_all_passed():
    assert run("--test", "victim")[:2] == (0, "2 passed, 0 failed")


@pytest.mark.parametrize("goes_wrong", ["assertion", "fixture", "clean-up", "skip", "crash", "import", "end"])
def test_what_goes_wrong_makes_the_command_fail(goes_wrong):
    status, last, output = run("--test", "victim", goes_wrong=goes_wrong)
    assert status == 1, output
    assert re.fullmatch(r"\d+ passed, [1-9]\d* failed", last), output


def test_no_test_is_no_success():
    assert run("--test", "nobody_has_this_name")[:2] == (1, "0 passed, 0 failed")


@pytest.mark.parametrize("arguments", [["--frobnicate"], ["--folder", "nowhere"], ["--jobs", "0"], ["--jobs"],
                                       ["--asan", "--tsan"]])
def test_a_wrong_option_is_told_and_nothing_is_done(arguments):
    done = subprocess.run([RUN, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    assert done.returncode == 2 and done.stdout.count("\n") == 1, done.stdout
    assert done.stdout.startswith("compat-tests/run: "), done.stdout


@pytest.fixture
def open_directory():
    """Another user may read it, whatever may be read of this clone."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        yield directory


def test_what_is_missing_and_cannot_be_installed_is_told_in_a_line(open_directory):
    """No package is installed, and it is run by somebody who may not install one."""
    for name in ("dpkg-query", "apt-get", "sudo"):
        command = os.path.join(open_directory, name)
        with open(command, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nexit 1\n")
        os.chmod(command, 0o755)
    os.makedirs(os.path.join(open_directory, "compat-tests"))
    copy = shutil.copy(RUN, os.path.join(open_directory, "compat-tests"))
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    done = subprocess.run([*as_nobody, copy], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          env={**os.environ, "PATH": f"{open_directory}:{os.environ['PATH']}"})
    assert done.returncode == 1
    told = [line for line in done.stdout.splitlines() if line]
    assert len(told) == 2 and told[-1] == "0 passed, 1 failed", done.stdout
    assert "as root: apt-get install cmake" in told[0], done.stdout
