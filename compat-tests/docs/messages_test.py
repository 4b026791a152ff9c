# SPDX-License-Identifier: Apache-2.0
"""The log lines and messages that docs/operations.md explains are those of the library."""
import re

import pytest

from docs.pages import ROOT

LITERALS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
VARIABLE = re.compile(r"0x\.\.\.|\.\.\.|\b(?:PATH|NODE|WHY|FUNCTION|N)\b|: |; ")  # where one literal may be in another


def texts_of_lib() -> str:
    """All that the library can say: its literals, adjacent ones joined, one a line."""
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "lib").glob("*/*.c") if "_test" not in path.name)
    return "\n".join(re.sub(r'"\s*"', "", literals).strip('"').replace('\\"', '"')
                     for source in sources for literals in LITERALS.findall(source))


def explained() -> list:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| (?:WARN|ERROR|INFO|DEBUG) \| `(.*?)` \|", page, re.M)
    return lines + re.findall(r'^\| `CURATOR_\w+` "(.*?)" \|', page, re.M)


def pieces(line: str) -> list:
    return [piece.strip() for piece in VARIABLE.split(line) if len(piece.strip()) > 2]


def test_lines_are_explained():
    assert len(explained()) > 10


@pytest.mark.parametrize("line", explained())
def test_the_library_says_it(line):
    texts = texts_of_lib()
    assert [piece for piece in pieces(line) if piece not in texts] == []


FAILURE = re.compile(r'\bfail\((?!_)[^";]*?,\s*"((?:[^"\\]|\\.)*)"')
FORM = re.compile(r"(%s|curator_[a-z_]+)( %s| %\.\d+s|%s%\.\d+s)?: ")
# They check what they are given without knowing for which function: it is put in front by its caller, with fail_in().
WITHOUT_FUNCTION = {"base/path.c", "client/connect_string.c", "client/retry_policy.c", "framework/framework_options.c",
                    "framework/namespace.c"}


def test_every_sentence_begins_with_the_function_called():
    formats = {}
    for path in (ROOT / "lib").glob("*/*.c"):
        name = str(path.relative_to(ROOT / "lib"))
        if "_test" not in path.name and name not in WITHOUT_FUNCTION | {"base/error.c"}:
            formats[name] = FAILURE.findall(path.read_text(encoding="utf-8"))
    assert sum(map(len, formats.values())) > 40
    assert [(name, form) for name, found in formats.items() for form in found if not FORM.match(form)] == []


def test_what_the_library_does_not_say_is_found():
    assert "the sun has set" not in texts_of_lib()
    assert pieces("lock PATH is lost: the session is over") == ["lock", "is lost", "the session is over"]
