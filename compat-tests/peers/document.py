# SPDX-License-Identifier: Apache-2.0
"""
Fills the tables of docs/compatibility.md, between the marks `<!-- NAME -->` and `<!-- /NAME -->`. A line is a row of
the matrix; the lines of rows that were not run stay as they are.
"""
import pathlib
import re

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "compatibility.md"
HEAD = ("| row | ran with | verdict | what to know | tests | time | date |", "|---|---|---|---|--:|--:|---|")
NAME = re.compile(r"^\| `([^`]+)` \|")


def verdict(result) -> str:
    if result.is_green:
        return result.row.verdict
    return f"**red**: {result.row.red}" if result.row.red else "**RED**: " + ", ".join(result.failures)


def line(result) -> str:
    cells = (f"`{result.row.name}`", result.row.versions(), verdict(result), result.row.remarks(result.properties),
             f"{result.passed} of {result.passed + len(result.failures)}", f"{result.seconds:.0f} s", result.date)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def filled(text: str, table: str, order: list, results: list) -> str:
    """The page's text with the lines of these results in one table; `order` are the names of all rows that it has."""
    mark = re.compile(rf"(<!-- {table} -->\n)(.*?)(<!-- /{table} -->)", re.DOTALL)
    found = mark.search(text)
    if found is None:
        raise ValueError(f"{PAGE.name} has no marks for {table}")
    lines = {match[1]: old for old in found[2].splitlines() if (match := NAME.match(old))}
    lines.update((result.row.name, line(result)) for result in results)
    body = "\n".join([*HEAD, *(lines[name] for name in order if name in lines)]) + "\n"
    return text[:found.start()] + found[1] + body + found[3] + text[found.end():]


def fill(rows: list, results: list):
    text = PAGE.read_text(encoding="utf-8")
    for table in sorted({result.row.table for result in results}):
        text = filled(text, table, [row.name for row in rows if row.table == table],
                      [result for result in results if result.row.table == table])
    PAGE.write_text(text, encoding="utf-8")
