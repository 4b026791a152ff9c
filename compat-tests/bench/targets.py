# SPDX-License-Identifier: Apache-2.0
"""What the library should reach, beside what was measured. Reported and not asserted: that needs a quiet machine."""
import statistics


class Target:
    """One row: `at` is "at most" or "at least"; `bare` is what the ZooKeeper client alone reaches."""

    def __init__(self, what: str, value: float, at: str, limit: float, spread: list = None, bare: float = None):
        self.row = {"what": what, "measured": value, "at": at, "target": limit, "quartiles": spread,
                    "reached": value <= limit if at == "at most" else value >= limit,
                    "bare": bare, "started": None, "reached_started": None}


def inverse(ratio: dict) -> dict:
    return {"median": 1 / ratio["median"], "quartiles": [1 / one for one in reversed(ratio["quartiles"])]}


def uncontended(work: dict):
    ratios = work["ratios"]
    floor, java = ratios["c_to_floor"]["p50_us"], ratios["c_to_java"]
    bare, three = ratios["floor_to_java"], ratios.get("requests_to_floor", {}).get("p50_us", {}).get("median")
    yield Target("cycle time, of create + delete", floor["median"], "at most", 1.05, floor["quartiles"], three)
    rate, cpu = java["cycles_per_second"], java["cpu_us_per_cycle"]
    yield Target("cycles/s, of Curator's", rate["median"], "at least", 1.6, rate["quartiles"],
                 bare["cycles_per_second"]["median"])
    yield Target("client CPU per cycle, of Curator's", cpu["median"], "at most", 0.6, cpu["quartiles"],
                 bare["cpu_us_per_cycle"]["median"])
    pending = ratios.get("pending_to_c", {}).get("p50_us")
    if pending:
        yield Target("cycle time with release_for(0), of an awaited one", pending["median"], "at most", 0.6,
                     pending["quartiles"], ratios["one_flight_to_requests"]["p50_us"]["median"])
    if "counted" in work:
        yield Target("requests per cycle", work["counted"]["c"]["requests"], "at most", 3)
        yield Target("flights per cycle", work["counted"]["c"]["flights"], "at most", 2)
        yield Target("flights per cycle with release_for(0)", work["counted"]["pending"]["flights"], "at most", 1)


def handoff(work: dict):
    sizes = work["sizes"]
    for size, least in (("2", 2.3), ("20", 2.7), ("100", 3.3)):
        if size in sizes:
            ratios = sizes[size]["ratios"]
            p50 = ratios["java_to_c"]["p50_us"]
            yield Target(f"hand-off p50 at {size}, times better than Curator", p50["median"], "at least", least,
                         p50["quartiles"], ratios["java_to_floor"]["p50_us"]["median"])
    for size, one in sizes.items():
        p99, bare = (one["ratios"][f"java_to_{name}"]["p99_us"]["median"] for name in ("c", "floor"))
        yield Target(f"hand-off p99 at {size}, times better than Curator", p99, "at least", 10, bare=bare)
    if {"2", "100"} <= set(sizes):
        flat = sizes["100"]["medians"]["c"]["p50_us"] / sizes["2"]["medians"]["c"]["p50_us"]
        yield Target("hand-off p50 at 100, of that at 2", flat, "at most", 1.15)


def throughput(work: dict):
    for size, least in (("2", 1.4), ("20", 1.4), ("100", 1.6)):
        if size in work["sizes"]:
            one = work["sizes"][size]
            rate = one["ratios"]["c_to_java"]["per_second"]
            yield Target(f"hand-offs/s at {size}, of Curator's", rate["median"], "at least", least, rate["quartiles"],
                         one["ratios"]["floor_to_java"]["per_second"]["median"])
            requests = {name: values.get("requests") for name, values in one["medians"].items()}
            if requests["c"]:
                yield Target(f"requests per hand-off at {size}, of Curator's",
                             round(requests["c"] / requests["java"], 2), "at most", 1,
                             bare=requests["floor"] / requests["java"])


def threads(work: dict):
    for size, one in work["sizes"].items():
        rate = one["ratios"]["c_to_java"]["per_second"]
        yield Target(f"{size} threads on as many locks: cycles/s, of Curator's", rate["median"], "at least", 1.3,
                     rate["quartiles"], one["ratios"]["floor_to_java"]["per_second"]["median"])


def first_acquire(work: dict):
    counted = work["counted"]
    yield Target("round trips of a first acquire, three levels missing", counted["c"]["round_trips"], "at most",
                 counted["java"]["round_trips"] - 1)


def reentry(work: dict):
    yield Target("ns to acquire again", work["medians"]["c"]["ns"], "at most", 100,
                 quartiles([one["c"]["ns"] for one in work["every_round"]]))
    yield Target("requests to acquire again", round(work["medians"]["c"]["requests"], 2), "at most", 0)


def quartiles(values: list) -> list:
    low, _, high = statistics.quantiles(values * (2 if len(values) == 1 else 1), n=4, method="inclusive")
    return [low, high]


def many_locks(work: dict):
    values = work["medians"]["c"]
    idle = max(values["idle_heap"], values["idle_resident"])
    held = max(values["held_heap"], values["held_resident"])
    yield Target("bytes per idle mutex", idle, "at most", 512)
    yield Target("bytes per held lock, with its mutex", held, "at most", 2048)
    yield Target("threads added by the locks", values["threads"], "at most", 0)


def cold_start(work: dict):
    for key, what in (("ms", "process start to first lock held"), ("mib", "resident memory holding one lock")):
        times = inverse(work["ratios"]["c_to_java"][key])
        yield Target(f"{what}, Curator's over ours", times["median"], "at least", 20, times["quartiles"])


def command(work: dict):
    yield Target("ms that curator-lock adds to a command", work["medians"]["run"]["ms"] - work["medians"]["bare"]["ms"],
                 "at most", 30, quartiles([one["run"]["ms"] - one["bare"]["ms"] for one in work["every_round"]]))
    yield Target(f"ms to list {work['contenders']:,} contenders", work["medians"]["list"]["ms"], "at most", 2000,
                 quartiles([one["list"]["ms"] for one in work["every_list"]]))


def herd(work: dict):
    yield Target(f"waiters woken per release, {work['members']:,} in the queue", work["counted"]["c"]["events"],
                 "at most", 2)


ALL = {"uncontended": uncontended, "handoff": handoff, "throughput": throughput, "threads": threads,
       "first_acquire": first_acquire, "reentry": reentry, "many_locks": many_locks, "cold_start": cold_start,
       "command": command, "herd": herd}


def rows(works: dict) -> list:
    return [target.row for name, of in ALL.items() if name in works for target in of(works[name])]


def targets(works: dict) -> list:
    """Each with what processes reach that have just started, where that was measured."""
    result = rows(works)
    just_started = {row["what"]: row for row in rows(works.get("started", {}))}
    for row in result:
        other = just_started.get(row["what"])
        if other:
            row["started"], row["reached_started"] = other["measured"], other["reached"]
    return result
