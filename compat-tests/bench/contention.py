# SPDX-License-Identifier: Apache-2.0
"""The works of many contenders: hand-offs, paced or without pause, locks side by side, the herd effect."""
import contextlib
import statistics
import time

from counting_proxy import difference
from measuring import (
    PATIENCE_SECONDS,
    await_all_had_it,
    await_quiet,
    contending,
    in_turns,
    medians,
    percentile,
    pooled,
    ratio,
)

HOLD_US = 2000
MAX_KAZOO = 100  # sessions of the one process that shares one interpreter lock


def run(contenders: list, members: list, hold_us: int, warm_up: float, seconds: float, around=dict) -> dict:
    """
    Lets members contend for `seconds`. around() returns counts; their growth is reported per acquire. The acquires of
    several contenders are added up.
    """
    for contender, number in zip(contenders, members):
        contender.ask("start", number, hold_us)
    for contender, number in zip(contenders, members):
        await_all_had_it(contender, number, warm_up)
    for contender in contenders:
        contender.ask("handoffs")  # what the JVM runs for the first time here stays out of what is measured
    cpu, before = [contender.cpu_seconds() for contender in contenders], around()
    began = [contender.numbers("mark") for contender in contenders]
    time.sleep(seconds)
    cpu = [contender.cpu_seconds() - one for contender, one in zip(contenders, cpu)]
    taken = [contender.numbers("handoffs") for contender in contenders] if len(contenders) == 1 else []
    ended = [contender.numbers("mark") for contender in contenders]
    after = around()
    for contender in contenders:
        contender.send("stop")  # all at once: a contender that stops later would have the lock for itself
    for contender in contenders:
        contender.answer("stop")
    acquires = sum(after[0] - before[0] for before, after in zip(began, ended))
    if acquires == 0:
        raise AssertionError(f"no acquire in {seconds} s by {members} of {[one.name for one in contenders]}")
    rate = sum((after[0] - before[0]) * 1e9 / (after[1] - before[1]) for before, after in zip(began, ended))
    return {"per_second": rate, "cpu_us": sum(cpu) * 1e6 / acquires, "taken_us": [one / 1000 for one in sum(taken, [])],
            **{f"{key}_each": number / acquires for key, number in difference(before, after).items()}}


def handoff(cluster, pool, rounds: int, sizes: list, warm_up: float, seconds: float) -> dict:
    """Every holder keeps the lock for 2 ms, so that others wait in peace; from release called to acquire returned."""
    result = {"rounds": rounds, "hold_us": HOLD_US, "sizes": {}}
    for size in sizes:
        pool.say(f"  {size} contenders ...")
        contenders = pool.of(["floor", "c", "java"] + ["kazoo"] * (size <= MAX_KAZOO))
        with contextlib.ExitStack() as stack:
            for name, contender in contenders.items():
                stack.enter_context(contending(contender, f"/bench-handoff-{name}-{size}", size))
            one = result["sizes"][str(size)] = in_handoffs(
                contenders, rounds, lambda contender, size=size: handed_on(contender, size, HOLD_US, warm_up, seconds))
        for name, contender in contenders.items():
            one["medians"][name].update(
                count_handoffs(cluster, contender, f"/bench-counted-{name}-{size}", size, warm_up, seconds))
    return result


def handed_on(contender, size: int, hold_us: int, warm_up: float, seconds: float) -> dict:
    one = run([contender], [size], hold_us, warm_up, seconds)
    return {**one, "p50_us": statistics.median(one["taken_us"])}


def in_handoffs(contenders: dict, rounds: int, measure) -> dict:
    """measure(contender) gives what handed_on() gives."""
    results = in_turns(contenders, rounds, measure)
    samples = pooled(results, "taken_us")
    middle = {name: {**medians(results, name), "p99_us": percentile(samples[name], 99),
                     "handoffs": len(samples[name])} for name in contenders}
    return {"medians": middle, "every_round": results,
            "ratios": {**rate_ratios(results), **{
                f"java_to_{name}": {"p50_us": ratio(results, "p50_us", "java", name),
                                    "p99_us": {"median": middle["java"]["p99_us"] / middle[name]["p99_us"]}}
                for name in ("floor", "c")}}}


def rate_ratios(results: list) -> dict:
    return {f"{name}_to_java": {"per_second": ratio(results, "per_second", name, "java")} for name in ("floor", "c")}


def count_handoffs(cluster, contender, path: str, members: int, warm_up: float, seconds: float) -> dict:
    """The same by way of a proxy that counts what one hand-off, with queueing up again, brings and sends."""
    with cluster.proxy() as proxy, contending(contender, path, members, proxy.connect_string):
        each = run([contender], [members], HOLD_US, warm_up, seconds, around=proxy.count)
    return {"bytes_received": each["bytes_to_clients_each"], "requests": each["requests_each"],
            "events": each.get("events_each", 0)}


def throughput(cluster, pool, rounds: int, sizes: list, warm_up: float, seconds: float) -> dict:
    """No pauses: C only, Java only, half of each on one lock, and the floor on another one."""
    both = pool.of(("c", "java"))
    floor = pool["floor"]
    result = {"rounds": rounds, "sizes": {}}
    for size in sizes:
        pool.say(f"  {size} contenders ...")
        teams = {"floor": ([floor], [size]), "c": ([both["c"]], [size]), "java": ([both["java"]], [size]),
                 "mixed": (list(both.values()), [size - size // 2, size // 2])}

        def measure(team) -> dict:
            one = run(*team, 0, warm_up, seconds, around=lambda: {"packets": cluster.packets()})
            return {"per_second": one["per_second"], "requests": one["packets_each"], "cpu_us": one["cpu_us"]}

        with contextlib.ExitStack() as stack:
            stack.enter_context(contending(floor, f"/bench-throughput-floor-{size}", size))
            for contender in both.values():
                stack.enter_context(contending(contender, f"/bench-throughput-{size}", size))
            results = in_turns(teams, rounds, measure)
        result["sizes"][str(size)] = {
            "medians": {name: medians(results, name) for name in teams}, "every_round": results,
            "ratios": rate_ratios(results)}
    return result


def threads(_cluster, pool, rounds: int, sizes: list, warm_up: float, seconds: float) -> dict:
    """N threads of one session, each with a lock that no other thread wants."""
    contenders = pool.of(("floor", "c", "java", "kazoo"))
    result = {"rounds": rounds, "sizes": {}}
    for size in sizes:
        pool.say(f"  {size} threads ...")

        with contextlib.ExitStack() as stack:
            for name, contender in contenders.items():
                stack.enter_context(contending(contender, f"/bench-threads-{name}-{size}", size, verb="locks"))
            result["sizes"][str(size)] = in_rates(
                contenders, rounds, lambda contender, size=size: rate(contender, size, warm_up, seconds))
    return result


def rate(contender, size: int, warm_up: float, seconds: float) -> dict:
    one = run([contender], [size], 0, warm_up, seconds)
    return {"per_second": one["per_second"], "cpu_us": one["cpu_us"]}


def in_rates(contenders: dict, rounds: int, measure) -> dict:
    """measure(contender) gives what rate() gives."""
    results = in_turns(contenders, rounds, measure)
    return {"medians": {name: medians(results, name) for name in contenders}, "every_round": results,
            "ratios": rate_ratios(results)}


def herd(cluster, pool, members: int) -> dict:
    """All wait in the queue; each acquires once, holds for 2 ms and releases. Requests and events per release."""
    counted = {}
    for name in ("c", "java"):
        with cluster.proxy() as proxy, \
                contending(pool[name], f"/bench-herd-{name}", members, proxy.connect_string) as contender:
            nodes = cluster.ephemerals() + members
            contender.ask("queue", members, HOLD_US)
            deadline = time.monotonic() + PATIENCE_SECONDS
            while cluster.ephemerals() < nodes:
                if time.monotonic() > deadline:
                    raise AssertionError(f"{name}: {members} have not queued up in {PATIENCE_SECONDS} s")
                time.sleep(0.1)
            before = await_quiet(proxy)
            contender.ask("go")
            after = difference(before, await_quiet(proxy))
        counted[name] = {key: number / members for key, number in after.items() if key != "flights"}
    return {"members": members, "counted": counted}
