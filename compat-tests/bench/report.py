# SPDX-License-Identifier: Apache-2.0
"""The results as tables, for a terminal and for a document."""
from titles import short_title, title


class Table:
    """The first `words` columns are words, the others are numbers."""

    def __init__(self, title: str, heads: list, rows: list, words: int = 1):
        self.title = title
        self.heads = heads
        self.rows = rows
        self.words = words

    def text(self) -> str:
        rows = [self.heads] + self.rows
        widths = [max(len(row[column]) for row in rows) for column in range(len(self.heads))]
        lines = ["  " + "  ".join(cell.ljust(width) if column < self.words else cell.rjust(width)
                                  for column, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows]
        return "\n".join([self.title] + lines)

    def markdown(self) -> str:
        rule = ["---" if column < self.words else "---:" for column in range(len(self.heads))]
        return "\n".join([f"{self.title}.", ""] + ["| " + " | ".join(row) + " |"
                                                   for row in [self.heads, rule] + self.rows])


def number(value, digits: int = 0) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


def uncontended(work: dict) -> Table:
    rows = []
    for name, values in work["medians"].items():
        to = {other: work["ratios"].get(f"{name}_to_{other}", {}).get("p50_us", {"median": 1.0})["median"]
              for other in ("floor", "java")}
        counted = work["counted"].get(name, {})
        rows.append([title(name, "uncontended"), number(values["cycles_per_second"]), number(values["p50_us"]),
                     number(values["p99_us"]), number(values["cpu_us_per_cycle"]),
                     number(values["requests_per_cycle"], 2), number(counted.get("flights"), 1),
                     number(to["floor"], 2), number(to["java"], 2)])
    return Table(f"Uncontended acquire and release, {work['rounds']} rounds of {work['cycles']:,} cycles",
                 ["", "cycles/s", "p50 us", "p99 us", "CPU us", "requests", "flights", "p50 of floor",
                  "p50 of Curator"], rows)


def by_size(results: dict, work: str, row) -> list:
    return [[size, title(name, work), *row(values, one)] for size, one in results["sizes"].items()
            for name, values in one["medians"].items()]


def handoff(work: dict) -> Table:
    def row(values, one):
        curator = one["medians"]["java"]["p50_us"]
        return [number(values["p50_us"]), number(values["p99_us"]), number(values["p50_us"] / curator, 2),
                number(values["handoffs"]), number(values["bytes_received"]), number(values["requests"], 2),
                number(values["events"], 2)]

    return Table(f"Hand-off, every holder keeps the lock {work['hold_us'] / 1000:g} ms, {work['rounds']} rounds",
                 ["contenders", "", "p50 us", "p99 us", "p50 of Curator", "hand-offs", "bytes received", "requests",
                  "events"], by_size(work, "handoff", row), 2)


def throughput(work: dict) -> Table:
    def row(values, one):
        return [number(values["per_second"]), number(values["per_second"] / one["medians"]["java"]["per_second"], 2),
                number(values["requests"], 2), number(values["cpu_us"])]

    return Table(f"Hand-offs without pause, {work['rounds']} rounds",
                 ["contenders", "", "hand-offs/s", "of Curator", "requests each", "client CPU us each"],
                 by_size(work, "throughput", row), 2)


def threads(work: dict) -> Table:
    def row(values, one):
        return [number(values["per_second"]), number(values["per_second"] / one["medians"]["java"]["per_second"], 2),
                number(values["cpu_us"])]

    return Table(f"N threads of one session, each with a lock of its own, {work['rounds']} rounds",
                 ["threads", "", "cycles/s", "of Curator", "client CPU us each"],
                 by_size(work, "threads", row), 2)


def started(work: dict) -> Table:
    def rows(label: str, key: str, one: dict, per_second: str, cpu: str):
        curator = one["medians"]["java"]
        for name, values in one["medians"].items():
            times = [curator[time] / values[time] if time in values else None for time in ("p50_us", "p99_us")]
            yield [label, short_title(name, key), number(values.get("p50_us")),
                   number(values.get("p99_us")), number(values[per_second]), number(values[cpu]),
                   number(times[0], 2), number(times[1], 2), number(values[per_second] / curator[per_second], 2)]

    found = [*rows("uncontended", "uncontended", work["uncontended"], "cycles_per_second", "cpu_us_per_cycle")]
    for key, label in (("handoff", "hand-off, {}"), ("throughput", "without pause, {}"),
                       ("threads", "threads, {}")):
        for size, one in work[key]["sizes"].items():
            found += rows(label.format(size), key, one, "per_second", "cpu_us")
    return Table(f"Processes that have just started: {work['uncontended']['cycles']:,} cycles after the first "
                 f"{work['first_cycles']:,}, {work['seconds']:g} s of hand-offs after the first {work['warm_up']:g} s, "
                 f"{work['rounds']} rounds",
                 ["", "", "p50 us", "p99 us", "per second", "client CPU us", "times better p50", "p99", "rate"], found,
                 2)


def first_acquire(work: dict) -> Table:
    rows = [[title(name), number(values["round_trips"]), number(values["requests"]["requests"])]
            for name, values in work["counted"].items()]
    return Table("First acquire on a path of three levels of which none exists", ["", "round trips", "requests"], rows)


def reentry(work: dict) -> Table:
    rows = [[title(name), number(values["ns"]), number(values["requests"], 2)]
            for name, values in work["medians"].items()]
    return Table(f"Acquiring a lock that is held, {work['rounds']} rounds of {work['times']:,}", ["", "ns", "requests"],
                 rows)


def many_locks(work: dict) -> Table:
    rows = [[title(name)] + [number(values[key]) for key in ("idle_heap", "idle_resident", "held_heap",
                                                               "held_resident", "threads")]
            for name, values in work["medians"].items()]
    return Table(f"{work['number']:,} locks of one process, bytes each (held: with its mutex)",
                 ["", "idle, heap", "idle, resident", "held, heap", "held, resident", "threads added"], rows)


def cold_start(work: dict) -> Table:
    rows = [[title(name), number(values["ms"], 1), number(values["mib"], 1), number(values["threads"])]
            for name, values in work["medians"].items()]
    return Table(f"A new process until it holds its first lock, {work['rounds']} rounds",
                 ["", "ms", "MiB resident", "threads"], rows)


def command(work: dict) -> Table:
    queued = {"bare": "", "run": number(0), "list": number(work["contenders"])}
    rows = [[title(name), queued[name], number(values["ms"], 1)] for name, values in work["medians"].items()]
    return Table(f"Commands from start to end, {work['rounds']} rounds, {work['lists']} of the list",
                 ["", "contenders", "ms"], rows)


def herd(work: dict) -> Table:
    rows = [[title(name), number(values["events"], 2), number(values["requests"], 2),
             number(values["bytes_to_clients"])] for name, values in work["counted"].items()]
    return Table(f"{work['members']:,} sessions in one queue that runs empty, per release",
                 ["", "waiters woken", "requests", "bytes received"], rows)


def distance(work: dict) -> Table:
    rows = []
    for delay, one in work["delays"].items():
        for name, values in one["medians"].items():
            handoff = number(values["handoff_us"] / 1000, 2) if "handoff_us" in values else ""
            rows.append([f"{delay} ms", title(name), number(one["round_trip_us"] / 1000, 2),
                         number(values["cycle_us"] / 1000, 2), number(values["cycle_trips"], 1), handoff,
                         number(values.get("handoff_trips"), 1)])
    return Table(f"Servers far away, {work['rounds']} rounds: uncontended cycle and hand-off between two",
                 ["added", "", "round trip ms", "cycle ms", "round trips", "hand-off ms", "round trips "], rows, 2)


TABLES = {"uncontended": uncontended, "handoff": handoff, "throughput": throughput, "threads": threads,
          "started": started, "first_acquire": first_acquire, "reentry": reentry, "many_locks": many_locks,
          "cold_start": cold_start, "command": command, "herd": herd, "distance": distance}


def verdict(reached) -> str:
    return {None: "", True: "yes", False: "NO"}[reached]


def targets(rows: list) -> Table:
    cells = []
    for row in rows:
        digits = 2 if row["target"] < 50 else 0
        spread = "{} to {}".format(*(number(one, digits) for one in row["quartiles"])) if row["quartiles"] else ""
        limit = number(row["target"], 0 if row["target"] == int(row["target"]) else 2)
        cells.append([row["what"], f"{row['at']} {limit}",
                      number(row["measured"], digits), spread, verdict(row["reached"]), number(row["started"], digits),
                      verdict(row["reached_started"]), number(row["bare"], digits)])
    return Table("What the library should reach",
                 ["", "should reach", "measured", "quartiles", "reached", "just started", "reached ", "bare client"],
                 cells)


def about(facts: dict) -> Table:
    return Table("Measured on", ["", " "], [[name, value] for name, value in facts.items()], 2)


def tables(results: dict) -> dict:
    found = {"about": about(results["about"]), "targets": targets(results["targets"])}
    return {**found, **{name: table(results["works"][name]) for name, table in TABLES.items()
                        if name in results["works"]}}


def text(results: dict) -> str:
    found = tables(results)
    last = found.pop("targets")
    return "\n\n".join(table.text() for table in [*found.values()] + ([last] if last.rows else []))
