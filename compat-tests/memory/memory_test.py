# SPDX-License-Identifier: Apache-2.0
"""Each allocation of each public call fails: no crash, no hang, an honest status, nothing leaked or left behind."""
import os
import re
import struct
import subprocess

import pytest

from support.peers import BUILD
from support.wire import Wire


@pytest.mark.parametrize("group", ["framework", "mutex", "waiting", "read_write", "loss"])
def test_every_allocation_may_fail(run_scenario, zookeeper, path, group):
    print(run_scenario("allocation_failure", zookeeper.connect_string, path, group, seconds=100))


class LossyWire(Wire):
    """Loses the first answer to a create or delete in each directory whose name asks for it."""

    ASKED = {"create2": "/lost_create/", "delete": "/lost_delete/"}

    def __init__(self, target_port):
        self.lost_in = set()
        super().__init__(target_port)

    def note_request(self, frame):
        super().note_request(frame)
        operation, path = self.requests[-1] if self.requests else ("", "")
        directory = os.path.dirname(path)
        if operation in self.ASKED and self.ASKED[operation] in path and directory not in self.lost_in:
            self.lost_in.add(directory)
            self.losing = struct.unpack_from(">i", frame)[0]


def test_every_allocation_may_fail_after_a_lost_answer(run_scenario, zookeeper, path):
    wire = LossyWire(zookeeper.port)
    try:
        print(run_scenario("allocation_failure", wire.connect_string, path, "lost_answer", seconds=100))
        assert wire.answers_lost > 15
    finally:
        wire.remove()


def test_every_function_that_allocates_is_made_to_fail():
    """What the library calls to get memory is what fallible.c stands in front of; a new way to get some shows here."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "fallible.c"), encoding="ascii") as file:
        wrapped = set(re.findall(r"__wrap_(\w+)\(", file.read()))
    listed = subprocess.run(["nm", "--undefined-only", "--format=just-symbols", os.path.join(BUILD, "lib", "curator.o")],
                            stdout=subprocess.PIPE, check=True, encoding="ascii").stdout
    called = {name.split("@")[0].removeprefix("__isoc99_") for name in listed.split()}
    allocating = re.compile(r"[mc]alloc|realloc|reallocarray|(posix_)?memalign|aligned_alloc|valloc|\w*str\w*dup|wcsdup|"
                            r"_*v?asprintf\w*|open_memstream|f?open|fdopen|(fd)?opendir|scandir|getdelim|getline|realpath|"
                            r"getcwd|get_current_dir_name|getaddrinfo|getifaddrs|gethostby\w+|regcomp|glob|"
                            r"pthread_create|thrd_create|pthread_cond_init|pthread_key_create|sem_open|setenv|putenv|"
                            r"tsearch|hcreate|dlopen|qsort_r")
    found = {name for name in called if allocating.fullmatch(name)}
    assert {"malloc", "calloc"} <= found
    assert found <= wrapped, f"not made to fail: {found - wrapped}"
