# SPDX-License-Identifier: Apache-2.0
"""The log lines and messages that docs/operations.md explains are those of the library, and all its lines are there."""
import re

import pytest

from docs.pages import ROOT

LITERALS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
# And where one literal may be put into another.
VARIABLE = re.compile(r"0x\.\.\.|\.\.\.|\b(?:PATH|NODE|WHY|FUNCTION|N)\b|: |; ")


def sources() -> list:
    return [path.read_text(encoding="utf-8") for path in (ROOT / "lib").glob("*/*.c") if "_test" not in path.name]


def joined(literals: str) -> str:
    """The text of adjacent literals."""
    return re.sub(r'"\s*"', "", literals).strip('"').replace('\\"', '"')


def texts_of_lib() -> str:
    """All that the library can say: its literals, one a line."""
    return "\n".join(joined(literals) for source in sources() for literals in LITERALS.findall(source))


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


LOGGED = re.compile(rf'\b(?:framework_log|log_line)\([^;"]*?CURATOR_LOG_(\w+),\s*({LITERALS.pattern})')
CONVERSION = re.compile(r"0x%ll[xd]|%[\d.*]*(?:ll|l|z)?[a-z]")


def explains(line: str, form: str) -> bool:
    """Whether a line of the page is one of that format. What the page cuts off with "; ..." counts as equal."""
    if line.endswith("; ..."):
        line, form = line.removesuffix("; ..."), form.partition("; ")[0]
    return re.fullmatch(".+".join(map(re.escape, CONVERSION.split(form))), line) is not None


@pytest.mark.parametrize("level, form", [
    (level, joined(literals)) for source in sources() for level, literals in LOGGED.findall(source)])
def test_the_page_explains_it(level, form):
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    lines = re.findall(rf"^\| {level} \| `(.*?)` \|", page, re.M)
    assert [line for line in lines if explains(line, form)], lines


def test_a_line_that_the_page_does_not_explain_is_found():
    source = 'log_line(logger, CURATOR_LOG_WARN,\n"the sun has set "\n"at %s", here);\n'
    ((level, literals),) = LOGGED.findall(source)
    assert (level, joined(literals)) == ("WARN", "the sun has set at %s")
    assert explains("the sun has set at N", joined(literals))
    assert not explains("the sun has set", joined(literals))
    assert explains("lock PATH: no sun; ...", "lock %s: no sun; it is night") and not explains("...", "no sun")


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
    assert all(FAILURE.search((ROOT / "lib" / name).read_text(encoding="utf-8")) for name in WITHOUT_FUNCTION)
    assert [(name, form) for name, found in formats.items() for form in found if not FORM.match(form)] == []


def test_what_the_library_does_not_say_is_found():
    assert "the sun has set" not in texts_of_lib()
    assert pieces("lock PATH is lost: the session is over") == ["lock", "is lost", "the session is over"]
