# SPDX-License-Identifier: Apache-2.0
"""
Turns of many contenders on one read-write lock, planned ahead and run by the peers, and a check of the result. The
check knows only who held when, as reader or writer, and the place in the queue.
"""
import itertools
from collections import namedtuple

from support import checker
from support.admin import sequence

# When it was held for certain: from the moment acquire() had returned to the one before release() was called.
Hold = namedtuple("Hold", "turn, language, writes, since, until, sequence, token")


class Turn:
    """The calls of one turn; they run one after the other on one thread, side by side with other threads' turns."""

    def __init__(self, lock, thread, writes, timeout_ms=None, downgrades=False):
        self.language = lock.peer.language
        self.calls = []
        self.spans = []  # (writes, acquire, lock_path, token, release)
        acquire = ("acquire",) if timeout_ms is None else ("acquire_for", timeout_ms)
        first = self.enter(lock.write if writes else lock.read, thread, acquire)
        if downgrades:
            second = self.enter(lock.read, thread, ("acquire",))
            self.leave(lock.write, thread, True, first)
            self.linger(lock.read, thread)
            self.leave(lock.read, thread, False, second)
        else:
            self.linger(lock.read, thread)
            self.leave(lock.write if writes else lock.read, thread, writes, first)

    def do(self, side, thread, *verb):
        self.calls.append(side.begin(*verb, thread=thread))
        return self.calls[-1]

    def enter(self, side, thread, acquire):
        return [self.do(side, thread, *verb) for verb in (acquire, ("lock_path",), ("token",))]

    def linger(self, side, thread):
        """Some time with the lock."""
        self.do(side, thread, "participants")

    def leave(self, side, thread, writes, entered):
        self.spans.append((writes, *entered, self.do(side, thread, "release")))

    def wait(self, seconds) -> list:
        """Waits until the turn ends; its holds, none if it timed out."""
        for call in self.calls:
            call.wait(expect=None, seconds=seconds)
        if self.calls[0].status == "CURATOR_TIMED_OUT":
            return []
        for call in self.calls:
            assert call.status == "CURATOR_OK", call
        return [Hold(self, self.language, writes, acquire.ended, release.began, sequence(lock_path.value),
                     int(token.value)) for writes, acquire, lock_path, token, release in self.spans]


def begin_mutex_turns(locks, rounds) -> list:
    """The calls of each turn; those of one lock run one after the other, side by side with those of the others."""
    return [[lock.begin(verb) for verb in ("acquire", "token", "release")] for _ in range(rounds) for lock in locks]


def check_mutex_turns(turns, seconds=60):
    """Waits for all of them: no two overlap, and the tokens grow."""
    for calls in turns:
        for call in calls:
            call.wait(seconds=seconds)
    turns.sort(key=lambda calls: calls[0].ended)
    for (_, _, released), (acquired, _, _) in itertools.pairwise(turns):
        assert released.began <= acquired.ended, (released, acquired)
    tokens = [int(token.value) for _, token, _ in turns]
    assert tokens == sorted(set(tokens))


def holds_of(turns, seconds=120) -> list:
    return [hold for turn in turns for hold in turn.wait(seconds)]


def overlap(one, other) -> bool:
    return one.since < other.until and other.since < one.until


def check(holds):
    """No hold overlaps with a writer's, and of two conflicting holds the earlier in the queue came first."""
    history = checker.History([checker.Hold("", checker.WRITE if hold.writes else checker.READ, str(id(hold.turn)), "",
                                            hold.since, hold.until, token=hold.token) for hold in holds])
    violations = checker.check(history)
    assert not violations, "\n".join(str(violation) for violation in violations)
    for one, other in itertools.combinations(holds, 2):
        if one.turn is other.turn or not (one.writes or other.writes):
            continue
        first, second = sorted((one, other), key=lambda hold: hold.sequence)
        assert first.sequence < second.sequence, (first, second)
        assert first.until <= second.since, (first, second)


def most_readers_at_once(holds) -> int:
    reading = [hold for hold in holds if not hold.writes]
    return max(sum(other.since <= hold.since < other.until for other in reading) for hold in reading)


def readers_of_both_languages_met(holds) -> bool:
    reading = [hold for hold in holds if not hold.writes]
    return any(overlap(one, other) for one, other in itertools.combinations(reading, 2)
               if one.language != other.language)
