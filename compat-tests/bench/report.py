# SPDX-License-Identifier: Apache-2.0
"""The results as a text for people, with the limits that the library sets itself."""

TITLES = {"floor": "create + delete", "requests": "create with list + delete", "c": "this library",
          "java": "Java Curator"}


def table(heads: list, rows: list) -> list:
    """The first column to the left, numbers to the right."""
    rows = [heads] + rows
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    return ["  " + "  ".join(cell.rjust(width) if column else cell.ljust(width)
                             for column, (cell, width) in enumerate(zip(row, widths))) for row in rows]


def uncontended_text(result: dict) -> list:
    rows = []
    for name, values in result["medians"].items():
        to = {other: result["ratios"].get(f"{name}_to_{other}", {}).get("p50_us", {"median": 1.0})["median"]
              for other in ("floor", "java")}
        rows.append([TITLES[name], f"{values['cycles_per_second']:,.0f}", f"{values['p50_us']:.0f}",
                     f"{values['p99_us']:.0f}", f"{values['cpu_us_per_cycle']:.0f}",
                     f"{values['requests_per_cycle']:.2f}", f"{to['floor']:.2f}", f"{to['java']:.2f}"])
    heads = ["", "cycles/s", "p50 us", "p99 us", "CPU us", "requests", "x floor", "x Java"]
    return [f"Uncontended acquire and release, median of {result['rounds']} rounds of {result['cycles']:,} cycles "
            "(p99: of all; ratios: of p50 in the same round)"] + table(heads, rows)


def reentry_text(result: dict) -> list:
    rows = [[TITLES[name], f"{values['ns']:.0f}", f"{values['requests']:.2f}"]
            for name, values in result["medians"].items()]
    return [f"Acquiring a lock that is held, median of {result['rounds']} rounds of {result['times']:,}"] + table(
        ["", "ns", "requests"], rows)


def memory_text(result: dict) -> list:
    rows = [[TITLES[name], f"{values['mib']:.1f}"] for name, values in result["medians"].items()]
    return ["Resident memory of a process that holds one lock"] + table(["", "MiB"], rows)


def limits(results: dict) -> list:
    """What must hold: text, value, limit, quartiles where there are any."""
    cycle = results["uncontended"]
    to_floor = cycle["ratios"]["c_to_floor"]["p50_us"]
    rows = [
        ("cycle time, of create + delete", to_floor["median"], 1.1, to_floor["quartiles"]),
        ("requests per cycle", round(cycle["medians"]["c"]["requests_per_cycle"], 2),
         round(cycle["medians"]["java"]["requests_per_cycle"], 2), None),
        ("ns to acquire again", results["reentry"]["medians"]["c"]["ns"], 200, None),
        ("requests to acquire again", round(results["reentry"]["medians"]["c"]["requests"], 2), 0, None),
        ("MiB resident, holding a lock", results["resident_memory"]["medians"]["c"]["mib"], 8, None),
    ]
    return [{"what": what, "value": value, "limit": limit, "kept": value <= limit, "quartiles": quartiles}
            for what, value, limit, quartiles in rows]


def limits_text(rows: list) -> list:
    cells = []
    for row in rows:
        spread = "{:.2f} to {:.2f}".format(*row["quartiles"]) if row["quartiles"] else ""
        cells.append([row["what"], f"{row['value']:.2f}", f"{row['limit']:.2f}", spread,
                      "kept" if row["kept"] else "MISSED"])
    return ["This library's limits"] + table(["", "measured", "at most", "quartiles", ""], cells)


def text(results: dict) -> str:
    parts = [uncontended_text(results["uncontended"]), reentry_text(results["reentry"]),
             memory_text(results["resident_memory"]), limits_text(results["limits"])]
    return "\n\n".join("\n".join(part) for part in parts)
