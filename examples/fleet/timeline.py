# SPDX-License-Identifier: Apache-2.0
"""The picture of a run, as SVG: above, how the lock's time was shared; below, a moment of it, hold by hold."""

from collections import defaultdict
from html import escape

WIDTH, LEFT, RIGHT = 1280, 150, 30
PLOT = WIDTH - LEFT - RIGHT
SHARE_TOP, SHARE_HEIGHT, COLUMNS = 155, 130, 60
LANES_TOP, LANE = 380, 27
MOMENT_NS = 300_000_000
SHADES = {"C": ["#1d4ed8", "#3b82f6", "#93c5fd"], "Java": ["#c2410c", "#fb923c"]}
TO = {"C": "#1d4ed8", "Java": "#c2410c"}  # hand-offs across languages have the colour of the taker
SAME = "#9ca3af"
VIOLATION = "#dc2626"


def draw_timeline(record, lock, locked=True):
    """Returns the text of the picture. `lock` is how it was locked, in words; not `locked`: nobody held anything."""
    return Timeline(record, lock, locked).draw()


class Timeline:
    def __init__(self, record, lock, locked):
        self._record = record
        self._lock = lock
        self._locked = locked
        self._held = "held it" if locked else "used the resource"
        self._parts = []
        holds = record.holds
        self._start = holds[0].acquired if holds else 0
        self._end = max((hold.released for hold in holds), default=1)
        self._colours = {member: SHADES[member.language][int(member.name.split("-")[1]) - 1]
                         for member in record.members}
        self._moment = self._choose_moment()

    def draw(self):
        height = LANES_TOP + 2 * len(self._record.members) * LANE + 90
        self._header()
        self._shares()
        self._lanes()
        self._legend(height - 22)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
                f'height="{height}" font-family="DejaVu Sans, Verdana, sans-serif" font-size="13" fill="#1f2937">\n'
                f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n' + "\n".join(self._parts) + "\n</svg>\n")

    def _choose_moment(self):
        """Start and end, in ns: around the first violation; without one the middle of the run, or the next hold."""
        middle = (self._start + self._end - MOMENT_NS) // 2
        shown = next((hold.acquired for hold in self._record.holds if hold.collided), None)
        if shown is None:
            shown = next((hold.acquired for hold in self._record.holds if hold.released > middle), middle)
            if shown < middle + MOMENT_NS:
                shown = middle + MOMENT_NS // 3
        start = max(self._start, shown - MOMENT_NS // 3)
        return start, min(start + MOMENT_NS, self._end)

    # --- the parts of the picture, from top to bottom

    def _header(self):
        violations, hand_offs = self._record.violations, self._record.hand_offs
        seconds = (self._end - self._start) / 1e9
        title = ("Who held the lock, and when: C and Java processes taking turns" if self._locked else
                 "Without a lock: when C and Java processes used the resource")
        self._text(LEFT, 38, title, size=22, bold=True)
        self._text(LEFT, 62, f"3 C and 2 Java processes, two threads each, {self._lock}")
        turns = (f"acquisitions, hand-offs: C to Java {hand_offs['C', 'Java']}, Java to C {hand_offs['Java', 'C']}"
                 if self._locked else "uses")
        self._text(LEFT, 82, f"{seconds:.1f} s, {len(self._record.holds)} {turns}")
        self._text(LEFT + PLOT, 82, f"violations: {violations}", bold=True, anchor="end",
                   colour=VIOLATION if violations else "#15803d")

    def _shares(self):
        """The run in columns, each divided among the processes by how long they held the lock."""
        title = f"The whole run: which part of the time each process {self._held}"
        self._text(LEFT, SHARE_TOP - 36, title + (" (grey: changing hands)" if self._locked else ""), bold=True)
        bottom = SHARE_TOP + SHARE_HEIGHT
        column_ns = max((self._end - self._start) / COLUMNS, 1)
        held = defaultdict(int)
        collided = set()
        for hold in self._record.holds:
            column = min(int((hold.acquired - self._start) / column_ns), COLUMNS - 1)
            held[column, hold.member] += hold.released - hold.acquired
            if hold.collided:
                collided.add(column)
        self._box(LEFT, SHARE_TOP, PLOT, SHARE_HEIGHT, "#f3f4f6")
        step = PLOT / COLUMNS
        for column in range(COLUMNS):
            all_held = sum(held[column, member] for member in self._record.members)
            scale = SHARE_HEIGHT / max(column_ns, all_held)  # without the lock the parts add up to more than all time
            y = bottom
            for member in self._record.members:
                height = held[column, member] * scale
                y -= height
                self._box(LEFT + column * step, y, step - 1, height, self._colours[member])
            if column in collided:
                self._box(LEFT + column * step, bottom + 2, step - 1, 4, VIOLATION)
        for percent in (0, 50, 100):
            self._text(LEFT - 10, bottom - SHARE_HEIGHT * percent / 100 + 4, f"{percent} %", anchor="end")
        self._time_axis(SHARE_TOP, self._start, self._end, 1e9, "s", above=True)  # below are the lines of the moment
        x1, x2 = (self._x(time, self._start, self._end) for time in self._moment)
        self._parts.append(f'<path d="M{x1:.1f} {SHARE_TOP} H{max(x2, x1 + 4):.1f} V{bottom} H{x1:.1f} Z" '
                           'fill="none" stroke="#111827" stroke-width="2"/>')
        self._parts.append(f'<path d="M{x1:.1f} {bottom + 8} L{LEFT} {LANES_TOP - 8} '
                           f'M{max(x2, x1 + 4):.1f} {bottom + 8} L{LEFT + PLOT} {LANES_TOP - 8}" '
                           'stroke="#9ca3af" stroke-dasharray="4 4"/>')

    def _lanes(self):
        """A lane a thread: a thin line while it waits, a block while it holds, an arrow to whoever is next."""
        start, end = self._moment
        what = "Hold by hold" if self._locked else "Use by use"
        self._text(LEFT + PLOT / 2, LANES_TOP - 16, f"{what}: {(end - start) / 1e6:.0f} ms of it, from "
                   f"{(start - self._start) / 1e9:.2f} s on", bold=True, anchor="middle")
        lanes = {}
        for member in self._record.members:
            top = LANES_TOP + len(lanes) * LANE
            self._box(LEFT, top, PLOT, 2 * LANE - 2, "#eff6ff" if member.language == "C" else "#fff7ed")
            self._text(20, top + LANE + 4, member.name, bold=True, colour=TO[member.language])
            for thread in (1, 2):
                lanes[member, thread] = LANES_TOP + len(lanes) * LANE
                self._text(LEFT - 10, lanes[member, thread] + 17, f"thread {thread}", anchor="end")
        shown = [hold for hold in self._record.holds if hold.released > start and hold.waiting < end]
        for hold in shown:
            self._draw_hold(hold, lanes[hold.member, hold.thread])
        held = [hold for hold in shown if hold.acquired < end]
        for giver, taker in zip(held, held[1:]) if self._locked else ():
            if start <= giver.released <= taker.acquired:
                self._draw_hand_off(giver, taker, lanes)
        self._time_axis(LANES_TOP + len(lanes) * LANE, start, end, 1e6, "ms")

    def _draw_hold(self, hold, top):
        start, end = self._moment
        colour = self._colours[hold.member]
        x0, x1, x2 = (self._x(min(max(time, start), end), start, end)
                      for time in (hold.waiting, hold.acquired, hold.released))
        if x1 > x0:
            self._parts.append(f'<path d="M{x0:.1f} {top + LANE / 2 - 1} H{x1:.1f}" stroke="{colour}" '
                               'stroke-width="1.5" stroke-opacity="0.35"/>')
        if x2 > x1:
            mark = f' stroke="{VIOLATION}" stroke-width="2.5"' if hold.collided else ""
            held, waited = (hold.released - hold.acquired) / 1e6, (hold.acquired - hold.waiting) / 1e6
            title = (f"{hold.member.name} thread {hold.thread} {self._held} for {held:.1f} ms "
                     f"after waiting {waited:.1f} ms")
            self._parts.append(f'<rect x="{x1:.1f}" y="{top + 4}" width="{x2 - x1:.1f}" height="{LANE - 10}" rx="2" '
                               f'fill="{colour}"{mark}><title>{escape(title)}</title></rect>')

    def _draw_hand_off(self, giver, taker, lanes):
        start, end = self._moment
        x1, x2 = (self._x(min(time, end), start, end) for time in (giver.released, taker.acquired))
        y1, y2 = (lanes[hold.member, hold.thread] + LANE / 2 - 1 for hold in (giver, taker))
        language = taker.member.language
        crosses = giver.member.language != language
        colour, head, width = (TO[language], f"to{language}", 1.6) if crosses else (SAME, "same", 1)
        self._parts.append(f'<path d="M{x1:.1f} {y1} L{x2:.1f} {y2}" stroke="{colour}" stroke-width="{width}" '
                           f'marker-end="url(#{head})"/>')

    def _legend(self, y):
        for name, colour in (("toC", TO["C"]), ("toJava", TO["Java"]), ("same", SAME)):
            self._parts.append(f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
                               f'markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">'
                               f'<path d="M0 0 L8 4 L0 8 Z" fill="{colour}"/></marker>')
        x = LEFT
        for member in self._record.members:
            self._box(x, y - 12, 16, 14, self._colours[member])
            self._text(x + 21, y, member.name)
            x += 76
        self._parts.append(f'<path d="M{x + 5} {y - 5} h24" stroke="#6b7280" stroke-width="1.5" stroke-opacity="0.5"/>')
        self._text(x + 35, y, "waiting")
        x += 102
        if self._locked:
            x = self._hand_offs_in_legend(x, y)
        self._box(x + 6, y - 12, 16, 14, "white", f' stroke="{VIOLATION}" stroke-width="2.5"')
        self._text(x + 27, y, "violation: two users at once")

    def _hand_offs_in_legend(self, x, y):
        for name, colour, what in (("toJava", TO["Java"], "C to Java"), ("toC", TO["C"], "Java to C"),
                                   ("same", SAME, "same language")):
            self._parts.append(f'<path d="M{x} {y - 5} h26" stroke="{colour}" stroke-width="1.6" '
                               f'marker-end="url(#{name})"/>')
            self._text(x + 32, y, what)
            x += 112
        return x + 36  # the last is longer

    # --- small tools

    @staticmethod
    def _x(time, start, end):
        return LEFT + (time - start) / max(end - start, 1) * PLOT

    def _time_axis(self, y, start, end, unit, name, above=False):
        length = (end - start) / unit
        step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000, 100000) if length / step <= 15)
        for tick in range(0, int(length) + 1, step):
            x = self._x(start + tick * unit, start, end)
            self._parts.append(f'<path d="M{x:.1f} {y} v{-6 if above else 6}" stroke="#6b7280"/>')
            self._text(x, y - 10 if above else y + 20, f"{tick} {name}", anchor="middle")

    def _box(self, x, y, width, height, colour, more=""):
        self._parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
                           f'fill="{colour}"{more}/>')

    def _text(self, x, y, text, *, size=13, bold=False, anchor="start", colour=None):
        weight = ' font-weight="bold"' if bold else ""
        fill = f' fill="{colour}"' if colour else ""
        self._parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{weight}{fill}>'
                           f"{escape(text)}</text>")
