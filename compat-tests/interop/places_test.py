# SPDX-License-Identifier: Apache-2.0
"""One lock, reached by different ways: name spaces, chroots, and paths that only some may touch."""
import pytest
from kazoo.security import make_digest_acl_credential

from support.admin import new_path

# how a client gets to <top>/<rest>: what it appends to the connect string, its name space, its path
PLACES = {
    "plain": lambda top, rest: ("", None, f"/{top}/{rest}"),
    "chroot": lambda top, rest: (f"/{top}", None, f"/{rest}"),
    "namespace": lambda top, rest: ("", top, f"/{rest}"),
    "chroot and namespace": lambda top, rest: (f"/{top}", "middle", f"/{rest}"),
}
BOTH_WAYS = pytest.mark.parametrize("holder, waiter", [("c", "java"), ("java", "c")])
DIGEST = {"auth_scheme": "digest", "auth": "user:password", "acl": "creator"}


def mutex_at(peer, zookeeper, place, top):
    chroot, name_space, path = PLACES[place](top, "a/b" if "and" in place else "middle/a/b")
    options = {"namespace": name_space} if name_space else {}
    return peer.client(zookeeper.connect_string + chroot, **options).mutex(path)


@pytest.mark.parametrize("java_place", PLACES)
@pytest.mark.parametrize("c_place", PLACES)
def test_c_and_java_meet_on_one_node(c_peer, java_peer, zookeeper, admin, c_place, java_place):
    top = new_path().split("/")[1]
    admin.create(f"/{top}")
    c, java = mutex_at(c_peer, zookeeper, c_place, top), mutex_at(java_peer, zookeeper, java_place, top)
    c.acquire()
    names = admin.wait_for_children(f"/{top}/middle/a/b", 1)
    assert c.lock_path() == f"{c.path}/{names[0]}"
    assert c.participants() == [f"{c.path}/{names[0]}"]
    assert java.participants() == [f"{java.path}/{names[0]}"]
    java.acquire_for(0, expect="CURATOR_TIMED_OUT")
    waiting = java.begin("acquire")
    admin.wait_for_children(f"/{top}/middle/a/b", 2)
    c.release()
    waiting.wait()
    c.acquire_for(0, expect="CURATOR_TIMED_OUT")
    java.release()
    assert admin.children(f"/{top}/middle/a/b") == []


@BOTH_WAYS
def test_a_protected_path_serves_those_with_the_credentials(mutex_of, new_admin, zookeeper, path, holder, waiter):
    insider = new_admin(zookeeper.connect_string, auth=("digest", "user:password"))
    held, wanted = mutex_of(holder, **DIGEST), mutex_of(waiter, **DIGEST)
    held.acquire()
    waiting = wanted.begin("acquire")
    names = insider.wait_for_children(path, 2)
    for node in [path, path.rsplit("/", 1)[0]] + [f"{path}/{name}" for name in names]:
        [acl] = insider.acl(node)
        assert (acl.id.scheme, acl.id.id) == ("digest", make_digest_acl_credential("user", "password"))
        assert acl.perms == 31
    assert held.participants() == wanted.participants(thread="other") == [f"{path}/{name}" for name in names]
    held.release()
    waiting.wait()
    wanted.release()
    assert insider.children(path) == []


@BOTH_WAYS
def test_a_stranger_is_refused_at_a_protected_path(mutex_of, path, holder, waiter):
    held, stranger = mutex_of(holder, **DIGEST), mutex_of(waiter, retry="n:1:100")
    held.acquire()
    for call in (stranger.acquire(expect="CURATOR_NO_AUTH"), stranger.acquire_for(0, expect="CURATOR_NO_AUTH")):
        if waiter == "c":
            assert path in call.error and "create" in call.error
    refused = stranger.call("participants", expect="CURATOR_NO_AUTH")
    if waiter == "c":
        assert path in refused.error and "getChildren" in refused.error
    held.release()
