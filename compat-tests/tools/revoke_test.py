# SPDX-License-Identifier: Apache-2.0
"""curator-lock revoke: who is asked, and what is left alone."""
import pytest

from support.admin import sequence


@pytest.fixture
def revocable(mutex_of):
    def make(language):
        mutex = mutex_of(language)
        mutex.make_revocable()
        return mutex

    return make


@pytest.mark.parametrize("language", ["c", "java"])
def test_the_holder_of_a_path_is_asked(run_lock, revocable, queued, path, language):
    holder, waiter = revocable(language), revocable("c")
    with queued(holder, waiter):
        assert run_lock("revoke", "--holder", path) == (0, "", "")
        holder.wait_for_revocations(1)
        assert holder.is_acquired() and waiter.revocations() == []


def test_one_node_is_asked_and_all_are(run_lock, revocable, queued, admin, path):
    first, second = revocable("c"), revocable("c")
    with queued(first, second):
        nodes = [f"{path}/{name}" for name in sorted(admin.children(path), key=sequence)]
        assert run_lock("revoke", nodes[1]) == (0, "", "")
        assert [admin.data(node) == b"__REVOKE__" for node in nodes] == [False, True]
        status, _, errors = run_lock("revoke", "-v", "--all", path)
        assert status == 0 and all(node in errors for node in nodes)
        first.wait_for_revocations(1)


def test_what_is_gone_or_nobodys_is_told_and_nothing_is_written(run_lock, mutex_of, admin, path):
    mutex = mutex_of("c")
    mutex.acquire()
    node = mutex.lock_path()
    mutex.release()
    for words, says in [(["--holder", path], "nobody holds"), (["--all", path], "nobody holds"), ([node], node)]:
        status, output, errors = run_lock("revoke", *words)
        assert (status, output, errors.count("\n")) == (1, "", 1) and says in errors
    admin.create(f"{path}/config", b"precious")
    status, output, errors = run_lock("revoke", f"{path}/config")
    assert (status, output, errors.count("\n")) == (1, "", 1) and "no contender" in errors
    assert admin.data(f"{path}/config") == b"precious"
    admin.delete(path)


@pytest.mark.parametrize("words", [[], ["/a/b", "/c"], ["--holder", "/a", "--all", "/a"], ["--holder", "/a", "/b"],
                                   ["--holder"], ["a/b"], ["/a"], ["/a/"], ["--holder", "a"], ["/a//b"]])
def test_a_wrong_call_is_one_line_that_says_so(run_lock, words):
    status, output, errors = run_lock("revoke", *words)
    assert (status, output, errors.count("\n")) == (64, "", 1), errors
