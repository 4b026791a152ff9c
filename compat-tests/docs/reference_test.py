# SPDX-License-Identifier: Apache-2.0
"""The public headers are the reference: each says all that its functions promise. (CI has Doxygen check the rest.)"""
import pathlib
import re
import subprocess

import pytest

INCLUDE = pathlib.Path(__file__).parents[2] / "include"
HEADERS = {path.name: path.read_text(encoding="utf-8") for path in sorted((INCLUDE / "curator").glob("*.h"))}
FUNCTION = re.compile(r"(?:/\*\*((?:(?!\*/).)*)\*/\n)?^CURATOR_API ([^;{}]*?)(\w+)\(([^;]*)\);",
                      re.DOTALL | re.MULTILINE)
TYPE = re.compile(r"^typedef (?:enum|struct) \w+ \{\n(.*?)^\} \w+;", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"/\*\*.*?\*/", re.DOTALL)
EXAMPLE = re.compile(r"^ \* \\code\n(.*?)^ \* \\endcode", re.DOTALL | re.MULTILINE)


def enum_values(name) -> list:
    body = re.search(rf"^typedef enum {name} \{{\n(.*?)^\}}", "".join(HEADERS.values()), re.DOTALL | re.MULTILINE)
    return re.findall(r"^ +(CURATOR_\w+)", COMMENT.sub("", body.group(1)), re.MULTILINE)


def parameter_names(declared) -> list:
    """The names in a list of parameters; that of a pointer to a function stands in the middle."""
    flat = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", declared)
    return [] if flat == "void" else [re.search(r"(\w+)$", one.strip()).group() for one in flat.split(",")]


def problems_of_functions(text) -> list:
    """What the comments of a header's functions do not say, or say wrongly."""
    found = []
    for comment, returns, name, declared in FUNCTION.findall(text):
        parameters = re.findall(r"\\param (\w+)", comment)
        statuses = re.findall(r"\\retval (\w+)", comment)
        if parameters != parameter_names(declared):
            found.append(f"{name} has the parameters {parameter_names(declared)}, described are {parameters}")
        if returns.strip() == "curator_status":
            if "CURATOR_OK" not in statuses or len(statuses) < 2:
                found.append(f"{name} does not list its statuses")
        elif returns.strip() != "void" and "\\return " not in comment:
            found.append(f"{name} does not say what it returns")
        found += [f"{name} promises {status}, which is no status" for status in statuses
                  if status not in enum_values("curator_status")]
        found += [f"{name} promises {status} twice" for status in set(statuses) if statuses.count(status) > 1]
        found += [f"{name} has no \\{word}" for word in ("blocks", "threads", "ports") if f"\\{word} " not in comment]
    return found


def undocumented_members(text) -> list:
    """The members of structs and the values of enums that have no comment, neither in their line nor before it."""
    found = []
    for body in TYPE.findall(text):
        before = ""
        for line in COMMENT.sub("@", body).splitlines():
            if re.search(r"\w", line) and "@" not in line and before != "@":
                found.append(line.strip(" ,;"))
            before = line.strip()
    return found


@pytest.mark.parametrize("header", HEADERS)
def test_every_function_says_what_it_takes_and_answers(header):
    assert HEADERS[header].count("\nCURATOR_API ") == len(FUNCTION.findall(HEADERS[header]))
    assert not problems_of_functions(HEADERS[header])


@pytest.mark.parametrize("header", HEADERS)
def test_every_member_and_value_is_documented(header):
    assert not undocumented_members(HEADERS[header])


@pytest.mark.parametrize("header", HEADERS)
def test_every_name_in_a_comment_is_declared(header):
    everything = "".join(HEADERS.values())
    declared = set(re.findall(r"\bcurator_\w+|\bCURATOR_\w+", COMMENT.sub("", everything)))
    named = set(re.findall(r"\bcurator_\w+(?=\()|\bCURATOR_\w+", "".join(COMMENT.findall(HEADERS[header]))))
    assert not {name for name in named if name not in declared and name != "CURATOR_"}


def test_what_is_missing_is_named():
    planted = """/**
 * Does.
 *
 * \\param one the first
 * \\retval CURATOR_HAPPY no status
 * \\blocks no
 * \\threads any
 */
CURATOR_API curator_status curator_do(int one, void (*two)(int, int));

CURATOR_API int curator_count(void);

typedef enum curator_colour {
    CURATOR_RED, /**< Red. */
    CURATOR_BLUE
} curator_colour;
"""
    assert problems_of_functions(planted) == [
        "curator_do has the parameters ['one', 'two'], described are ['one']",
        "curator_do does not list its statuses",
        "curator_do promises CURATOR_HAPPY, which is no status",
        "curator_do has no \\ports",
        "curator_count does not say what it returns",
        "curator_count has no \\blocks",
        "curator_count has no \\threads",
        "curator_count has no \\ports",
    ]
    assert undocumented_members(planted) == ["CURATOR_BLUE"]


@pytest.mark.parametrize("header", [name for name, text in HEADERS.items() if EXAMPLE.search(text)])
def test_the_example_of_a_header_compiles(header, tmp_path):
    source = tmp_path / "example.c"
    lines = EXAMPLE.search(HEADERS[header]).group(1).splitlines()
    source.write_text("\n".join(line.removeprefix(" *").removeprefix(" ") for line in lines) + "\n")
    subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
                    "-fsyntax-only", f"-I{INCLUDE}", source], check=True)
