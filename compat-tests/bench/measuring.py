# SPDX-License-Identifier: Apache-2.0
"""
What the works share. In each work the contenders take turns, so that whatever slows the machine down slows all of them;
each contender's result is the median over the rounds. Ratios are taken within a round, then their median.
"""
import contextlib
import re
import statistics
import time

from counting_proxy import CountingProxy, difference

QUIET_SECONDS = 0.5
PATIENCE_SECONDS = 120


class Cluster:
    """The server or the ensemble that is used."""

    def __init__(self, servers: list):
        self.servers = servers
        self.asking = 0  # packets that packets() itself costs
        counts = [self.packets() for _ in range(6)]
        self.asking = min(after - before for before, after in zip(counts, counts[1:]))  # more with somebody's ping

    @property
    def connect_string(self) -> str:
        return ",".join(server.connect_string for server in self.servers)

    def figure(self, name: str, servers: list) -> int:
        return sum(int(re.search(rf"{name}\t(\d+)", server.told("mntr")).group(1)) for server in servers)

    def packets(self) -> int:
        """All packets that the servers have received. The difference of two counts does not contain these questions."""
        return self.figure("zk_packets_received", self.servers) - self.asking

    def ephemerals(self) -> int:
        return self.figure("zk_ephemerals_count", self.servers[:1])

    def proxy(self, delay_ms: float = 0) -> CountingProxy:
        return CountingProxy(self.servers[0].port, delay_ms)


def in_turns(contenders: dict, rounds: int, measure) -> list:
    """For each round a dictionary from contender to what measure(contender) gave; each round begins with another."""
    results = []
    names = list(contenders)
    for number in range(rounds):
        shift = number % len(names)
        results.append({name: measure(contenders[name]) for name in names[shift:] + names[:shift]})
    return results


def pooled(rounds: list, key: str) -> dict:
    """Takes the samples out of the rounds: all of one contender together."""
    return {name: [sample for results in rounds for sample in results[name].pop(key)] for name in rounds[0]}


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


@contextlib.contextmanager
def contending(contender, path: str, members: int, connect_string: str = "", verb: str = "contend"):
    """Members of this process that are connected, until the end of the `with`."""
    contender.ask(verb, path, members, *filter(None, [connect_string]))
    try:
        yield contender
    except BaseException:
        contender.end()  # what its members are at is not known
        raise
    contender.ask("close")


def await_all_had_it(contender, members: int, seconds: float):
    """Waits until each member has held the lock, so that all are in the queue, and for at least this time."""
    began = time.monotonic()
    while contender.numbers("mark")[2] < members:
        if time.monotonic() > began + PATIENCE_SECONDS:
            raise AssertionError(f"{contender.name}: not all of {members} had the lock in {PATIENCE_SECONDS} s")
        time.sleep(0.02)
    time.sleep(max(0.0, began + seconds - time.monotonic()))


def await_quiet(proxy) -> dict:
    """Until no more requests come: what there was so far."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    before, after = proxy.count(), None
    while time.monotonic() < deadline:
        time.sleep(QUIET_SECONDS)
        after = proxy.count()
        if "requests" not in difference(before, after):
            return after
        before = after
    raise AssertionError(f"requests without end: {after}")
