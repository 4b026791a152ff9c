# SPDX-License-Identifier: Apache-2.0
"""The report of a soak: what happened, what was survived, what was wrong."""
from collections import Counter
from dataclasses import dataclass

from support import checker

NAMES = {"c": "C", "java": "Java", "python": "Python"}
CONFIRM_MS = 50  # what acquire_for() may take beyond its limit


def overruns(logs, history, allowed) -> list:
    """Calls of the C library that ended much later than their limit, in a process that ran all the time."""
    found = []
    for log in logs:
        pauses = history.processes[log.name].pauses
        for since, until, limit in log.waits:
            late = until - since - limit - CONFIRM_MS
            if (log.language == "c" and limit > 0 and late > allowed
                    and not any(start < until and stop > since for start, stop in pauses)):
                found.append(checker.Violation("deadline", until, f"{log.name}: {late:.0f} ms after {limit} ms"))
    return found


def table(head: list, rows: list) -> list:
    lines = [head, ["---"] * len(head)] + [[str(cell) for cell in row] for row in rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


@dataclass
class Report:
    seed: int
    minutes: float
    roles: list
    holds: list
    logs: list
    history: checker.History
    violations: list
    notes: Counter
    faults: Counter
    rows: list
    problems: list
    removed: list
    doubtful: int
    least: int

    @property
    def hand_offs(self) -> int:
        return len(checker.hand_offs(self.holds))

    @property
    def leaked(self) -> list:
        return [row for row in self.rows if not row[-1]]

    @property
    def good(self) -> bool:
        return not self.violations and not self.leaked and not self.problems and self.hand_offs >= self.least

    def directions(self) -> list:
        pairs = checker.hand_offs(self.holds)
        counts = {path: Counter((one.language, other.language) for one, other in pairs if one.path == path)
                  for path in sorted({hold.path for hold in self.holds})}
        rows = []
        for path, count in counts.items():
            for giver, name in NAMES.items():
                row = [count[giver, taker] for taker in NAMES]
                if any(row):
                    rows.append([f"`{path}`", name] + row)
        return table(["path", "from \\ to"] + [NAMES[taker] for taker in NAMES], rows)

    def languages(self) -> list:
        rows = []
        for language, name in NAMES.items():
            logs = [log for log in self.logs if log.language == language]
            waits = [until - since for log in logs for since, until, _ in log.waits]
            late = [until - since - limit for log in logs for since, until, limit in log.waits
                    if limit > 0 and not self.paused(log, since, until)]
            lost = sum(hold.told is not None for log in logs for hold in log.holds)
            states = sum((log.states for log in logs), Counter())
            rows.append([name, len(logs), sum(len(log.holds) for log in logs), len(waits),
                         f"{max(waits, default=0) / 1000:.1f} s", f"{max(late + [0]) / 1000:.1f} s", states["LOST"],
                         lost if language == "c" else "never told"])
        return table(["", "processes", "grants", "acquires", "longest acquire", "most beyond its limit (not paused)",
                      "sessions lost", "holds told lost"], rows)

    def paused(self, log, since, until) -> bool:
        return any(start < until and stop > since for start, stop in self.history.processes[log.name].pauses)

    def outcomes(self) -> list:
        rows = []
        for language, name in NAMES.items():
            total = sum((log.outcomes for log in self.logs if log.language == language), Counter())
            rows += [[name, outcome, count] for outcome, count in sorted(total.items())]
        return table(["", "outcome", "times"], rows)

    def verdict(self) -> str:
        return (f"{'GOOD' if self.good else 'BAD'}: {self.hand_offs} hand-offs (at least {self.least} wanted), "
                f"{sum(self.faults.values())} faults, {len(self.violations)} violations, {len(self.leaked)} leaks, "
                f"{len(self.problems)} problems")

    def text(self) -> str:
        rules = Counter(violation.rule for violation in self.violations)
        lines = [f"# Soak of {self.minutes:g} minutes, seed {self.seed}", "", self.verdict(), "", "## Hand-offs", ""]
        lines += self.directions() + ["", "## Faults", ""]
        lines += table(["fault", "times"], sorted(self.faults.items()))
        lines += ["", "## Contenders", ""] + self.languages() + [""] + self.outcomes()
        lines += ["", "## Leaks", ""]
        lines += table(["who", "what", "before", "after", "may grow", "ok"],
                       [row[:-1] + ("yes" if row[-1] else "NO",) for row in self.rows])
        lines += ["", "## Violations", ""] + [f"- {rule}: {count}" for rule, count in sorted(rules.items())]
        lines += [f"    {violation}" for violation in self.violations[:50]] or ["none"]
        lines += ["", "## Worth knowing", ""] + [f"- {note}: {count}" for note, count in sorted(self.notes.items())]
        lines += [f"- changes in one server's log only, judged by what followed: {self.doubtful}"]
        lines += [f"- removed by the operator, as it blocked the others for long: {node}" for node in self.removed]
        lines += [f"- PROBLEM: {problem}" for problem in self.problems]
        return "\n".join(lines + ["", self.verdict(), ""])
