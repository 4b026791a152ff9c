# SPDX-License-Identifier: Apache-2.0
"""Each allocation of each public call fails: no crash, no hang, an honest status, nothing leaked or left behind."""
import os
import re
import subprocess

import pytest

from support.programs import BUILD, WRAPPER, program
from support.waiting import wait_until


@pytest.mark.parametrize("group", ["framework", "mutex", "waiting", "read_write", "loss", "semaphore"])
def test_every_allocation_may_fail(run_scenario, zookeeper, path, group):
    print(run_scenario("allocation_failure", zookeeper.connect_string, path, group, seconds=100))


def first_in_each(directories):
    """Whether a path is the first in its directory, of those whose name contains this."""
    seen = set()

    def is_first(path):
        directory = os.path.dirname(path)
        if directories not in path or directory in seen:
            return False
        seen.add(directory)
        return True

    return is_first


def test_every_allocation_may_fail_after_a_lost_answer(run_scenario, zookeeper, new_wire, path):
    """The scenario asks by the name of a directory for a loss in it."""
    wire = new_wire(zookeeper)
    wire.on("create2", path=first_in_each("/lost_create/"), nth=None).lose_reply()
    wire.on("delete", path=first_in_each("/lost_delete/"), nth=None).lose_reply()
    print(run_scenario("allocation_failure", wire.connect_string, path, "lost_answer", seconds=100))
    assert wire.answers_lost > 15


def test_every_function_that_allocates_is_made_to_fail():
    """What the library calls to get memory is what fallible.c stands in front of; a new way to get some shows here."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "fallible.c"), encoding="ascii") as file:
        wrapped = set(re.findall(r"__wrap_(\w+)\(", file.read()))
    listed = subprocess.run(["nm", "--undefined-only", "--format=just-symbols",
                             os.path.join(BUILD, "lib", "curator.o")],
                            stdout=subprocess.PIPE, check=True, encoding="ascii").stdout
    called = {name.split("@")[0].removeprefix("__isoc99_") for name in listed.split()}
    allocating = re.compile(r"[mc]alloc|realloc|reallocarray|(posix_)?memalign|aligned_alloc|valloc|\w*str\w*dup|"
                            r"wcsdup|_*v?asprintf\w*|open_memstream|f?open|fdopen|(fd)?opendir|scandir|getdelim|"
                            r"getline|realpath|getcwd|get_current_dir_name|getaddrinfo|getifaddrs|gethostby\w+|regcomp|"
                            r"glob|pthread_create|thrd_create|pthread_cond_init|pthread_key_create|sem_open|setenv|"
                            r"putenv|tsearch|hcreate|dlopen|qsort_r")
    found = {name for name in called if allocating.fullmatch(name)}
    assert {"malloc", "calloc"} <= found
    assert found <= wrapped, f"not made to fail: {found - wrapped}"


def measures_its_heap() -> bool:
    """By glibc's figures, which a sanitizer's or valgrind's allocator does not keep."""
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
        return not WRAPPER and re.search(r"^CURATOR_SANITIZE:\w+=$", file.read(), re.MULTILINE) is not None


if measures_its_heap():
    def test_an_idle_mutex_needs_half_a_kilobyte_and_a_held_one_two(zookeeper):
        number = 2000
        path = f"/held-{os.getpid()}"  # a node has its path in memory more than once
        with subprocess.Popen([program("bench/bench"), "library", zookeeper.connect_string, path],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="ascii") as process:

            def ask(verb) -> str:
                process.stdin.write(verb + "\n")
                process.stdin.flush()
                answer = process.stdout.readline().split()
                assert answer[-1:] == ["ok"], answer
                return answer[0]

            def bytes_for_each() -> float:
                return (int(ask("heap")) - empty) / number

            assert process.stdout.readline().startswith("ready")
            ask("cycles 100")  # what is allocated once is there
            empty = int(ask("heap"))
            ask(f"mutexes {path} {number}")
            assert bytes_for_each() <= 512
            ask("acquire_all")
            wait_until(lambda: bytes_for_each() <= 2048, "at most 2 kB for a held lock, once its requests are answered")
            ask("destroy_all")
            process.stdin.close()
        assert process.returncode == 0
