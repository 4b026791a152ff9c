# SPDX-License-Identifier: Apache-2.0
"""The pages that people write, and what the tests of all of them need."""
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def pages() -> list:
    """README and its neighbours, docs/, and the README of the tests."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "compat-tests").glob("*.md")])


def name_of(page: pathlib.Path) -> str:
    return str(page.relative_to(ROOT))


def prose(text: str) -> str:
    """Without fenced and inline code."""
    return re.sub(r"`[^`\n]*`", "", FENCED.sub("", text))
