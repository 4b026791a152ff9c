# SPDX-License-Identifier: Apache-2.0
"""The table of what users have met names tests; they exist, and say themselves where what they test was met."""
import os
import re

import pytest

from support.programs import ROOT

PAGE = os.path.join(ROOT, "docs", "reliability.md")
SECTION = "## What users of such locks have met"
TEST = re.compile(r"`([\w/]+\.(?:py|c))::(\w+)`")
SOURCE = re.compile(r"[\w./-]+#\d+|[A-Z]+-\d+|zoo_lock\.c")


def section() -> str:
    with open(PAGE, encoding="utf-8") as file:
        return file.read().split(SECTION + "\n", 1)[1].split("\n## ", 1)[0]


def rows() -> list:
    """(what happens, where it was reported, what this library does) for each fault."""
    lines = [line.strip("|").split("|") for line in section().splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in cells) for cells in lines
            if cells[0].strip() not in ("what happens", "what is missed") and set(cells[0]) != {"-"}]


def text_of(path, name) -> str:
    """The source text of one test, with the comment that belongs to it; None if there is no such test."""
    full = os.path.join(ROOT, path) if path.startswith("lib/") else os.path.join(ROOT, "compat-tests", path)
    if not os.path.exists(full):
        return None
    with open(full, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".py"):
        found = re.search(rf"^def {name}\(.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    else:
        found = re.search(rf"(?:^/\*(?:(?!\*/).)*\*/\n)?^Test\(\w+, {name}\b", text, re.MULTILINE | re.DOTALL)
    return found.group() if found else None


def test_every_row_has_a_source_and_a_test_or_a_reason():
    assert len(rows()) == 60
    for what, met_by, here in rows():
        assert SOURCE.search(met_by), what
        assert TEST.search(here) or here.startswith("Cannot happen:"), what


@pytest.mark.parametrize("met_by, path, name", [
    pytest.param(met_by, path, name, id=f"{path} {name}")
    for _, met_by, here in rows() for path, name in TEST.findall(here)
])
def test_every_test_named_exists_and_names_its_source(met_by, path, name):
    text = text_of(path, name)
    assert text is not None, f"there is no {path}::{name}"
    sources = SOURCE.findall(met_by)
    assert any(source in text for source in sources), f"{path}::{name} mentions none of {sources}"
