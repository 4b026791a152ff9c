# SPDX-License-Identifier: Apache-2.0
"""The layers of lib: an include goes down only."""
import pathlib
import re

LIB = pathlib.Path(__file__).parents[2] / "lib"
LAYERS = ["base", "zk", "client", "framework", "locks"]  # the lowest first
INCLUDE = re.compile(r'^#include "(\w+)/', re.M)


def arrows_upward(texts: dict) -> list:
    """What files of a layer (layer/file -> text) include of a higher one."""
    return [f"lib/{name} includes {found}/" for name, text in sorted(texts.items()) for found in INCLUDE.findall(text)
            if LAYERS.index(found) > LAYERS.index(name.split("/")[0])]


def test_no_file_of_lib_includes_a_higher_layer():
    texts = {str(path.relative_to(LIB)): path.read_text() for path in LIB.glob("*/*.[ch]")}
    assert {name.split("/")[0] for name in texts} == set(LAYERS)
    assert not arrows_upward(texts)


def test_an_arrow_that_points_upward_is_named():
    planted = {"base/clock.c": '#include "base/clock.h"\n#include "client/client.h"\n',
               "locks/mutex.c": '#include "base/log.h"\n'}
    assert arrows_upward(planted) == ["lib/base/clock.c includes client/"]
