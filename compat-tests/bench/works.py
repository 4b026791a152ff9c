# SPDX-License-Identifier: Apache-2.0
"""The works of one contender: uncontended cycles, re-entry, the first acquire on a path."""
import statistics

from contenders import Contender
from counting_proxy import difference
from measuring import await_quiet, contending, in_turns, medians, percentile, pooled, ratio

MICROSECONDS = 1e6
FLIGHT_MS = 20  # a round trip that is long enough to count flights
LONG_FLIGHT_MS = 100  # and by which they are counted by the time they take


def flights(cluster, contender, path: str, cycles: int) -> dict:
    """How many requests and round trips one acquire and release take: counted, with time to spare, not timed."""
    with cluster.proxy(FLIGHT_MS) as proxy, contending(contender, path, 1, proxy.connect_string):
        contender.ask("queue", 1, 0)  # the first time may take more: the path, the container
        contender.ask("go")
        before = await_quiet(proxy)
        for _ in range(cycles):
            contender.ask("queue", 1, 0)
            contender.ask("go")
        counted = difference(before, await_quiet(proxy))
    return {name: number / cycles for name, number in counted.items()}


def flights_in_a_row(cluster, name: str, path: str, cycles: int) -> dict:
    """The same of cycles without a pause between them. The last delete has nothing behind it: it is left out."""
    with cluster.proxy(FLIGHT_MS) as proxy, Contender(name, proxy.connect_string, path) as contender:
        contender.ask("cycles", 1)
        before = await_quiet(proxy)
        contender.ask("cycles", cycles)
        counted = difference(before, await_quiet(proxy))
    counted["flights"] -= 1
    return {key: number / cycles for key, number in counted.items()}


def timed_cycles(cluster, contender, cycles: int) -> dict:
    packets, cpu = cluster.packets(), contender.cpu_seconds()
    contender.ask("cycles", cycles)
    cpu, packets = contender.cpu_seconds() - cpu, cluster.packets() - packets
    taken = [sample / 1000 for sample in contender.numbers("samples")]
    return {
        "cycles_per_second": MICROSECONDS * cycles / sum(taken),
        "p50_us": statistics.median(taken),
        "cpu_us_per_cycle": MICROSECONDS * cpu / cycles,
        "requests_per_cycle": packets / cycles,
        "taken_us": taken,
    }


def in_cycles(contenders: dict, rounds: int, cycles: int, measure) -> dict:
    """measure(contender) gives what timed_cycles() gives."""
    results = in_turns(contenders, rounds, measure)
    samples = pooled(results, "taken_us")
    ratios = {f"{name}_to_{other}": {key: ratio(results, key, name, other) for key in results[0][name]}
              for other in ("floor", "java") for name in contenders if name != other}
    if "pending" in contenders:
        ratios["pending_to_c"] = {"p50_us": ratio(results, "p50_us", "pending", "c")}
        ratios["one_flight_to_requests"] = {"p50_us": ratio(results, "p50_us", "one_flight", "requests")}
    middle = {name: {**medians(results, name), "p99_us": percentile(samples[name], 99)} for name in contenders}
    return {"rounds": rounds, "cycles": cycles, "medians": middle, "ratios": ratios, "every_round": results}


def uncontended(cluster, pool, rounds: int, cycles: int, count_cycles: int) -> dict:
    """Acquire and release without contention. The rounds are short, because disturbances of the machine come and go."""
    result = in_cycles(pool.of(("floor", "requests", "one_flight", "c", "pending", "java", "kazoo")), rounds, cycles,
                       lambda contender: timed_cycles(cluster, contender, cycles))
    counted = {name: flights(cluster, pool[name], f"/bench-flights-{name}", count_cycles)
               for name in ("c", "java", "kazoo")}
    counted["pending"] = flights_in_a_row(cluster, "pending", "/bench-flights-pending", count_cycles)
    return {**result, "counted": counted}


def first_acquire(cluster, pool, times: int) -> dict:
    """
    On a path of three levels of which none exists. With a long round trip, the time until acquire returns gives the
    number of round trips; the requests include those that follow.
    """
    counted = {}
    for name in ("c", "java", "kazoo"):
        taken = []
        for number in range(times):
            path = f"/bench-first-{name}-{number}/two/three"
            with cluster.proxy(LONG_FLIGHT_MS) as proxy, \
                    contending(pool[name], path, 1, proxy.connect_string) as contender:
                before = await_quiet(proxy)
                contender.ask("queue", 1, 0)
                requests = difference(before, await_quiet(proxy))
                taken.append(contender.numbers("handoffs")[0] / 1e6)
                contender.ask("go")
        counted[name] = {"round_trips": int(min(taken) / LONG_FLIGHT_MS), "ms": min(taken), "requests": requests}
    return {"flight_ms": LONG_FLIGHT_MS, "counted": counted}


def reentry(cluster, pool, rounds: int, times: int) -> dict:
    """Acquiring again what the thread holds."""

    def measure(contender) -> dict:
        packets = cluster.packets()
        taken = int(contender.ask("reenter", times))
        packets = cluster.packets() - packets  # of which a few are for the first acquire
        return {"ns": taken / times, "requests": packets / times}

    contenders = pool.of(("c", "java"))
    results = in_turns(contenders, rounds, measure)
    return {"rounds": rounds, "times": times, "medians": {name: medians(results, name) for name in contenders},
            "ratios": {"c_to_java": {"ns": ratio(results, "ns", "c", "java")}}, "every_round": results}
