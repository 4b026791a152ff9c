# SPDX-License-Identifier: Apache-2.0
"""Words that this project does not use: a reader would have to learn them first, and there is a standard term."""
import pathlib
import re

import pytest

from docs.pages import ROOT, name_of, pages, prose

# Nowhere, neither in names nor in text.
METAPHORS = {
    r"undertaker|burial": "reaper",
    r"upkeep": "timer thread, timer",
    r"lookout": "predecessor watch",
    r"whereabouts": "create state",
    r"fell.silent": "unresponsive",
    r"log.slot": "zk_log",
}
# Not in sentences.
PHRASES = {
    r"sign of life|signs of life": "probe, answer of the leader",
    r"of ours|of yours": "our, your",
    r"is had|was had|can be had": "exists, was allocated",
    r"(?:is|are|was|were) told|told (?:of|by)": "reported, is notified, returns",
}
SENTENCES_IN = [page for page in pages() if page.parent in (ROOT, ROOT / "docs")]
SOURCES = ("lib", "include", "examples", "compat-tests", "tools")
KINDS = (".c", ".h", ".cpp", ".hpp", ".py", ".java", ".pml", ".md", ".txt")


def banned(text: str, words: dict) -> list:
    return [f"{found.group()}: {instead}" for word, instead in words.items()
            for found in re.finditer(rf"(?<![a-z])(?:{word})(?![a-z])", re.sub(r"\s+", " ", text), re.I)]


def without_reported_faults(text: str) -> str:
    """Without the rows that name tests."""
    return "\n".join(line for line in text.splitlines() if "_test.py::" not in line)


def sources() -> list:
    return [path for folder in SOURCES for path in (ROOT / folder).rglob("*")
            if path.suffix in KINDS and path != pathlib.Path(__file__)]


@pytest.mark.parametrize("page", SENTENCES_IN, ids=name_of)
def test_a_page_says_it_in_standard_words(page):
    text = prose(without_reported_faults(page.read_text(encoding="utf-8")))
    assert banned(text, {**METAPHORS, **PHRASES}) == []


def test_no_source_has_a_word_that_a_reader_would_have_to_learn():
    found = {name_of(path): banned(path.name + " " + path.read_text(encoding="utf-8"), METAPHORS)
             for path in sources()}
    assert {name: words for name, words in found.items() if words} == {}


def test_a_banned_word_is_found_with_its_standard_term():
    assert banned("undertaker_init(); It is\ntold twice.", {**METAPHORS, **PHRASES}) == [
        "undertaker: reaper", "is told: reported, is notified, returns"]
    assert banned("an outlookouter retold it", {**METAPHORS, **PHRASES}) == []
