# SPDX-License-Identifier: Apache-2.0
"""Processes that have just started, a new one for each round: what a service gets that is restarted or locks rarely."""
import contextlib

from contenders import Contender
from contention import HOLD_US, handed_on, in_handoffs, in_rates, rate
from measuring import contending
from works import in_cycles, timed_cycles

NAMES = {name: name for name in ("floor", "c", "java")}


def started(cluster, pool, rounds: int, first_cycles: int, cycles: int, sizes: list, threads: list,
            warm_up: float, seconds: float) -> dict:
    """The works `uncontended`, `handoff`, `throughput` and `threads` with next to no warm-up."""

    def cycle(name) -> dict:
        with Contender(name, cluster.connect_string) as contender:
            contender.ask("cycles", first_cycles)
            return timed_cycles(cluster, contender, cycles)

    @contextlib.contextmanager
    def new_contention(name, size: int, verb: str):
        with Contender(name, cluster.connect_string) as contender, \
                contending(contender, f"/bench-started-{verb}-{name}-{size}", size, verb=verb):
            yield contender

    def hand_on(name, size: int, hold_us: int) -> dict:
        with new_contention(name, size, "contend") as contender:
            return handed_on(contender, size, hold_us, warm_up, seconds)

    def side_by_side(name, size: int) -> dict:
        with new_contention(name, size, "locks") as contender:
            return rate(contender, size, warm_up, seconds)

    result = {"rounds": rounds, "first_cycles": first_cycles, "warm_up": warm_up, "seconds": seconds,
              "uncontended": in_cycles(NAMES, rounds, cycles, cycle),
              "handoff": {"sizes": {}}, "throughput": {"sizes": {}}, "threads": {"sizes": {}}}
    for size in sizes:
        pool.say(f"  {size} contenders ...")
        for work, hold_us in (("handoff", HOLD_US), ("throughput", 0)):
            result[work]["sizes"][str(size)] = in_handoffs(
                NAMES, rounds, lambda name, size=size, hold_us=hold_us: hand_on(name, size, hold_us))
    for size in threads:
        pool.say(f"  {size} threads ...")
        result["threads"]["sizes"][str(size)] = in_rates(NAMES, rounds,
                                                         lambda name, size=size: side_by_side(name, size))
    return result
