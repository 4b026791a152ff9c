# SPDX-License-Identifier: Apache-2.0
"""Fills the tables of docs/performance.md, between the marks `<!-- NAME -->` and `<!-- /NAME -->`, from results."""
import os
import re

import charts
import report

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs")
MARKED = re.compile(r"<!-- (?P<name>\w+) -->\n.*?<!-- /(?P=name) -->", re.DOTALL)


def fill(results: dict):
    path = os.path.join(DOCS, "performance.md")
    with open(path, encoding="utf-8") as file:
        document = file.read()
    tables = report.tables(results)
    marks = {match["name"] for match in MARKED.finditer(document)}
    if marks != set(tables):
        raise ValueError(f"{path} has marks for {sorted(marks)}, the results have {sorted(tables)}")
    drawn = charts.draw(results["works"], os.path.join(DOCS, "charts"))

    def one(match) -> str:
        name = match["name"]
        picture = f"\n![{tables[name].title}](charts/{name}.svg)\n" if name in drawn else ""
        return f"<!-- {name} -->\n{tables[name].markdown()}\n{picture}<!-- /{name} -->"

    with open(path, "w", encoding="utf-8") as file:
        file.write(MARKED.sub(one, document))
