# SPDX-License-Identifier: Apache-2.0
"""Data that others wrote gzip'd are understood, whatever they claim to be; and what we write so, others can read."""
import gzip
import random
import zlib

import pytest

LIMIT = 4096  # CURATOR_CONTENDER_DATA_MAX


@pytest.fixture
def listed(mutex_of, admin, path):
    """listed(data): how the library describes a node with these data."""

    def list_it(data):
        node = admin.create(f"{path}/_c_other-lock-0000000000", data)
        [contender] = mutex_of("c").contenders()
        admin.delete(node)
        return contender

    return list_it


def test_contenders_have_the_text(listed):
    for text in ("pump 7", "", "x" * LIMIT, "Grüße, 泵"):
        contender = listed(gzip.compress(text.encode()))
        assert (contender.data, contender.data_size) == (text, len(text.encode()))
        assert contender.data_length >= contender.data_size
    assert listed(gzip.compress(b"pump 7")).data_length == 6


def test_plain_data_stay_as_they_are(listed):
    for text in ("pump 7", "", "\x1f", "x" * (LIMIT + 1)):
        contender = listed(text.encode())
        assert contender.data == text[:LIMIT]
        assert contender.data_length == len(text)


def test_damaged_data_are_shown_as_they_are(listed):
    whole = gzip.compress(b"pump 7")
    for damaged in (whole[:-1], whole[:-8], whole[:-1] + b"\x01", whole + b"more", whole[:5]):
        assert listed(damaged).data_length == len(damaged)


@pytest.mark.parametrize("bomb", [gzip.compress(b"A" * (3 << 20)), gzip.compress(b"A" * (64 << 20), 1)], ids=len)
def test_a_bomb_shows_its_beginning_only(listed, bomb):
    contender = listed(bomb)
    assert contender.data_size == LIMIT and contender.data == "A" * LIMIT
    assert contender.data_length > LIMIT


def test_a_sentence_has_the_text_of_the_holder(mutex_of, admin, path):
    wanted = mutex_of("c")
    for text, shown in (("pump 7", '"pump 7"'), ("y" * 5000, '"' + "y" * 64 + '..."')):
        node = admin.create(f"{path}/_c_other-lock-0000000000", gzip.compress(text.encode()))
        assert f"the holder's data is {shown}" in wanted.acquire_for(300, expect="CURATOR_TIMED_OUT").error
        admin.delete(node)


@pytest.mark.parametrize("level", [0, 1, 9])
def test_a_request_to_revoke_is_understood_however_it_is_compressed(mutex_of, admin, level):
    held = mutex_of("c")
    held.make_revocable()
    held.acquire()
    admin.zk.set(held.lock_path(), gzip.compress(b"__REVOKE__", level))
    held.wait_for_revocations()
    admin.zk.set(held.lock_path(), gzip.compress(b"__REVOKE_?"))
    admin.zk.set(held.lock_path(), zlib.compress(b"__REVOKE__"))
    held.is_owned()
    assert len(held.revocations()) == 1
    held.release()


def test_what_is_written_with_the_option_is_compressed(c_peer, zookeeper, admin, path):
    client = c_peer.client(zookeeper.connect_string, compress=1, default_data="by default")
    for number, (data, expected) in enumerate([(None, b"by default"), ("own", b"own"), ("", b""),
                                               ("z" * 100000, b"z" * 100000)]):
        mutex = client.mutex(f"{path}/{number}", data)
        mutex.acquire()
        stored = admin.data(mutex.lock_path())
        assert gzip.decompress(stored) == expected
        client.revoke(mutex.lock_path())
        assert gzip.decompress(admin.data(mutex.lock_path())) == b"__REVOKE__"
        mutex.release()


def test_the_address_that_is_the_default_is_compressed(c_peer, zookeeper, admin, path):
    plain, compressed = (c_peer.client(zookeeper.connect_string, **options).mutex(f"{path}/{name}")
                         for name, options in (("plain", {}), ("compressed", {"compress": 1})))
    plain.acquire()
    compressed.acquire()
    assert gzip.decompress(admin.data(compressed.lock_path())) == admin.data(plain.lock_path()) != b""
    plain.release()
    compressed.release()


def test_data_that_compression_makes_too_large_are_refused(c_peer, zookeeper, path):
    """What looks like chance does not get smaller, and has a header and a trailer more."""
    data = random.Random(1).randbytes(1048300)
    c_peer.client(zookeeper.connect_string).mutex(path, data)
    refused = c_peer.client(zookeeper.connect_string, compress=1).mutex(path, data, expect="CURATOR_INVALID_ARGUMENT")
    assert "more than the 1048575 bytes that a server accepts" in refused.created.error
