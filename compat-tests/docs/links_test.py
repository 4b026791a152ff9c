# SPDX-License-Identifier: Apache-2.0
"""Every link of a page leads to a file, and to a heading of it; every file that a page names exists."""
import re

import pytest

from docs.pages import FENCED, ROOT, name_of, pages

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)


def anchors(text: str) -> set:
    """As GitHub and GitLab make them of the headings."""
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)|`", r"\1", heading) for heading in HEADING.findall(FENCED.sub("", text)))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


def broken_links(page) -> list:
    text = page.read_text(encoding="utf-8")
    found = []
    for link in LINK.findall(FENCED.sub("", text)):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            found.append(link)
    return found


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_link_leads_somewhere(page):
    assert broken_links(page) == []


def test_a_broken_link_is_found(tmp_path):
    (tmp_path / "other.md").write_text("# A `short` heading, with [a link](x)\n")
    page = tmp_path / "page.md"
    page.write_text("# Here\n[a](#here) [b](#there) [c](other.md#a-short-heading-with-a-link) [d](other.md#x)\n"
                    "[e](no.md)\n"
                    "```c\n[f](nowhere.md)\n```\n")
    assert broken_links(page) == ["#there", "other.md#x", "no.md"]


def test_every_page_of_docs_can_be_reached_from_the_readme():
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        reached.add(page)
        links = (link.partition("#")[0] for link in LINK.findall(page.read_text(encoding="utf-8")))
        targets = {(page.parent / link).resolve() for link in links if link.endswith(".md") and "://" not in link}
        todo.extend(target for target in targets - reached if target.exists())
    assert not [name_of(page) for page in (ROOT / "docs").glob("*.md") if page not in reached]


ZOOKEEPERS_OWN = {"zoo_lock.c"}
FILE = re.compile(r"(?<!`)`((?:lib|include|examples|compat-tests|tools)/[\w./-]+|[\w-]+\.(?:c|h|py|pml))`")


def missing_files(text: str) -> list:
    """Of the files that a page names, by a path or by the last part of one."""
    names = (name for name in FILE.findall(FENCED.sub("", text)) if name not in ZOOKEEPERS_OWN)
    return [name for name in names if not ((ROOT / name).exists() if "/" in name else files_called(name))]


def files_called(name: str) -> list:
    folders = ("lib", "include", "examples", "compat-tests", "tools")
    return [path for folder in folders for path in (ROOT / folder).rglob(name)]


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_file_that_a_page_names_exists(page):
    assert missing_files(page.read_text(encoding="utf-8")) == []


def test_a_missing_file_is_found():
    assert missing_files("`lib/base/clock.h` `lib/base/sundial.h` `README.md` `clock.c` `sundial.c`") == [
        "lib/base/sundial.h", "sundial.c"]
