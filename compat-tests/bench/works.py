# SPDX-License-Identifier: Apache-2.0
"""
What is measured. In each work the contenders take turns, so that whatever slows the machine down slows all of them. It
gives for each contender the medians over the rounds. Ratios are taken within a round, then their median.
"""
import re
import statistics

from contenders import Contender

MICROSECONDS = 1e6


def packets_received(server) -> int:
    """All that the server has been sent, this question included."""
    return int(re.search(r"zk_packets_received\t(\d+)", server.four_letters("mntr")).group(1))


def packets_of_asking(server) -> int:
    counts = [packets_received(server) for _ in range(6)]
    return min(after - before for before, after in zip(counts, counts[1:]))  # more where somebody's ping fell in


def in_turns(contenders: dict, rounds: int, measure) -> list:
    """For each round a dictionary from contender to what measure(contender) gave; each round begins with another."""
    results = []
    names = list(contenders)
    for number in range(rounds):
        shift = number % len(names)
        results.append({name: measure(contenders[name]) for name in names[shift:] + names[:shift]})
    return results


def medians(rounds: list, name: str) -> dict:
    return {key: statistics.median(results[name][key] for results in rounds) for key in rounds[0][name]}


def ratio(rounds: list, key: str, name: str, other: str) -> dict:
    ratios = [results[name][key] / results[other][key] for results in rounds]
    if len(ratios) == 1:
        ratios *= 2
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return {"median": middle, "quartiles": [low, high]}


def percentile(values: list, percent: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * percent / 100))]


def uncontended(server, contenders: dict, rounds: int, cycles: int) -> dict:
    """Acquire and release, over and over, nobody else there. Short rounds, as what slows a machine comes and goes."""
    asking = packets_of_asking(server)
    samples = {name: [] for name in contenders}

    def measure(contender) -> dict:
        packets, cpu = packets_received(server), contender.cpu_seconds()
        contender.ask("cycles", cycles)
        cpu, packets = contender.cpu_seconds() - cpu, packets_received(server) - packets - asking
        taken = [int(sample) / 1000 for sample in contender.ask("samples").split()]
        samples[contender.name] += taken
        return {
            "cycles_per_second": MICROSECONDS * cycles / sum(taken),
            "p50_us": statistics.median(taken),
            "cpu_us_per_cycle": MICROSECONDS * cpu / cycles,
            "requests_per_cycle": packets / cycles,
        }

    results = in_turns(contenders, rounds, measure)
    ratios = {f"{name}_to_{other}": {key: ratio(results, key, name, other) for key in results[0][name]}
              for other in ("floor", "java") for name in contenders if name != other}
    middle = {name: {**medians(results, name), "p99_us": percentile(samples[name], 99)} for name in contenders}
    return {"rounds": rounds, "cycles": cycles, "medians": middle, "ratios": ratios, "every_round": results}


def reentry(server, contenders: dict, rounds: int, times: int) -> dict:
    """Acquiring again what the thread holds."""
    asking = packets_of_asking(server)

    def measure(contender) -> dict:
        packets = packets_received(server)
        taken = int(contender.ask("reenter", times))
        packets = packets_received(server) - packets - asking  # of which a few are for the first acquire
        return {"ns": taken / times, "requests": packets / times}

    results = in_turns(contenders, rounds, measure)
    return {"rounds": rounds, "times": times, "medians": {name: medians(results, name) for name in contenders},
            "ratios": {"c_to_java": {"ns": ratio(results, "ns", "c", "java")}}, "every_round": results}


def resident_memory(server, names: list, rounds: int) -> dict:
    """Of a new process that holds one lock."""
    results = []
    for _ in range(rounds):
        results.append({})
        for name in names:
            with Contender(name, server) as contender:
                contender.ask("hold")
                results[-1][name] = {"mib": contender.resident_kib() / 1024}
    return {"rounds": rounds, "medians": {name: medians(results, name) for name in names},
            "ratios": {"c_to_java": {"mib": ratio(results, "mib", "c", "java")}}, "every_round": results}
