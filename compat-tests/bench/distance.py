# SPDX-License-Identifier: Apache-2.0
"""Servers far away: the same work by way of a proxy that adds to the round trip."""
import statistics

from contenders import Contender
from contention import HOLD_US, run
from measuring import contending


def distance(cluster, pool, rounds: int, delays_ms: list, warm_up: float, seconds: float) -> dict:
    """
    Cycles of one and hand-offs between two, in round trips: of the time that one request of the ZooKeeper client alone
    takes by way of the same proxy. A holder keeps the lock long enough for the other to have queued up.
    """
    result = {"rounds": rounds, "delays": {}}
    for delay in delays_ms:
        pool.say(f"  {delay} ms added ...")
        with cluster.proxy(delay) as proxy:
            cycles = max(20, int(seconds * 1000 / (2 * delay + 2)))
            trip = far_cycle("floor", proxy, cycles) / 2
            medians = {name: far(pool[name], proxy, delay, rounds, warm_up, seconds, trip) for name in ("c", "java")}
            pending = far_cycle("pending", proxy, cycles)
            medians["pending"] = {"cycle_us": pending, "cycle_trips": pending / trip}
        result["delays"][str(delay)] = {"round_trip_us": trip, "medians": medians}
    return result


def far_cycle(name: str, proxy, cycles: int) -> float:
    """Of a process of its own that has nobody else there."""
    with Contender(name, proxy.connect_string) as contender:
        contender.ask("cycles", cycles)
        return statistics.median(contender.numbers("samples")) / 1000


def far(contender, proxy, delay: float, rounds: int, warm_up: float, seconds: float, trip: float) -> dict:
    hold_us = max(HOLD_US, int(delay * 4000))
    handoffs, cycles = [], []
    path = f"/bench-far-{contender.name}-{delay}"
    with contending(contender, path, 2, proxy.connect_string):
        for _ in range(rounds):
            cycles += run([contender], [1], 0, warm_up, seconds)["taken_us"]
            handoffs += run([contender], [2], hold_us, warm_up, seconds)["taken_us"]
    return {"cycle_us": statistics.median(cycles), "cycle_trips": statistics.median(cycles) / trip,
            "handoff_us": statistics.median(handoffs), "handoff_trips": statistics.median(handoffs) / trip,
            "handoffs": len(handoffs)}
