# SPDX-License-Identifier: Apache-2.0
"""The C and C++ programs that the pages show compile without a warning."""
import subprocess

import pytest

from docs.pages import FENCED, ROOT, name_of, pages

PROGRAMS = [pytest.param(code, id=f"{name_of(page)}-{number}") for page in pages()
            for number, (language, code) in enumerate(FENCED.findall(page.read_text(encoding="utf-8")))
            if language == "c" and "#include" in code]


def test_there_are_programs():
    assert len(PROGRAMS) >= 5


CPP_PROGRAMS = [pytest.param(code, id=f"{name_of(page)}-{number}") for page in pages()
                for number, (language, code) in enumerate(FENCED.findall(page.read_text(encoding="utf-8")))
                if language == "cpp" and "#include" in code]


@pytest.mark.parametrize("code", PROGRAMS)
def test_a_program_compiles(code):
    compiled = subprocess.run(
        ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{ROOT / 'include'}", "-x", "c", "-"],
        input=code, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_the_program_of_the_readme_compiles_as_cplusplus_too(compiler):
    """In the oldest one that the headers support. {0} leaves members out, which -Wextra reports in C++ alone."""
    code = next(code for language, code in FENCED.findall((ROOT / "README.md").read_text(encoding="utf-8"))
                if language == "c")
    compiled = subprocess.run(
        [compiler, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-missing-field-initializers",
         "-fsyntax-only", f"-I{ROOT / 'include'}", "-x", "c++", "-"],
        input=code, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr


def test_there_are_cplusplus_programs():
    assert CPP_PROGRAMS


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("code", CPP_PROGRAMS)
def test_a_cplusplus_program_compiles(code, compiler):
    compiled = subprocess.run(
        [compiler, "-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Wpedantic", "-Werror", "-fsyntax-only",
         f"-I{ROOT / 'include'}", "-x", "c++", "-"], input=code, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
