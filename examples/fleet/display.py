# SPDX-License-Identifier: Apache-2.0
"""The live view: who holds the lock, for how long, how far we are. Redrawn on a terminal, a line a second elsewhere."""

import shutil
import sys
import time

COLOURS = {"C": "\x1b[34m", "Java": "\x1b[33m"}
PLAIN = "\x1b[0m"
BAR = 30


class Display:
    def __init__(self, record, seconds):
        self._record = record
        self._seconds = seconds
        self._terminal = sys.stdout.isatty()
        self._period = 0.1 if self._terminal else 1.0
        self._start = self._next = time.monotonic()
        self._lines_drawn = 0

    def tick(self):
        """Draws if it is time to."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + self._period
            self.draw()

    def draw(self):
        if self._terminal:
            self._redraw(self._screen())
        else:
            print(self._line(), flush=True)

    def _elapsed(self):
        return min(time.monotonic() - self._start, self._seconds)

    def _holder(self):
        """The member whose turn it is, and the turn in words. Between two turns: who had the lock last."""
        hold = self._record.latest()
        if hold is None:
            return None, "nobody yet"
        if hold.released:
            return hold.member, f"thread {hold.thread}, handed on after {(hold.released - hold.acquired) / 1e6:.0f} ms"
        return hold.member, f"thread {hold.thread}, for {(time.monotonic_ns() - hold.acquired) / 1e6:.0f} ms"

    def _totals(self):
        hand_offs = self._record.hand_offs
        return (f"{len(self._record.holds)} acquisitions, C to Java {hand_offs['C', 'Java']}, "
                f"Java to C {hand_offs['Java', 'C']}, violations {self._record.violations}")

    def _line(self):
        holder, turn = self._holder()
        who = f"{holder.name} {turn}" if holder else turn
        return f"{self._elapsed():5.1f} s of {self._seconds} s  held by {who:40}  {self._totals()}"

    def _screen(self):
        done = self._elapsed() / self._seconds
        bar = "=" * round(done * BAR)
        yield f"  {self._elapsed():5.1f} s of {self._seconds} s  [{bar:{BAR}}] {done:4.0%}", ""
        holder, turn = self._holder()
        for member in self._record.members:
            turns = f"  {member.name:8}{self._record.turns[member]:6} times"
            if member is holder:
                yield f"{turns}   <== holds the lock: {turn}", COLOURS[member.language]
            else:
                yield turns, ""
        yield f"  {self._totals()}", ""

    def _redraw(self, screen):
        width = shutil.get_terminal_size().columns - 1  # a line that wraps could not be drawn over
        text = f"\x1b[{self._lines_drawn}F" if self._lines_drawn else ""
        lines = [f"\x1b[2K{colour}{line[:width]}{PLAIN}\n" for line, colour in screen]
        sys.stdout.write(text + "".join(lines))
        sys.stdout.flush()
        self._lines_drawn = len(lines)
