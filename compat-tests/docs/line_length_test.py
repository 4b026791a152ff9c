# SPDX-License-Identifier: Apache-2.0
"""No line of code is longer than 120 columns, comments and the code of pages included."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = [".ci", "cmake", "compat-tests", "docs", "examples", "include", "lib", "tools"]
SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".py", ".java", ".cmake", ".in", ".md"}
NAMES = {"run", "CMakeLists.txt"}
LONGEST = 120
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def files(folder) -> list:
    found = ROOT.glob("*") if folder == "." else (ROOT / folder).rglob("*")
    return sorted(path for path in found if path.is_file() and (path.suffix in SUFFIXES or path.name in NAMES))


def long_lines(text, is_page=False) -> list:
    """The numbers of the lines that are too long; a page's prose and tables may be."""
    if is_page:
        fenced = {number for match in FENCED.finditer(text) for number in
                  range(text.count("\n", 0, match.start()), text.count("\n", 0, match.end()))}
    return [number + 1 for number, line in enumerate(text.splitlines())
            if len(line) > LONGEST and (not is_page or number in fenced or line.startswith("    "))]


@pytest.mark.parametrize("folder", [".", *FOLDERS])
def test_no_line_is_too_long(folder):
    checked = files(folder)
    assert checked
    assert not [f"{path.relative_to(ROOT)}:{number}" for path in checked
                for number in long_lines(path.read_text(encoding="utf-8"), path.suffix == ".md")]


def test_a_line_that_is_too_long_is_found():
    long = "x" * (LONGEST + 1)
    assert long_lines(f"short\n{long}\n{long[:-1]}\n") == [2]
    assert long_lines(f"{long}\n```c\n{long}\n```\n{long}\n    {long}\n", is_page=True) == [3, 6]
