# SPDX-License-Identifier: Apache-2.0
"""The results as pictures: SVG, drawn by gnuplot."""
import os
import shutil
import subprocess
import textwrap

from titles import short_title, title

COLOURS = {"floor": "#999999", "requests": "#bbbbbb", "one_flight": "#dddddd", "c": "#1b6ca8", "pending": "#6aa9d8",
           "java": "#d1495b", "kazoo": "#edae49", "mixed": "#7b5ea7"}
HEAD = """set terminal svg size 720,440 font "sans-serif,13" background "#ffffff"
set output "{file}"
set title "{title}"
set grid y lc rgb "#dddddd"
set border 3
set tics nomirror
set key at screen 0.5,0.01 center bottom vertical maxrows 2 Left reverse samplen 2 width -4
set bmargin 6
set xlabel "{x}"
set ylabel "{y}"
"""


def plot(file: str, heading: str, x: str, y: str, settings: str, series: list):
    """A series: title, style for gnuplot, points [(x, y), ...]."""
    script = HEAD.format(file=file, title=heading, x=x, y=y) + settings + "\n"
    for number, (_, _, points) in enumerate(series):
        script += f"$d{number} << EOD\n" + "".join(f"{a} {b:.6g}\n" for a, b in points) + "EOD\n"
    script += "plot " + ", ".join(f'$d{number} {style} title "{name}"'
                                  for number, (name, style, _) in enumerate(series)) + "\n"
    subprocess.run(["gnuplot"], input=script.encode(), check=True)


def line(name: str, dashed: bool = False) -> str:
    mark = "pt 6 dt 2" if dashed else "pt 7"
    return f'using 1:2 with linespoints lw 2 ps 0.6 {mark} lc rgb "{COLOURS[name]}"'


def curve(by_x: dict, name: str, key: str) -> list:
    return [(x, one["medians"][name][key]) for x, one in by_x.items() if name in one["medians"]]


def bars(file: str, heading: str, y: str, values: dict, work: str):
    """values: contender -> number. One bar each, in the colour of its contender."""
    labels = ["\\n".join(textwrap.wrap(title(name, work), 14)) for name in values]
    names = ", ".join(f'"{label}" {number}' for number, label in enumerate(labels))
    series = [("", f'using 1:2 with boxes fs solid lc rgb "{COLOURS[name]}"', [(number, value)])
              for number, (name, value) in enumerate(values.items())]
    plot(file, heading, "", y, "set nokey\nset bmargin 5\n" +
         f"set boxwidth 0.6\nset yrange [0:*]\nset xrange [-0.6:{len(values) - 0.4}]\n"
         f"set xtics ({names}) scale 0 noenhanced", series)


def draw_uncontended(work: dict, file: str):
    bars(file, "Uncontended acquire and release", "cycles per second",
         {name: values["cycles_per_second"] for name, values in work["medians"].items()}, "uncontended")


def draw_handoff(work: dict, file: str):
    series = [(f"{short_title(name, 'handoff')}, {label}", line(name, dashed),
               curve(work["sizes"], name, key))
              for name in ("floor", "c", "java", "kazoo")
              for key, label, dashed in (("p50_us", "p50", False), ("p99_us", "p99", True))]
    plot(file, "From release called to the next acquire returned", "contenders", "microseconds",
         "set logscale xy\nset xrange [1.6:1250]\nset xtics (2, 20, 100, 1000)", [one for one in series if one[2]])


def draw_throughput(work: dict, file: str):
    plot(file, "Hand-offs without pause", "contenders", "hand-offs per second",
         "set logscale x\nset xrange [1.7:118]\nset xtics (2, 20, 100)\nset yrange [0:*]",
         [(short_title(name, "throughput"), line(name), curve(work["sizes"], name, "per_second"))
          for name in ("floor", "c", "java", "mixed")])


def draw_threads(work: dict, file: str):
    plot(file, "N threads of one session on N locks", "threads", "cycles per second",
         "set logscale x 2\nset xrange [0.85:75]\nset xtics (1, 8, 64)\nset yrange [0:*]",
         [(short_title(name, "threads"), line(name), curve(work["sizes"], name, "per_second"))
          for name in ("floor", "c", "java", "kazoo")])


def draw_distance(work: dict, file: str):
    trips = {f"{one['round_trip_us'] / 1000:.2f}": one for one in work["delays"].values()}
    milliseconds = {x: {"medians": {name: {"ms": one["medians"][name]["handoff_us"] / 1000}
                                    for name in ("c", "java")}} for x, one in trips.items()}
    plot(file, "Hand-off between two, by distance to the server", "round trip in ms", "hand-off in ms",
         "set yrange [0:*]", [(title(name), line(name), curve(milliseconds, name, "ms")) for name in ("c", "java")])


DRAWINGS = {"uncontended": draw_uncontended, "handoff": draw_handoff, "throughput": draw_throughput,
            "threads": draw_threads, "distance": draw_distance}


def draw(works: dict, folder: str) -> list:
    """One picture for each work that has one; gives their names."""
    if shutil.which("gnuplot") is None:
        raise FileNotFoundError("missing gnuplot: apt-get install gnuplot-nox")
    os.makedirs(folder, exist_ok=True)
    drawn = [name for name in DRAWINGS if name in works]
    for name in drawn:
        DRAWINGS[name](works[name], os.path.join(folder, name + ".svg"))
    return drawn
