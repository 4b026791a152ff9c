# SPDX-License-Identifier: Apache-2.0
"""Fills the tables of docs/performance*.md, between the marks `<!-- NAME -->` and `<!-- /NAME -->`, from results."""
import pathlib
import re

import charts
import report

DOCS = pathlib.Path(__file__).parents[2] / "docs"
MARKED = re.compile(r"<!-- (?P<name>\w+) -->\n.*?<!-- /(?P=name) -->", re.DOTALL)


def fill(results: dict):
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("performance*.md"))}
    tables = report.tables(results)
    marks = {match["name"] for text in pages.values() for match in MARKED.finditer(text)}
    if marks != set(tables):
        raise ValueError(f"docs/performance*.md have marks for {sorted(marks)}, the results have {sorted(tables)}")
    drawn = charts.draw(results["works"], str(DOCS / "charts"))

    def one(match) -> str:
        name = match["name"]
        picture = f"\n![{tables[name].title}](charts/{name}.svg)\n" if name in drawn else ""
        return f"<!-- {name} -->\n{tables[name].markdown()}\n{picture}<!-- /{name} -->"

    for path, text in pages.items():
        path.write_text(MARKED.sub(one, text), encoding="utf-8")
