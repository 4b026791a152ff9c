# SPDX-License-Identifier: Apache-2.0
"""The C programs that these tests run: where they are, and their environment."""
import os
import re
import shlex

from support import jars

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("CURATOR_BUILD", os.path.join(ROOT, "build"))
PROGRAMS = os.path.join(BUILD, "compat-tests")
WRAPPER = shlex.split(os.environ.get("CURATOR_WRAPPER", ""))
SANITIZER_REPORT = re.compile("ERROR: AddressSanitizer|ERROR: LeakSanitizer|WARNING: ThreadSanitizer|runtime error:")


def program(name: str) -> str:
    """The path of a built C program of these tests."""
    path = os.path.join(PROGRAMS, name)
    if not os.path.exists(path):
        raise jars.MissingPart(f"{path} (cmake -B build && cmake --build build)", "cmake libzookeeper-mt-dev gcc")
    return path


def c_environment() -> dict:
    """Makes the sanitizers end a process with a status of their own, and point at what is not ours as not ours."""
    environment = dict(os.environ)
    suppressions = os.path.join(HERE, "sanitizer-suppressions")
    environment.setdefault("ASAN_OPTIONS", "detect_leaks=1:fast_unwind_on_malloc=0:exitcode=66:abort_on_error=0")
    environment.setdefault("LSAN_OPTIONS", f"suppressions={suppressions}/leak.txt:print_suppressions=0:exitcode=66")
    environment.setdefault("TSAN_OPTIONS", f"suppressions={suppressions}/thread.txt:exitcode=66")
    environment.setdefault("VALGRIND_OPTS", f"--suppressions={suppressions}/valgrind.txt")
    environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1:halt_on_error=1:exitcode=66")
    return environment
