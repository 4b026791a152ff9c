# SPDX-License-Identifier: Apache-2.0
"""The layers of lib: a file uses only what is of its own layer or of a lower one, and never in a circle."""
import collections
import pathlib
import re
import subprocess

from support.programs import BUILD

LIB = pathlib.Path(__file__).parents[2] / "lib"
OBJECTS = pathlib.Path(BUILD) / "lib" / "CMakeFiles" / "curator_objects.dir"
LAYERS = ["base", "zk", "client", "framework", "locks"]  # the lowest first

INCLUDE = re.compile(r'^#include "(\w+)/(\w+)\.h"', re.M)
STRUCT_DEFINED = re.compile(r"^struct (\w+) \{", re.M)
STRUCT_NAMED = re.compile(r"\bstruct (\w+)\b")
STATIC = re.compile(r"^static [^;={}]*?\b(\w+)\([^;{}]*\)\n\{", re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)

# One thing in the file `user` (layer/name, without ending) that is of the file `used`.
Use = collections.namedtuple("Use", "user used what")


def sources() -> dict:
    """layer/file -> text, of all but the unit tests."""
    return {str(path.relative_to(LIB)): path.read_text() for path in sorted(LIB.glob("*/*.[ch]"))
            if not path.stem.endswith("_test")}


def unit(name: str) -> str:
    """x.c and x.h are one."""
    return name.split(".", maxsplit=1)[0]


def layer(name: str) -> int:
    return LAYERS.index(name.split("/", maxsplit=1)[0])


def includes(texts: dict) -> list:
    return [Use(unit(name), f"{folder}/{file}", "an include") for name, text in texts.items()
            for folder, file in INCLUDE.findall(text) if f"{folder}/{file}" != unit(name)]


def symbols(tables: dict) -> list:
    """Of what nm prints of each object (layer/file -> text)."""
    lines = {name: [line.split()[-2:] for line in table.splitlines()] for name, table in tables.items()}
    home = {symbol: unit(name) for name, pairs in lines.items() for kind, symbol in pairs if kind in "TDBRVWC"}
    return [Use(unit(name), home[symbol], symbol) for name, pairs in lines.items() for kind, symbol in pairs
            if kind == "U" and home.get(symbol, unit(name)) != unit(name)]


def structs(texts: dict) -> list:
    code = {name: COMMENT.sub("", text) for name, text in texts.items()}
    home = {struct: unit(name) for name, text in code.items() for struct in STRUCT_DEFINED.findall(text)}
    return [Use(unit(name), home[struct], f"struct {struct}") for name, text in code.items()
            for struct in sorted(set(STRUCT_NAMED.findall(text))) if home.get(struct, unit(name)) != unit(name)]


def object_tables() -> dict:
    return {name: subprocess.run(["nm", OBJECTS / f"{name}.o"], check=True, capture_output=True, text=True).stdout
            for name in sources() if name.endswith(".c")}


def arrows_upward(uses: list) -> list:
    return [f"lib/{use.user} uses lib/{use.used}: {use.what}" for use in uses if layer(use.used) > layer(use.user)]


def circle(uses: list) -> str:
    """One circle of files, or nothing."""
    used = collections.defaultdict(set)
    for use in uses:
        used[use.user].add(use.used)
    done = set()

    def walk(way: list) -> list:
        for file in sorted(used[way[-1]] - done):
            found = way[way.index(file):] + [file] if file in way else walk(way + [file])
            if found:
                return found
        done.add(way[-1])
        return []

    for file in sorted(used):
        found = walk([file]) if file not in done else []
        if found:
            return " -> ".join(found)
    return ""


def statics_of_one_name(texts: dict) -> list:
    files = collections.defaultdict(list)
    for name, text in texts.items():
        for function in sorted(set(STATIC.findall(text))):
            files[function].append(name)
    return [f"{function}() is in {' and '.join(names)}" for function, names in sorted(files.items()) if len(names) > 1]


def test_no_file_of_lib_includes_a_higher_layer():
    assert {name.split("/")[0] for name in sources()} == set(LAYERS)
    assert not arrows_upward(includes(sources()))


def test_no_object_of_lib_needs_a_symbol_of_a_higher_layer():
    uses = symbols(object_tables())
    assert len(uses) > len(sources())
    assert not arrows_upward(uses)


def test_no_file_of_lib_names_a_struct_of_a_higher_layer():
    assert not arrows_upward(structs(sources()))


def test_there_is_no_circle_of_files():
    uses = includes(sources()) + symbols(object_tables())
    assert not circle([use for use in uses if ([use.user])])


def test_no_two_files_have_a_static_function_of_the_same_name():
    doubled = statics_of_one_name(sources())
    assert not [line for line in doubled if len(re.findall(r"\w+/\w+\.[ch]", line)) > 1]


# Each of the checks above finds what breaks its rule.


def test_an_include_that_points_upward_is_named():
    planted = {"base/clock.c": '#include "base/clock.h"\n#include "client/client.h"\n',
               "locks/mutex.c": '#include "base/log.h"\n'}
    assert arrows_upward(includes(planted)) == ["lib/base/clock uses lib/client/client: an include"]


def test_a_call_that_points_upward_is_named():
    planted = {"zk/session.c": "                 U call_wake\n"
                                  "                 U free\n0000000000000040 T session_die\n",
               "client/call.c": "0000000000000000 T call_wake\n                 U session_die\n"}
    assert arrows_upward(symbols(planted)) == ["lib/zk/session uses lib/client/call: call_wake"]


def test_a_struct_that_points_upward_is_named():
    planted = {"zk/session.h": "/* no struct call */\nstruct client;\n"
                                  "struct session {\n    struct client *client;\n};\n",
               "client/client.h": "struct client {\n    struct session *session;\n};\nstruct call {\n    int n;\n};\n"}
    assert arrows_upward(structs(planted)) == ["lib/zk/session uses lib/client/client: struct client"]


def test_a_circle_is_named_by_its_files():
    planted = {"zk/a.c": '#include "zk/b.h"\n', "zk/b.h": '#include "zk/c.h"\n', "zk/d.c": '#include "zk/a.h"\n'}
    assert not circle(includes(planted))
    called = symbols({"zk/c.c": "                 U a\n", "zk/a.c": "0000000000000000 T a\n"})
    assert circle(includes(planted) + called) == "zk/a -> zk/b -> zk/c -> zk/a"


def test_statics_of_one_name_are_named():
    planted = {"zk/a.c": "static void on_timer(struct timer *timer,\n                    int x)\n{\n}\nstatic int n;\n",
               "zk/b.c": "static void on_timer(void);\n", "zk/c.c": "static bool on_timer(void)\n{\n}\n"}
    assert statics_of_one_name(planted) == ["on_timer() is in zk/a.c and zk/c.c"]
