# SPDX-License-Identifier: Apache-2.0
"""A server that is too old. Run by the matrix, which names the server."""
import pytest


@pytest.mark.parametrize("language", ["c", "java"])
def test_a_lock_is_refused_and_nothing_is_left(mutex_of, admin, path, language):
    mutex = mutex_of(language)
    for call in (mutex.acquire(expect="CURATOR_ERROR"), mutex.acquire_for(1000, expect="CURATOR_ERROR")):
        assert ("the server does not know the operation" if language == "c" else "Unimplemented") in call.error
        assert not mutex.is_owned()
    assert admin.children(path) == []
