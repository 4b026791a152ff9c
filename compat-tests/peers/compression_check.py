# SPDX-License-Identifier: Apache-2.0
"""Java with enableCompression(), C with the same and without. Run by the matrix, which names a Curator that has it."""
import gzip

import pytest

from support.turns import begin_mutex_turns, check_mutex_turns
from support.waiting import wait_until

BOTH_WAYS = pytest.mark.parametrize("holder, asker", [("c", "java"), ("java", "c")])


@pytest.fixture
def client_of(c_peer, java_peer, zookeeper):
    """client_of("c"), client_of("java", compress=False)"""

    def start(language, compress=True, **options):
        peer = java_peer if language == "java" else c_peer
        return peer.client(zookeeper.connect_string, **({"compress": 1} if compress else {}), **options)

    return start


@BOTH_WAYS
def test_a_holder_lets_go_when_asked(client_of, admin, path, holder, asker):
    held, wanted = client_of(holder).mutex(path), client_of(asker).mutex(path)
    held.make_revocable()
    held.acquire()
    waiting = wanted.begin("acquire")
    admin.wait_for_children(path, 2)
    wanted.client.revoke(held.lock_path())
    assert gzip.decompress(admin.data(held.lock_path())) == b"__REVOKE__"
    held.wait_for_revocations()
    held.release()
    waiting.wait()
    wanted.release()


def test_c_without_the_option_is_asked_by_java(client_of, admin, path):
    held = client_of("c", compress=False).mutex(path)
    held.make_revocable()
    held.acquire()
    client_of("java").revoke(held.lock_path())
    assert gzip.decompress(admin.data(held.lock_path())) == b"__REVOKE__"
    held.wait_for_revocations()
    held.release()


def test_java_without_the_option_is_not_asked_by_c_with_it(client_of, admin, path):
    """Why both sides have to agree."""
    held = client_of("java", compress=False).mutex(path)
    held.make_revocable()
    held.acquire()
    client_of("c").revoke(held.lock_path())
    wait_until(lambda: admin.data(held.lock_path())[:2] == b"\x1f\x8b", "the request to revoke")
    assert held.revocations() == []
    client_of("c", compress=False).revoke(held.lock_path())
    held.wait_for_revocations()
    held.release()


def test_both_write_the_same_data(client_of, admin, path):
    locks = [client_of(language, default_data="shop 7/pump").mutex(f"{path}/{language}") for language in ("c", "java")]
    locks += [client_of(language).mutex(f"{path}/{language}-data", "own") for language in ("c", "java")]
    for lock in locks:
        lock.acquire()
    stored = [admin.data(lock.lock_path()) for lock in locks]
    assert [gzip.decompress(data) for data in stored] == [b"shop 7/pump"] * 2 + [b"own"] * 2
    for lock in locks:
        lock.release()


def test_c_shows_the_text(client_of, admin, path):
    held = client_of("java", default_data="pump 7").mutex(path)
    held.acquire()
    for compress in (True, False):
        wanted = client_of("c", compress=compress).mutex(path)
        [contender] = wanted.contenders()
        assert (contender.data, contender.data_size, contender.data_length) == ("pump 7", 6, 6)
        assert 'the holder\'s data is "pump 7"' in wanted.acquire_for(300, expect="CURATOR_TIMED_OUT").error
    held.release()


def test_turns_of_c_and_java_keep_order_and_exclusion(client_of, admin, path):
    admin.create(path)
    locks = [client_of(language).mutex(path) for language in ("c", "java") * 2]
    check_mutex_turns(begin_mutex_turns(locks, rounds=20))
    admin.wait_for_children(path, 0)


@pytest.mark.parametrize("holder", ["c", "java"])
def test_java_with_the_option_cannot_queue_behind_plain_data(client_of, admin, path, holder):
    """It reads the node before its own, and fails to decompress that: so all on a path have to agree, in Java too."""
    held = client_of(holder, compress=False).mutex(path)
    held.acquire()
    refused = client_of("java").mutex(path).acquire(expect=None)
    assert refused.status == "CURATOR_ERROR" and "GZip" in refused.error
    assert not held.losses()
    held.release()
