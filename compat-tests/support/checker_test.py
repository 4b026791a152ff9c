# SPDX-License-Identifier: Apache-2.0
"""The judge of the soak, on histories made by hand: each verdict, and what comes close to it but is right."""
import subprocess
import time

import pytest

from support import checker, jars
from support.checker import FORCED, MUTEX, OTHER, OWNER, READ, SESSION, WRITE, Checker, History, Hold, Node, Process

LIMITS = checker.Limits(clock=1, resume=100, telling=500, idle=1000)


class Builder:
    """The holds of one path in the order of the queue; each is of a process of its own unless one is named."""

    def __init__(self):
        self.holds, self.nodes, self.processes = [], {}, {}

    def node(self, created=0, gone=None, by=OWNER, kind=MUTEX, process="other", order=None, language="c"):
        number = len(self.nodes) + 1
        self.processes.setdefault(process, Process(process, language))
        name = f"/lock/{number:010d}"
        self.nodes[name] = Node("/lock", order or (number, 0), kind, process, number, created, gone, by, name)
        return name

    def hold(self, enter, leave=None, kind=MUTEX, told=None, gone=None, by=OWNER, token=0, language="c", order=None,
             created=None, pauses=(), died=None, process=None, thread="t"):
        process = process or f"p{len(self.processes)}"
        self.processes.setdefault(process, Process(process, language, died, list(pauses)))
        node = self.node(enter - 1 if created is None else created, leave + 1 if gone is None else gone, by, kind,
                         process, order, language)
        token = self.nodes[node].czxid if token == 0 else token
        self.holds.append(Hold("/lock", kind, process, thread, enter, leave, told, node, token, language,
                               language == "c"))
        return self

    def rules(self, nodes=True):
        history = History(self.holds, self.nodes if nodes else None, self.processes, end=100000)
        return [violation.rule for violation in Checker(history, LIMITS).check()]


def test_holders_one_after_the_other_are_right():
    assert not Builder().hold(10, 20).hold(22, 30, language="java").hold(40, 50).rules()


def test_two_who_hold_at_once_are_found():
    assert "two at once" in Builder().hold(10, 20, gone=30).hold(15, 25, gone=31).rules()


def test_two_who_hold_at_once_are_found_without_knowing_the_nodes():
    assert Builder().hold(10, 20).hold(15, 25).rules(nodes=False) == ["two at once"]


def test_a_long_hold_that_spans_several_short_ones_overlaps_each():
    builder = Builder().hold(10, 100).hold(20, 21).hold(30, 31).hold(40, 41)
    assert builder.rules(nodes=False) == ["two at once"] * 3


def test_other_paths_do_not_matter():
    builder = Builder().hold(10, 20).hold(15, 25)
    builder.holds[1].path = "/other"
    assert not builder.rules(nodes=False)


def test_readers_may_overlap():
    assert not Builder().hold(10, 20, READ).hold(12, 30, READ).hold(35, 40, WRITE).rules()


@pytest.mark.parametrize("first, second", [(READ, WRITE), (WRITE, READ), (WRITE, WRITE)])
def test_a_writer_overlaps_with_nobody(first, second):
    assert Builder().hold(10, 20, first).hold(15, 25, second).rules(nodes=False) == ["two at once"]


def test_the_downgrade_of_a_thread_overlaps_with_itself():
    builder = Builder().hold(10, 20, WRITE, process="p", order=(1, 0))
    assert not builder.hold(15, 30, READ, process="p", order=(1, 1), token=1).rules()


def test_a_lost_holder_that_was_told_first_is_right():
    assert not Builder().hold(10, 100, told=40, gone=50, by=SESSION).hold(52, 60).rules()


def test_a_lost_holder_that_was_told_after_the_next_had_entered_is_found():
    assert Builder().hold(10, 100, told=53, gone=50, by=SESSION).hold(52, 60).rules() == ["two at once"]


def test_a_lost_holder_that_was_never_told_is_found():
    builder = Builder().hold(10, 100, gone=50, by=SESSION)
    builder.holds[0].leave = None
    assert builder.rules() == ["never told"]


def test_a_lost_holder_that_was_told_very_late_is_found_even_if_nobody_wanted_the_lock():
    assert Builder().hold(10, 900, told=800, gone=50, by=SESSION).rules() == ["told late"]


@pytest.mark.parametrize("language", ["java", "python"])
def test_who_is_never_told_ends_with_the_session(language):
    assert not Builder().hold(10, 100, gone=50, by=SESSION, language=language).hold(52, 60).rules()
    assert "two at once" in Builder().hold(10, 100, gone=55, by=SESSION, language=language).hold(52, 60).rules()


def test_a_paused_holder_is_told_when_it_runs_again():
    builder = Builder().hold(10, 300, told=250, gone=50, by=SESSION, pauses=[(20, 200)]).hold(52, 60)
    assert not builder.rules()


def test_a_paused_holder_that_is_not_told_soon_after_the_pause_is_found():
    builder = Builder().hold(10, 400, told=350, gone=50, by=SESSION, pauses=[(20, 200)]).hold(52, 60)
    assert builder.rules() == ["two at once"]


def test_a_pause_that_came_after_the_loss_is_no_excuse():
    builder = Builder().hold(10, 300, told=250, gone=50, by=SESSION, pauses=[(70, 200)]).hold(60, 61)
    assert builder.rules() == ["two at once"]


@pytest.mark.parametrize("by", [OTHER, FORCED])
def test_a_holder_whose_node_somebody_deleted_is_told_soon_after(by):
    assert not Builder().hold(10, 100, told=60, gone=50, by=by).hold(52, 90).rules()
    assert Builder().hold(10, 900, told=800, gone=50, by=by).hold(52, 90).rules() == ["told late"]


def test_a_killed_holder_holds_no_more():
    builder = Builder().hold(10, 11, gone=50, by=SESSION, died=30).hold(52, 60)
    builder.holds[0].leave = None
    assert not builder.rules()


def test_an_entry_on_the_node_of_a_dead_session_is_found():
    assert Builder().hold(60, 70, created=10, gone=50, by=SESSION).rules() == ["entered on a dead node"]


def test_an_entry_on_a_dead_node_after_a_pause_is_right():
    assert not Builder().hold(60, 70, created=10, gone=50, by=SESSION, pauses=[(20, 59)]).hold(52, 80).rules()


def test_an_entry_of_java_on_a_dead_node_is_noted():
    builder = Builder().hold(60, 70, created=10, gone=50, by=SESSION, language="java").hold(52, 80)
    judge = Checker(History(builder.holds, builder.nodes, builder.processes), LIMITS)
    assert not judge.check() and judge.notes["java entered on a node that was gone"] == 1


def test_a_grant_whose_node_was_deleted_on_the_way_is_right_if_it_is_told():
    assert not Builder().hold(55, 70, created=10, gone=50, by=OTHER).hold(52, 80).rules()
    assert Builder().hold(55, 700, created=10, gone=50, by=OTHER).hold(52, 80).rules() == ["told late"]


def test_tokens_that_do_not_grow_are_found():
    assert Builder().hold(10, 20, token=7).hold(30, 40, token=7).rules(nodes=False) == ["token"]
    assert Builder().hold(10, 20, token=7).hold(30, 40, token=6).rules(nodes=False) == ["token"]


def test_tokens_of_readers_lie_between_those_of_writers():
    def builder(*tokens):
        return (Builder().hold(10, 20, WRITE, token=tokens[0]).hold(30, 50, READ, token=tokens[1])
                .hold(32, 40, READ, token=tokens[2]).hold(60, 70, WRITE, token=tokens[3]).rules(nodes=False))

    assert not builder(1, 3, 2, 4)
    assert builder(2, 1, 3, 4) == ["token"]
    assert builder(1, 2, 4, 3) == ["token"]


def test_a_token_that_is_not_the_nodes_is_found():
    assert Builder().hold(10, 20, token=9).rules() == ["wrong token"]


def test_who_jumps_the_queue_is_found():
    builder = Builder()
    builder.node(created=5, gone=40)
    assert "queue" in builder.hold(10, 20).rules()


def test_who_enters_when_those_before_it_are_gone_is_right():
    builder = Builder()
    builder.node(created=5, gone=9)
    builder.node(created=6, gone=8, by=SESSION)
    assert not builder.hold(10, 20).rules()


def test_a_reader_passes_readers_but_no_writer():
    builder = Builder()
    builder.node(created=5, gone=40, kind=READ)
    assert not builder.hold(10, 20, READ).rules()
    builder.node(created=21, gone=40, kind=WRITE)
    assert builder.hold(30, 35, READ).rules() == ["queue"]


def test_a_hold_without_a_node_is_found():
    builder = Builder().hold(10, 20)
    builder.holds[0].node = "/lock/none"
    assert "no node" in builder.rules()


def test_a_node_that_is_never_removed_is_found():
    builder = Builder().hold(10, 20)
    builder.nodes["/lock/0000000001"].gone = None
    assert builder.rules() == ["left behind"]


def test_a_node_that_stays_first_without_being_held_is_found():
    builder = Builder()
    builder.node(created=10, gone=900)
    assert not builder.rules()
    builder.node(created=11, gone=2000)
    assert builder.rules() == ["left behind"]


def test_a_node_that_stays_long_after_its_release_is_found():
    assert Builder().hold(10, 20, gone=2000).rules() == ["left behind"]


def test_what_java_leaves_behind_is_noted():
    builder = Builder()
    builder.node(created=10, gone=2000, process="j", language="java")
    judge = Checker(History([], builder.nodes, builder.processes), LIMITS)
    assert not judge.check() and sum(judge.notes.values()) == 1


def test_hand_offs_are_counted_in_the_order_of_entering():
    builder = Builder().hold(10, 20).hold(30, 40, language="java").hold(50, 60)
    pairs = [(one.language, other.language) for one, other in checker.hand_offs(reversed(builder.holds))]
    assert pairs == [("c", "java"), ("java", "c")]


def test_the_servers_times_are_turned_by_the_nearest_reading():
    clock = checker.WallClock([(100.0, 5100.0), (200.0, 5210.0)])
    assert clock.monotonic(5090.0) == 90.0 and clock.monotonic(5300.0) == 290.0


def test_javas_clock_is_the_monotonic_clock(tmp_path):
    (tmp_path / "Clock.java").write_text(
        "class Clock { public static void main(String[] a) { System.out.println(System.nanoTime()); } }")
    before = time.monotonic_ns()
    said = int(subprocess.check_output(jars.java() + [str(tmp_path / "Clock.java")], timeout=100))
    assert before <= said <= time.monotonic_ns()
