# SPDX-License-Identifier: Apache-2.0
"""What the members have said: every hold of the lock, the hand-offs between them, the collisions."""

import bisect
from collections import Counter
from dataclasses import dataclass


@dataclass
class Hold:
    """All times in nanoseconds of the monotonic clock, which is one for all processes of a machine."""
    member: object
    thread: int
    waiting: int
    acquired: int = 0
    released: int = 0
    collided: bool = False


class Record:
    def __init__(self, members):
        self.members = members
        self.holds = []  # the finished ones, in the order of their acquisition
        self.turns = Counter()  # of each member
        self.hand_offs = Counter()  # (language from, language to)
        self.violations = 0
        self._running = {}  # (name, thread) -> Hold

    def note(self, member, event, thread, time):
        key = (member.name, thread)
        if event == "waiting":
            self._running[key] = Hold(member, thread, time)
        elif event == "acquired":
            self._running[key].acquired = time
        elif event == "collided":
            self._running[key].collided = True
            self.violations += 1
        elif event == "released":
            hold = self._running.pop(key)
            hold.released = time
            self._insert(hold)

    def _insert(self, hold):
        """Events of different processes arrive a little out of order: a hold may belong between two known ones."""
        place = bisect.bisect(self.holds, hold.acquired, key=lambda known: known.acquired)
        before = self.holds[place - 1].member.language if place > 0 else None
        after = self.holds[place].member.language if place < len(self.holds) else None
        self.hand_offs[before, after] -= 1
        self.hand_offs[before, hold.member.language] += 1
        self.hand_offs[hold.member.language, after] += 1
        self.holds.insert(place, hold)
        self.turns[hold.member] += 1

    def latest(self):
        """The hold that began last, as far as we have been told; it is going on while its `released` is 0."""
        running = [hold for hold in self._running.values() if hold.acquired]
        return max(running + self.holds[-1:], key=lambda hold: hold.acquired, default=None)

    def waits(self):
        """(nanoseconds, hold) of every wait that ended."""
        return ((hold.acquired - hold.waiting, hold) for hold in self.holds)

    def holds_of(self, member):
        return [hold for hold in self.holds if hold.member is member]

    def shortcomings(self):
        """Why the run is no proof that the lock works across languages; empty if it is."""
        reasons = [f"{member.name} never got the lock" for member in self.members if self.turns[member] == 0]
        for giver, taker in (("C", "Java"), ("Java", "C")):
            if self.hand_offs[giver, taker] == 0:
                reasons.append(f"no hand-off from {giver} to {taker}")
        if self.violations:
            reasons.append(f"{self.violations} times the resource had two users at once")
        return reasons
