# SPDX-License-Identifier: Apache-2.0
"""The C programs that the pages show compile without a warning."""
import subprocess

import pytest

from docs.pages import FENCED, ROOT, name_of, pages

PROGRAMS = [pytest.param(code, id=f"{name_of(page)}-{number}") for page in pages()
            for number, (language, code) in enumerate(FENCED.findall(page.read_text(encoding="utf-8")))
            if language == "c" and "#include" in code]


def test_there_are_programs():
    assert len(PROGRAMS) >= 5


@pytest.mark.parametrize("code", PROGRAMS)
def test_a_program_compiles(code):
    compiled = subprocess.run(
        ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{ROOT / 'include'}", "-x", "c", "-"],
        input=code, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
