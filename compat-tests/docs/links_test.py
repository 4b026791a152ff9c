# SPDX-License-Identifier: Apache-2.0
"""Every link of a page to a file or heading of this project leads somewhere."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("compat-tests/**/*.md")])
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def headings(page) -> set:
    """The anchors that GitHub makes of a page's headings."""
    lines = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def broken_links(page, text) -> list:
    found = []
    for path, anchor in LINK.findall(FENCED.sub("", text)):
        target = (page.parent / path) if path else page
        if not target.exists() or (anchor and anchor not in headings(target)):
            found.append(f"{path}{'#' if anchor else ''}{anchor}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_every_link_leads_somewhere(page):
    assert not broken_links(page, page.read_text(encoding="utf-8"))


def test_a_broken_link_is_named():
    text = "[a](README.md) [b](no.md) [c](README.md#no) [d](#two-commands) [e](https://curator.apache.org/no.md)"
    assert broken_links(ROOT / "README.md", text) == ["no.md", "README.md#no"]
