# SPDX-License-Identifier: Apache-2.0
"""No line is longer than 120 columns but the rows of a page's tables, which cannot be wrapped."""
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = [".ci", "cmake", "compat-tests", "docs", "examples", "include", "lib", "tools"]
SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".py", ".java", ".cmake", ".in", ".md"}
NAMES = {"run", "CMakeLists.txt"}
LONGEST = 120


def files(folder) -> list:
    found = ROOT.glob("*") if folder == "." else (ROOT / folder).rglob("*")
    return sorted(path for path in found if path.is_file() and (path.suffix in SUFFIXES or path.name in NAMES))


def long_lines(text, is_page=False) -> list:
    """The numbers of the lines that are too long."""
    return [number + 1 for number, line in enumerate(text.splitlines())
            if len(line) > LONGEST and not (is_page and line.startswith("|"))]


@pytest.mark.parametrize("folder", [".", *FOLDERS])
def test_no_line_is_too_long(folder):
    checked = files(folder)
    assert checked
    assert not [f"{path.relative_to(ROOT)}:{number}" for path in checked
                for number in long_lines(path.read_text(encoding="utf-8"), path.suffix == ".md")]


def test_a_line_that_is_too_long_is_found():
    long = "x" * (LONGEST + 1)
    assert long_lines(f"short\n{long}\n{long[:-1]}\n") == [2]
    assert long_lines(f"{long}\n|{long}|\n    {long}\n", is_page=True) == [1, 3]
    assert long_lines(f"|{long}|\n") == [1]
