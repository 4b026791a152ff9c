# SPDX-License-Identifier: Apache-2.0
"""Words that this project does not use, because a reader would have to learn them first: there is a standard term."""
import re

import pytest

from docs.pages import ROOT, name_of, pages, prose

INSTEAD = {
    r"undertaker|burial": "reaper",
    r"upkeep": "timer thread, timer",
    r"lookout": "predecessor watch",
    r"whereabouts": "create state",
    r"fell silent|falls silent": "unresponsive",
    r"sign of life|signs of life": "probe, answer of the leader",
    r"of ours|of yours": "our, your",
    r"is had|was had|can be had": "exists, was allocated",
    r"is told|are told|was told|told of|told by": "reported, is notified, returns",
}
FOLDERS = [ROOT, ROOT / "docs"]


def banned(text: str) -> list:
    return [f"{found.group()}: {instead}" for words, instead in INSTEAD.items()
            for found in re.finditer(rf"\b(?:{words})\b", re.sub(r"\s+", " ", text), re.I)]


def without_reported_faults(text: str) -> str:
    """The rows that say what users reported, and name tests."""
    return "\n".join(line for line in text.splitlines() if "_test.py::" not in line)


@pytest.mark.parametrize("page", [page for page in pages() if page.parent in FOLDERS], ids=name_of)
def test_no_word_that_a_reader_would_have_to_learn(page):
    assert banned(prose(without_reported_faults(page.read_text(encoding="utf-8")))) == []


def test_a_banned_word_is_found_with_its_standard_term():
    assert banned("The Undertaker is\ntold twice.") == ["Undertaker: reaper",
                                                        "is told: reported, is notified, returns"]
