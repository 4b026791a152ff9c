# SPDX-License-Identifier: Apache-2.0
"""What must stay flat: descriptors, threads and memory of the processes, znodes and watches of the servers."""
import statistics
import threading

from fleet import LOCK_PATH, MUTEX_PATH
from support.waiting import wait_until

EVERY_SECONDS = 2
RESIDENT_KIB = 2048  # how much memory may grow from the second quarter of the run to the last
# What a C process may have more, once it is idle, than when it began: less than one session's worth, which is three
# descriptors and two threads. Its contenders' threads have ended by then.
DESCRIPTORS, THREADS = 2, 1
PARENTS = 4  # nodes that stay: the paths of the locks


class UsageSampler(threading.Thread):
    """Looks at everything now and then."""

    def __init__(self, ensemble, members, stop):
        super().__init__(daemon=True)
        self.ensemble, self.members, self.stop = ensemble, members, stop  # stop: before the contenders do
        self.usage = {member.role.name: [] for member in members if member.role.never_killed}
        self.servers = []

    def run(self):
        while not self.stop.wait(EVERY_SECONDS):
            for member in self.members:
                if member.role.never_killed:
                    try:
                        self.usage[member.role.name].append(member.usage())
                    except (OSError, KeyError):
                        pass  # it is ending, which soak.py checks
            counts = [server_counts(server) for server in self.ensemble.servers]
            counts = [count for count in counts if count]
            if counts:
                self.servers.append({"znodes": max(count["zk_znode_count"] for count in counts),
                                     "watches": sum(count["zk_watch_count"] for count in counts)})


def server_counts(server) -> dict:
    lines = (line.split("\t") for line in server.four_letters("mntr").splitlines())
    values = {line[0]: line[1] for line in lines if len(line) == 2}
    names = ("zk_znode_count", "zk_watch_count", "zk_ephemerals_count")
    return {name: int(values[name]) for name in names} if all(name in values for name in names) else {}


def quarters(samples: list, what: str) -> tuple:
    """The medians of the second quarter and of the last."""
    values = [sample[what] for sample in samples]
    quarter = max(1, len(values) // 4)
    return statistics.median(values[quarter:2 * quarter] or values), statistics.median(values[-quarter:])


def judge_processes(sampler, sanitized: bool) -> list:
    """Rows of the report: who, what, before, after, limit, ok. To be called when the contenders' threads have ended."""
    rows = []
    for member in sampler.members:
        samples = sampler.usage.get(member.role.name)
        if not samples or member.role.language != "c":
            continue
        steady = {what: min(sample[what] for sample in samples) for what in ("descriptors", "threads")}
        steady["threads"] -= member.role.threads
        limits = {"descriptors": DESCRIPTORS, "threads": THREADS}

        def flat(member=member, steady=steady, limits=limits):
            usage = member.usage()
            return all(usage[what] <= steady[what] + limits[what] for what in limits)

        try:
            wait_until(flat, "sessions that are over closed", 30)
        except AssertionError:
            pass  # the rows say it
        usage = member.usage()
        for what, limit in limits.items():
            rows.append((member.role.name, what, steady[what], usage[what], f"+{limit}",
                         usage[what] <= steady[what] + limit))
        before, after = quarters(samples, "resident KiB")
        rows.append((member.role.name, "resident KiB", before, after,
                     "not judged (sanitizer)" if sanitized else f"+{RESIDENT_KIB}",
                     sanitized or after <= before + RESIDENT_KIB))
    return rows


def judge_watches(ensemble) -> list:
    """Call it when nobody holds or waits, but all are still connected."""
    def on_locks():
        return sum(line.startswith((MUTEX_PATH, LOCK_PATH))
                   for server in ensemble.servers for line in server.four_letters("wchp").splitlines())

    try:
        wait_until(lambda: on_locks() == 0, "no watch on the locks", 20)
    except AssertionError:
        pass  # the row says it
    return [("servers", "watches on the locks when idle", 0, on_locks(), "+0", on_locks() == 0)]


def judge_servers(sampler, contenders: int, java_clients: int) -> list:
    before, after = quarters(sampler.servers, "watches")
    # How many of the contenders wait differs from one quarter to the next, so the limit is what all of them may have:
    # a waiter watches its predecessor, its own node and the one before its predecessor; a client of Curator watches
    # the ensemble's configuration. A single watch that is left behind is found when all are idle (judge_watches).
    limit = 3 * contenders + java_clients
    rows = [("servers", "watches, median", before, after, f"at most {limit}", after <= limit)]
    before, after = quarters(sampler.servers, "znodes")
    rows.append(("servers", "znodes, median", before, after, f"+{contenders}", after <= before + contenders))
    return rows


def judge_end(ensemble, znodes_before: int) -> list:
    """To be called when all processes have ended."""
    def counts():
        return [server_counts(server) for server in ensemble.servers]

    def clean():
        return all(count and count["zk_ephemerals_count"] == 0 and count["zk_znode_count"] <= znodes_before + PARENTS
                   for count in counts())

    try:
        wait_until(clean, "the servers' ephemeral nodes gone", 30)
    except AssertionError:
        pass  # the rows say it
    ephemerals = max(count.get("zk_ephemerals_count", -1) for count in counts())
    znodes = max(count.get("zk_znode_count", -1) for count in counts())
    return [("servers", "ephemeral nodes at the end", 0, ephemerals, "+0", ephemerals == 0),
            ("servers", "znodes at the end", znodes_before, znodes, f"+{PARENTS}",
             0 <= znodes <= znodes_before + PARENTS)]
