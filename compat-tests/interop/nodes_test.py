# SPDX-License-Identifier: Apache-2.0
"""What the two leave on the server is the same, and both take other nodes there the same way."""
import pytest

from support.admin import NODE_NAME

LANGUAGES = pytest.mark.parametrize("language", ["c", "java"])
BOTH_WAYS = pytest.mark.parametrize("first, second", [("c", "java"), ("java", "c")])
EVERY_PERMISSION = 31


def parents_of(path):
    """The path and all above it, the top one first."""
    names = path.split("/")[1:]
    return ["/" + "/".join(names[:depth]) for depth in range(1, len(names) + 1)]


@LANGUAGES
def test_a_lock_node_is_named_by_a_random_uuid_and_the_sequence(mutex_of, admin, path, language):
    mutex = mutex_of(language)
    names = set()
    for number in range(5):
        mutex.acquire()
        [name] = admin.children(path)
        assert NODE_NAME.fullmatch(name)
        assert name.endswith(f"-lock-{number:010d}")
        assert mutex.lock_path() == f"{path}/{name}"
        names.add(name[:39])
        mutex.release()
    assert len(names) == 5


@LANGUAGES
def test_a_lock_node_is_ephemeral_and_belongs_to_the_session(mutex_of, admin, language):
    mutex = mutex_of(language)
    mutex.acquire()
    assert admin.owner(mutex.lock_path()) == mutex.client.session()[0]
    assert mutex.token() == admin.zk.exists(mutex.lock_path()).czxid
    mutex.release()


def test_the_default_data_is_what_java_writes_by_default(mutex_of):
    c, java = mutex_of("c"), mutex_of("java")
    java.acquire()
    address, acl = java.client.read(java.lock_path())
    java.release()
    c.acquire()
    assert java.client.read(c.lock_path()) == (address, acl)
    assert acl == [f"world:anyone:{EVERY_PERMISSION}"]
    assert address
    c.release()


@pytest.mark.parametrize("data", [b"", b"order 17", bytes(range(256)), b"x" * 100_000],
                         ids=["empty", "text", "every byte", "large"])
def test_java_reads_the_data_that_c_gave_its_mutex(java_peer, c_peer, zookeeper, path, data):
    java = java_peer.client(zookeeper.connect_string)
    mutex = c_peer.client(zookeeper.connect_string, default_data="not this").mutex(path, data=data)
    mutex.acquire()
    assert java.read(mutex.lock_path())[0] == data
    mutex.release()


def test_java_reads_the_default_data_that_c_gave_its_client(java_peer, c_peer, zookeeper, path):
    java = java_peer.client(zookeeper.connect_string)
    for data in (b"a client", b""):
        mutex = c_peer.client(zookeeper.connect_string, default_data=data).mutex(path)
        mutex.acquire()
        assert java.read(mutex.lock_path())[0] == data
        mutex.release()


@BOTH_WAYS
def test_missing_parents_become_containers_whoever_comes_first(peer_of, new_zookeeper, new_admin, path, first, second):
    """apache/curator#1277, apache/curator#1292."""
    server = new_zookeeper(container_check_ms=100)
    admin = new_admin(server.connect_string)
    one, two = (peer_of(language).client(server.connect_string).mutex(path) for language in (first, second))
    one.acquire()
    for parent in parents_of(path):
        assert admin.data(parent) == b""
    waiting = two.begin("acquire")
    admin.wait_for_children(path, 2)
    one.release()
    waiting.wait()
    two.release()
    for parent in parents_of(path):
        admin.wait_until_gone(parent)  # an empty container is removed, a persistent node is not


@BOTH_WAYS
def test_parents_that_exist_are_left_as_they_are(mutex_of, admin, path, first, second):
    admin.create(path, b"an operator's own")
    one, two = mutex_of(first), mutex_of(second)
    for mutex in (one, two):
        mutex.acquire()
        mutex.release()
    assert admin.data(path) == b"an operator's own"
    assert admin.owner(path) == 0


def test_both_race_to_create_the_parents(peer_of, zookeeper, path):
    clients = [peer_of("c").client(zookeeper.connect_string), peer_of("java").client(zookeeper.connect_string)]
    for number in range(10):
        mutexes = [client.mutex(f"{path}/{number}/a/b/c") for client in clients]
        calls = [mutex.begin("acquire_for", 10000) for mutex in mutexes]
        calls += [mutex.begin("release") for mutex in mutexes]
        for call in calls:
            call.wait()


@LANGUAGES
@pytest.mark.parametrize("name, blocks", [
    ("0", True), ("-5", True), ("lock-", True), ("lock-0", True), ("zzz-lock-", True),
    ("_c_11111111-1111-4111-8111-111111111111-lock--2147483648", True),
    ("config", False), ("zzz", False), ("x", False), ("lock-abc", False), ("Lock-0", False), ("n" * 4096, False),
    ("_c_11111111-1111-4111-8111-111111111111-lock-9999999999", False),
    ("_c_11111111-1111-4111-8111-111111111111-__WRIT__9999999999", False),
], ids=lambda value: value[:60] if isinstance(value, str) else ("blocks" if value else "harmless"))
def test_foreign_children_stop_both_or_neither(mutex_of, admin, path, language, name, blocks):
    """CURATOR-43, kazoo#309."""
    admin.create(f"{path}/{name}")
    mutex = mutex_of(language)
    if blocks:
        mutex.acquire_for(100, expect="CURATOR_TIMED_OUT")
    else:
        mutex.acquire_for(5000)
        mutex.release()
    assert admin.wait_for_children(path, 1) == [name]
