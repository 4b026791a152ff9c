# SPDX-License-Identifier: Apache-2.0
"""The command curator-lock, from its start to its end: beside the bare command, and the list of a long queue."""
import contextlib
import os
import subprocess
import time
import uuid

from kazoo.client import KazooClient

from contenders import BenchFailed
from measuring import in_turns, medians
from support.programs import BUILD

CURATOR_LOCK = os.path.join(BUILD, "tools/curator-lock")
PATH = "/bench-command"
QUEUE = "/bench-command-queue"
AT_ONCE = 500


def timed(words: list) -> dict:
    began = time.monotonic_ns()
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    taken = time.monotonic_ns() - began
    if done.returncode != 0:
        raise BenchFailed(f"{' '.join(words)}: ended with status {done.returncode}")
    return {"ms": taken / 1e6}


@contextlib.contextmanager
def queue(connect_string: str, contenders: int):
    """So many nodes of one session on the lock path QUEUE, named and filled as those of curator-lock."""
    client = KazooClient(connect_string)
    client.start()
    try:
        client.ensure_path(QUEUE)
        for first in range(0, contenders, AT_ONCE):
            for answer in [client.create_async(f"{QUEUE}/_c_{uuid.uuid4()}-lock-", f"host/{number}/bench".encode(),
                                               ephemeral=True, sequence=True)
                           for number in range(first, min(first + AT_ONCE, contenders))]:
                answer.get(60)
        yield
    finally:
        client.stop()


def command(cluster, _pool, rounds: int, lists: int, contenders: int) -> dict:
    lock = [CURATOR_LOCK, "-n", "-z", cluster.connect_string, PATH]
    commands = {"bare": ["true"], "run": [*lock, "true"]}
    results = in_turns(commands, rounds, timed)
    with queue(cluster.connect_string, contenders):
        listed = in_turns({"list": [CURATOR_LOCK, "list", "-z", cluster.connect_string, QUEUE]}, lists, timed)
    return {"rounds": rounds, "lists": lists, "contenders": contenders,
            "medians": {**{name: medians(results, name) for name in commands}, "list": medians(listed, "list")},
            "every_round": results, "every_list": listed}
