# SPDX-License-Identifier: Apache-2.0
"""Builds what the fleet runs: the C worker with cmake, the Java worker with javac."""

import fcntl
import os
import signal
import subprocess
import time

from server import JARS, die_with_parent

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORKER = os.path.join(ROOT, "examples", "fleet", "Worker.java")
CLASS_PATH = ":".join(f"{JARS}/{jar}.jar" for jar in (
    "curator-recipes", "curator-framework", "curator-client", "zookeeper"))
POLL_SECONDS = 0.02


class BuildFailed(Exception):
    """A step failed; the text says which and what it printed."""


def build(folder, check_stop):
    """check_stop() is called while waiting and may raise: then no step goes on."""
    print(f"Building in {folder} ...", flush=True)
    own = os.path.join(folder, "examples")
    os.makedirs(os.path.join(own, "java"), exist_ok=True)
    with open(os.path.join(own, "build.lock"), "w", encoding="utf-8") as lock:
        while not _locked(lock):  # another one builds here
            check_stop()
            time.sleep(POLL_SECONDS)
        first_time = [] if os.path.exists(os.path.join(folder, "CMakeCache.txt")) else [
            "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCURATOR_TESTS=OFF", "-DCURATOR_EXAMPLES=ON",
            "-DCURATOR_TOOLS=ON"]
        log = os.path.join(own, "build.log")
        _step(log, check_stop, "cmake", "-S", ROOT, "-B", folder, *first_time)
        _step(log, check_stop, "cmake", "--build", folder, "--target", "examples", "curator_lock")
        if _is_older(os.path.join(own, "java", "Worker.class"), WORKER):
            _step(log, check_stop, "javac", "-J-XX:-UsePerfData", "-d", os.path.join(own, "java"), "-proc:none",
                  "-cp", CLASS_PATH, WORKER)


def _locked(lock):
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False


def _is_older(made, source):
    return not os.path.exists(made) or os.path.getmtime(made) <= os.path.getmtime(source)


def _step(log, check_stop, *command):
    with open(log, "w", encoding="utf-8") as output:
        # In a process group of its own, so that a signal ends the whole step.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   start_new_session=True, preexec_fn=die_with_parent)
    try:
        while process.poll() is None:
            check_stop()
            time.sleep(POLL_SECONDS)
    except BaseException:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
        raise
    check_stop()
    if process.returncode != 0:
        with open(log, encoding="utf-8", errors="replace") as output:
            raise BuildFailed(" ".join(command) + "\n" + output.read())
