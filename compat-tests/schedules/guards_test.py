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
SEEDS = 40000


@dataclass
class Guard:
    """What is taken out: this text of this file, which has to be in it exactly once."""

    name: str
    file: str
    text: str
    instead: str


QUEUE = "lib/locks/queue.c"
ATTEMPT = "lib/locks/attempt.c"
PREDECESSOR = "lib/locks/predecessor_watch.c"

GUARDS = [
    # Granted by the watch alone.
    Guard("not_a_read_write_lock", QUEUE, "return attempt->mutex->driver->append_only && attempt->before", "return attempt->before"),
    Guard("alone", QUEUE, "append_only && attempt->before == 1 &&", "append_only &&"),
    Guard("predecessor_of_another_session", QUEUE, "attempt->predecessor.owner != attempt->session->id &&", ""),
    Guard("own_watch_set", QUEUE, "attempt->own_watch_set && !attempt->look_again &&", "!attempt->look_again &&"),
    Guard("nothing_else_happened", QUEUE, "attempt->own_watch_set && !attempt->look_again &&", "attempt->own_watch_set &&"),
    Guard("no_list_on_its_way", QUEUE, "attempt->children == NULL && session_lease_fresh(attempt->session);", "session_lease_fresh(attempt->session);"),
    Guard("lease_fresh", QUEUE, "attempt->children == NULL && session_lease_fresh(attempt->session);", "attempt->children == NULL;"),
    # Counted down.
    Guard("count_down_no_list_on_its_way", QUEUE, "if (attempt->children == NULL && attempt->ahead.gone", "if (attempt->ahead.gone"),
    Guard("count_down_only_two", QUEUE, "attempt->ahead.gone && attempt->before == 2 &&", "attempt->ahead.gone &&"),
    Guard("count_down_of_another_session", QUEUE, "attempt->before == 2 &&\n        attempt->ahead.owner != attempt->session->id) {", "attempt->before == 2) {"),
    # An unbroken connection.
    Guard("disconnect_ends_own_watch", QUEUE, "    attempt->own_watch_set = false;\n    attempt->node->doubtful = true;\n    attempt->predecessor.set", "    attempt->node->doubtful = true;\n    attempt->predecessor.set"),
    Guard("disconnect_makes_own_node_doubtful", QUEUE, "    attempt->node->doubtful = true;\n    attempt->predecessor.set", "    attempt->predecessor.set"),
    Guard("disconnect_forgets_predecessor", QUEUE, "    attempt->predecessor.set = attempt->predecessor.gone = false;", ""),
    Guard("disconnect_forgets_ahead", QUEUE, "    attempt->ahead.set = attempt->ahead.gone = false;", ""),
    Guard("reconnect_looks_again", QUEUE, "    if (event != SESSION_DISCONNECTED) {\n        look_again(attempt);\n    }", ""),
    # Our own node.
    Guard("own_event_uses_watch_up", QUEUE, "    attempt->own_watch_set = false;\n    attempt->own_node_touched = true;", "    attempt->own_node_touched = true;"),
    Guard("own_event_makes_list_old", QUEUE, "    attempt->own_node_touched = true;\n", ""),
    Guard("own_deletion_is_known", QUEUE, "        protected_node_vanished(attempt->node);", "        ;"),
    Guard("own_change_makes_doubtful", QUEUE, "        attempt->node->doubtful = true; /* what happens", "        ; /* what happens"),
    Guard("own_event_looks_again", QUEUE, "    look_again(attempt);\n}\n\nvoid queue_leave", "}\n\nvoid queue_leave"),
    Guard("first_but_touched_is_listed_again", QUEUE, "if (!attempt->own_node_touched) {", "if (true) {"),
    Guard("own_answer_shows_ours", QUEUE, "        if (!protected_node_stands(attempt->node, own)) {", "        if (false) {"),
    Guard("own_watch_is_set_by_the_answer", QUEUE, "attempt->own_watch_set = attempt->own_watch_set && own->rc == ZOK;", ""),
    # Those before us.
    Guard("list_says_who_is_there", QUEUE, "    attempt->predecessor.gone = attempt->ahead.gone = false;", ""),
    Guard("lost_answer_looks_again", QUEUE, "        attempt->look_again = true;\n        return attempt_reconnect", "        return attempt_reconnect"),
    Guard("changed_predecessor_looks_again", PREDECESSOR, "predecessor_watch->attempt->look_again = true;", ";"),
    Guard("no_node_is_gone", PREDECESSOR, "    if (request->rc == ZNONODE && !predecessor_watch->gone) {\n        note_gone(predecessor_watch);\n    }", ""),
    Guard("event_uses_watch_up", PREDECESSOR, "    predecessor_watch->set = false;\n    if (event", "    if (event"),
    # The list.
    Guard("list_is_new_when_it_is_sent", ATTEMPT, "    attempt->own_node_touched = false;\n", ""),
    Guard("list_with_sync_if_not_fresh", ATTEMPT, "!refused && !session_lease_fresh(attempt->session)", "false"),
    Guard("list_counts_only_with_its_sync", ATTEMPT, "if (rc == ZOK && sync != NULL && result_code_outcome_unknown(sync->rc)) {", "if (false) {"),
    Guard("doubtful_node_is_looked_at", ATTEMPT, "&& doubtful && !attempt->own_watch_set", "&& false"),
    Guard("looked_at_node_is_ours", ATTEMPT, "    if (!protected_node_stands(attempt->node, own)) {\n        return ZNONODE;\n    }", ""),
    Guard("absent_node_is_not_listed", ATTEMPT, "if (attempt->node->create_state == NODE_ABSENT) {", "if (false) {"),
    Guard("own_name_is_listed", QUEUE, "    if (!position->found) {", "    if (false) {"),
    Guard("lease_secure", "lib/locks/lock_internals.c", "|| session_lease_secure(attempt->session)) {", "|| true) {"),
    Guard("node_is_known_by_czxid", "lib/framework/protected_node.c", "(known && stat->czxid != node->czxid)", "(known && false)"),
]


def relink(objects, output):
    """The command that links the test program, with other objects in place of its own."""
    commands = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "schedules_test"], check=True, capture_output=True, text=True)
    command = commands.stdout.strip().splitlines()[-1]
    command = re.sub(r"-o \S*schedules_test\b", f"-o {shlex.quote(output)}", command)
    for original, changed in objects.items():
        assert f" {original} " in command, f"{original} is not linked"
        command = command.replace(f" {original} ", f" {shlex.quote(changed)} ")
    subprocess.run(command, shell=True, check=True, cwd=BUILD)


def without(guard, folder):
    """The test program with a library that lacks the guard."""
    path = os.path.join(ROOT, guard.file)
    with open(path, encoding="utf-8") as file:
        source = file.read()
    assert source.count(guard.text) == 1, f"{guard.name}: {guard.file} has this text {source.count(guard.text)} times: {guard.text}"
    changed = os.path.join(folder, os.path.basename(path))
    with open(changed, "w", encoding="utf-8") as file:
        file.write(source.replace(guard.text, guard.instead))
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        entry = next(entry for entry in json.load(file) if os.path.realpath(entry["file"]) == path)
    command = [changed if os.path.realpath(word) == path else word for word in shlex.split(entry["command"])]
    original = command[command.index("-o") + 1]
    command[command.index("-o") + 1] = changed + ".o"
    subprocess.run([*command, "-w", "-Wno-error", "-O1"], check=True, cwd=entry["directory"])
    program = os.path.join(folder, "schedules_test")
    relink({original: changed + ".o"}, program)
    return program


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_without_this_guard_a_schedule_fails(guard, tmp_path):
    program = without(guard, str(tmp_path))
    run = subprocess.run([program, "--timeout=1000"], capture_output=True, text=True, timeout=1000, check=False,
                         env={**os.environ, "CURATOR_SEEDS": str(SEEDS)})
    print(run.stderr)
    assert run.returncode != 0, "no schedule needs it"
    assert "Seen with CURATOR_SEED=" in run.stderr, "it failed in another way"
