# SPDX-License-Identifier: Apache-2.0
"""A server that knows no container nodes. Run by the matrix, which names the server."""
from support.turns import begin_mutex_turns, check_mutex_turns


def test_missing_parents_become_persistent_nodes(mutex_of, admin, path):
    mutex = mutex_of("c")
    mutex.acquire()
    mutex.release()
    assert admin.exists(path) and admin.owner(path) == 0
    mutex.client.mutex(path + "/deeper").acquire()


def test_turns_of_c_and_java_keep_order_and_exclusion(mutex_of, admin, path):
    admin.create(path)  # Java, too, asks for containers, and has nothing to fall back to
    check_mutex_turns(begin_mutex_turns([mutex_of(language) for language in ("c", "java") * 2], rounds=20))
    assert admin.wait_for_children(path, 0) == []
