# SPDX-License-Identifier: Apache-2.0
"""What must hold after a case, judged from what was seen alone."""
import itertools

from matrix.cases import CONNECTION_TIMEOUT_MS, LATE_MS, LIMIT_MS, SESSION_TIMEOUT_MS

LEFT_MS = SESSION_TIMEOUT_MS / 2  # a node that is there for longer, though a server can be reached, is left behind
BREAKS_A_SERVER = ("restart", "leader_killed")
SLACK_MS = 5  # by which two clocks may differ that are one
ACQUIRE = ("CURATOR_OK", "CURATOR_TIMED_OUT", "CURATOR_CONNECTION_LOSS", "CURATOR_SESSION_EXPIRED")
RELEASE = ("CURATOR_OK", "CURATOR_RELEASE_PENDING", "CURATOR_LOCK_LOST")


def overrun(outcome) -> float:
    """By how much acquire passed its limit, in ms; negative if it did not."""
    return outcome.acquire.elapsed - LIMIT_MS if outcome.acquire and outcome.acquire.done else float("-inf")


def release_overrun(outcome) -> float:
    """The same for release, whose limit is the connection timeout."""
    done = outcome.release and outcome.release.done
    return outcome.release.elapsed - CONNECTION_TIMEOUT_MS if done else float("-inf")


def double_holds(outcome) -> list:
    """The readers of one lock may hold together, but here only the contender reads."""
    return [f"{one[0]} ({one[1]:.0f} to {one[2]:.0f}) and {other[0]} ({other[1]:.0f} to {other[2]:.0f}) held at once"
            for one, other in itertools.combinations(outcome.holds, 2) if one[1] < other[2] and other[1] < one[2]]


def left_ms(outcome) -> float:
    """
    How long a node may stay once a server can be reached. Usually the client deletes it at once. If the servers were
    away for longer than the session lasts, the client has given the session up, and cannot close it: the node goes with
    its session, and a server that starts, or becomes the leader, gives every session its whole time again. So nothing
    shorter than that time can be asked for here; the rest is the same allowance as everywhere else.
    """
    afresh = outcome.case.fault in BREAKS_A_SERVER and "LOST" in outcome.states
    return SESSION_TIMEOUT_MS + LEFT_MS if afresh else LEFT_MS


def left_behind(outcome) -> bool:
    return outcome.node_gone_ms is None or outcome.node_gone_ms > left_ms(outcome)


def not_taken_again(outcome, late_ms=0.0) -> list:
    return [language for language in ("c", "java")
            if outcome.taken_ms.get(language, float("inf")) > left_ms(outcome) + LATE_MS + late_ms]


def errors(outcome) -> list:
    """Calls that ended neither as asked nor by the time limit."""
    found = []
    if outcome.acquire and outcome.acquire.done and outcome.acquire.status not in ("CURATOR_OK", "CURATOR_TIMED_OUT"):
        found.append(outcome.acquire)
    if outcome.release and outcome.release.done and outcome.release.status != "CURATOR_OK":
        found.append(outcome.release)
    return found


def untrue_statuses(outcome) -> list:
    """Statuses that are not true, or come without a message."""
    found = []
    for call, known in ((outcome.acquire, ACQUIRE), (outcome.release, RELEASE)):
        if call is None or not call.done:
            continue
        if call.status not in known:
            found.append(f"{call} is not a status for this")
        if call.status != "CURATOR_OK" and not call.error:
            found.append(f"{call} has no words")
    if outcome.acquire and outcome.acquire.status == "CURATOR_TIMED_OUT" and overrun(outcome) < -SLACK_MS:
        found.append(f"{outcome.acquire}: the time was not over")
    release = outcome.release.status if outcome.release else None
    given_up = "LOST" in outcome.states  # by the lease: there is nothing more to wait for in that session
    if release == "CURATOR_RELEASE_PENDING" and release_overrun(outcome) < -SLACK_MS and not given_up:
        found.append(f"{outcome.release}: the time was not over")
    if release == "CURATOR_LOCK_LOST" and not outcome.losses:
        found.append(f"{outcome.release}, but no loss was told")
    if release == "CURATOR_OK" and outcome.there_after_ok:
        found.append(f"{outcome.release}, but there was still {outcome.there_after_ok}")
    return found


def violations(outcome, late_ms=0.0) -> list:
    """Sentences; late_ms is what a busy machine may add to each deadline."""
    if outcome.problem:
        return [outcome.problem]
    found = [f"did not return: {call}" for call in outcome.stuck]
    for call, late in ((outcome.acquire, overrun(outcome)), (outcome.release, release_overrun(outcome))):
        if late > LATE_MS + late_ms:
            found.append(f"{call} was {late:.0f} ms late")
    found += double_holds(outcome)
    if outcome.language == "c":
        found += untrue_statuses(outcome)
    if outcome.node_gone_ms is None or outcome.node_gone_ms > left_ms(outcome) + late_ms:
        found.append(f"left a node behind, gone after {outcome.node_gone_ms} ms")
    found += [f"{language} did not get the lock at once: {outcome.taken_ms}"
              for language in not_taken_again(outcome, late_ms)]
    return found


def report(outcome, found) -> str:
    """A failure with all that is known of it."""
    return "\n".join([f"== {outcome.language} {outcome.case}", *found, f"acquire {outcome.acquire}",
                      f"release {outcome.release}", f"states {outcome.states}, losses {outcome.losses}, "
                      f"holds {outcome.holds}, free from {outcome.free_from:.0f}, taken {outcome.taken_ms}",
                      outcome.record])
