# SPDX-License-Identifier: Apache-2.0
"""The picture of the fleet's run, from holds made up here."""
import pathlib
import re
import sys
from collections import Counter, namedtuple
from types import SimpleNamespace

FLEET = pathlib.Path(__file__).parents[2] / "examples" / "fleet"
MS = 1_000_000
Member = namedtuple("Member", "name, language")


def draw(*holds, locked=True):
    sys.path.insert(0, str(FLEET))
    try:
        from timeline import draw_timeline  # noqa: PLC0415
    finally:
        sys.path.remove(str(FLEET))
    members = [Member("C-1", "C"), Member("Java-1", "Java")]
    made = [SimpleNamespace(member=members[0], thread=1, waiting=acquired * MS, acquired=acquired * MS,
                            released=(acquired + 2) * MS, collided=collided) for acquired, collided in holds]
    record = SimpleNamespace(members=members, holds=made, violations=0, hand_offs=Counter())
    return draw_timeline(record, "a lock", locked)


def test_a_run_whose_middle_is_empty_shows_the_next_hold():
    assert "C-1 thread 1 held it for 2.0 ms" in draw((0, False), (1000, False), (9000, False), (10000, False))


def test_the_first_violation_is_shown():
    assert "from 0.90 s on" in draw((0, False), (1000, True), (5000, False), (10000, False))


def test_without_a_lock_the_picture_claims_no_holder():
    picture = draw((0, False), (1000, True), (5000, False), locked=False)
    assert "Without a lock: when C and Java processes used the resource" in picture
    assert "held" not in picture
    assert "hand-off" not in picture


def test_the_lines_of_the_moment_begin_below_the_picture_of_the_run_and_its_labels_are_above():
    picture = draw((0, False), (1000, False), (9000, False), (10000, False))
    lines = [(float(start), float(end)) for start, end in
             re.findall(r"M[\d.]+ ([\d.]+) L\d+ ([\d.]+)", re.search(r'<path d="([^"]*)"[^>]*dasharray', picture)[1])]
    labels = [float(y) for y in re.findall(r'<text x="[^"]*" y="([^"]*)"[^>]*>\d+ s</text>', picture)]
    assert len(lines) == 2
    assert labels
    for start, end in lines:
        assert start < end
        assert not [y for y in labels if start < y < end]
