# SPDX-License-Identifier: Apache-2.0
"""Every guard of the grant, taken out of the library, is found by the schedules."""
import json
import os
import re
import shlex
import subprocess
from dataclasses import dataclass

import pytest

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("CURATOR_BUILD", os.path.join(ROOT, "build"))
SEEDS = 20000


@dataclass
class Cut:
    """A text that the file contains exactly once, and what comes in its place."""

    file: str
    text: str
    instead: str = ""


@dataclass
class Guard:
    """What has to be taken out together, where one thing covers for another."""

    name: str
    cuts: list


ACQUIRE = "lib/locks/acquire.c"
ATTEMPT = "lib/locks/attempt.c"
CHILDREN = "lib/locks/children.c"
NODE = "lib/locks/lock_node.c"
PREDECESSOR = "lib/locks/predecessor_watch.c"
WATCHES = "lib/locks/queue_watches.c"

# Pieces of is_our_turn() and count_down(), and of what events and answers do.
NOT_READ_WRITE = Cut(ACQUIRE, "return attempt->mutex->driver->append_only && attempt->before", "return attempt->before")
ALONE = Cut(ACQUIRE, "append_only && attempt->before == 1 &&", "append_only &&")
OTHER_SESSION = Cut(ACQUIRE, "attempt->predecessor.owner != attempt->session->id &&")
OWN_WATCH_SET = Cut(ACQUIRE, "attempt->node->watch_set && !attempt->look_again &&", "!attempt->look_again &&")
NOTHING_ABOUT_US = Cut(ACQUIRE, "attempt->node->watch_set && !attempt->look_again &&")
NO_LIST = Cut(ACQUIRE, "attempt->children == NULL && session_lease_fresh(attempt->session);",
              "session_lease_fresh(attempt->session);")
LEASE_FRESH = Cut(ACQUIRE, "attempt->children == NULL && session_lease_fresh(attempt->session);",
                  "attempt->children == NULL;")
LEASE_SECURE = Cut(ATTEMPT, "return session_lease_secure(session) && ", "return ")
COUNT_NO_LIST = Cut(ACQUIRE, "if (attempt->children == NULL && attempt->ahead.gone", "if (attempt->ahead.gone")
COUNT_TWO = Cut(ACQUIRE, "attempt->ahead.gone && attempt->before == 2 &&", "attempt->ahead.gone &&")
COUNT_OTHER_SESSION = Cut(ACQUIRE, "attempt->before == 2 &&\n        attempt->ahead.owner != attempt->session->id) {",
                          "attempt->before == 2) {")
UNBROKEN = [Cut(ACQUIRE, "if (event == SESSION_UNRESPONSIVE || event == SESSION_RESPONSIVE) {",
                "if (event != SESSION_DIED) {"),
            Cut(NODE, "if (event != SESSION_UNRESPONSIVE && event != SESSION_RESPONSIVE) {",
                "if (event == SESSION_DIED) {")]
BREAK_MAKES_DOUBTFUL = Cut(NODE, "        node->znode->doubtful = true;\n    }\n    node->owner->on_session",
                           "    }\n    node->owner->on_session")
LISTED_AFTER_RECONNECT = Cut(ACQUIRE,
                             "    if (event != SESSION_DISCONNECTED) {\n        attempt_look_again(attempt);\n    }")
OWN_EVENT_USES_WATCH_UP = Cut(NODE, "    node->watch_set = false;\n    if (event == WATCH_DELETED) {",
                              "    if (event == WATCH_DELETED) {")
OWN_EVENT_MAKES_LIST_OLD = Cut(ACQUIRE, "    attempt->own_node_touched = true;\n")
OWN_EVENT_LOOKS_AGAIN = Cut(ACQUIRE, "    attempt_look_again(attempt);\n}\n\nstatic void attempt_on_session",
                            "}\n\nstatic void attempt_on_session")
FIRST_BUT_TOUCHED = Cut(ACQUIRE, "if (!attempt->own_node_touched) {", "if (true) {")
NO_NODE_IS_GONE = Cut(PREDECESSOR, "    if (request->rc == ZNONODE && !watch->gone) {\n"
                      "        note_predecessor_gone(watch);\n    }")
CHANGED_LOOKS_AGAIN = Cut(ACQUIRE, "attempt->look_again = true; /* changed", "; /* changed")
LIST_WITH_SYNC = Cut(CHILDREN, "!refused && !session_lease_fresh(attempt->session)", "false")
DOUBTFUL_IS_LOOKED_AT = Cut(CHILDREN, "&& !lock_node_is_known(attempt->node) &&", "&& false &&")
LOOKED_AT_IS_OURS = Cut(CHILDREN, "return rc == ZOK && lock_node_is_gone(attempt->node) ? ZNONODE : rc;", "return rc;")
ANSWER_SHOWS_OURS = Cut(WATCHES, "    if (lock_node_is_gone(attempt->node)) {", "    if (false) {")
NAME_IS_LISTED = Cut(ACQUIRE, "    if (!position->found) {", "    if (false) {")
KNOWN_BY_CZXID = Cut("lib/framework/protected_node.c",
                     "answer->rc == ZNONODE || !is_of_session(node, stat) || (known && stat->czxid != node->czxid)",
                     "answer->rc == ZNONODE && known")

GUARDS = [
    Guard("a_read_write_lock_lists_again", [NOT_READ_WRITE]),
    Guard("alone", [ALONE]),
    Guard("predecessor_of_another_session", [OTHER_SESSION]),
    Guard("own_watch_set", [OWN_WATCH_SET]),
    Guard("nothing_happened_to_our_node", [NOTHING_ABOUT_US]),
    Guard("lease", [LEASE_FRESH, LEASE_SECURE]),
    Guard("lease_secure", [LEASE_SECURE]),
    Guard("no_list_on_its_way", [NO_LIST, COUNT_NO_LIST]),
    Guard("counted_down_from_two_only", [COUNT_TWO]),
    Guard("counted_down_if_of_another_session", [COUNT_OTHER_SESSION]),
    Guard("unbroken_connection", UNBROKEN),
    Guard("broken_connection_makes_doubtful", [BREAK_MAKES_DOUBTFUL]),
    Guard("listed_after_reconnect", [LISTED_AFTER_RECONNECT]),
    Guard("own_event_uses_watch_up", [OWN_EVENT_USES_WATCH_UP]),
    Guard("own_event_makes_list_old", [OWN_EVENT_MAKES_LIST_OLD]),
    Guard("own_event_looks_again", [OWN_EVENT_LOOKS_AGAIN]),
    Guard("first_but_touched_is_listed_again", [FIRST_BUT_TOUCHED]),
    Guard("no_node_is_gone", [NO_NODE_IS_GONE]),
    Guard("changed_predecessor_looks_again", [CHANGED_LOOKS_AGAIN]),
    Guard("list_with_sync", [LIST_WITH_SYNC, LEASE_SECURE]),
    Guard("doubtful_node_is_looked_at", [DOUBTFUL_IS_LOOKED_AT]),
    Guard("looked_at_node_is_ours", [LOOKED_AT_IS_OURS]),
    Guard("answer_to_watch_shows_ours", [ANSWER_SHOWS_OURS]),
    Guard("our_name_is_listed", [NAME_IS_LISTED]),
    Guard("node_is_known_by_czxid", [KNOWN_BY_CZXID]),
]


def relink(objects, output):
    """The command that links the test program, with other objects in place of its own."""
    commands = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "schedules_test"], check=True,
                              capture_output=True, text=True)
    command = commands.stdout.strip().splitlines()[-1]
    command = re.sub(r"-o \S*schedules_test\b", f"-o {shlex.quote(output)}", command)
    for original, changed in objects.items():
        assert f" {original} " in command, f"{original} is not linked"
        command = command.replace(f" {original} ", f" {shlex.quote(changed)} ")
    subprocess.run(command, shell=True, check=True, cwd=BUILD)


def compiled(file, source, folder):
    """The object in the build that it is in place of, and that of this source text."""
    path = os.path.join(ROOT, file)
    changed = os.path.join(folder, os.path.basename(path))
    with open(changed, "w", encoding="utf-8") as output:
        output.write(source)
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as commands:
        entry = next(entry for entry in json.load(commands) if os.path.realpath(entry["file"]) == path)
    command = [changed if os.path.realpath(word) == path else word for word in shlex.split(entry["command"])]
    original = command[command.index("-o") + 1]
    command[command.index("-o") + 1] = changed + ".o"
    subprocess.run([*command, "-w", "-O1"], check=True, cwd=entry["directory"])
    return original, changed + ".o"


def without(guard, folder):
    """The test program with a library that lacks the guard."""
    sources = {}
    for cut in guard.cuts:
        if cut.file not in sources:
            with open(os.path.join(ROOT, cut.file), encoding="utf-8") as file:
                sources[cut.file] = file.read()
        found = sources[cut.file].count(cut.text)
        assert found == 1, f"{guard.name}: {cut.file} contains this text {found} times: {cut.text}"
        sources[cut.file] = sources[cut.file].replace(cut.text, cut.instead)
    program = os.path.join(folder, "schedules_test")
    relink(dict(compiled(file, source, folder) for file, source in sources.items()), program)
    return program


# With a sanitizer schedules are slow: there it is enough that the tie itself works.
TRIED = GUARDS if os.environ.get("CURATOR_SLOW", "1") == "1" else GUARDS[:3]


@pytest.mark.parametrize("guard", TRIED, ids=lambda guard: guard.name)
def test_without_this_guard_a_schedule_fails(guard, tmp_path):
    program = without(guard, str(tmp_path))
    run = subprocess.run([program, "--timeout=1000"], capture_output=True, text=True, timeout=1000, check=False,
                         env={**os.environ, "CURATOR_SEEDS": str(SEEDS)})
    print(run.stderr)
    assert run.returncode != 0, "no schedule needs it"
    assert "Assertion Failed" in run.stderr, "it failed in another way"
