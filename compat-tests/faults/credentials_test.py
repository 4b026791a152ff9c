# SPDX-License-Identifier: Apache-2.0
"""No call succeeds before the server has accepted the credentials."""
import pytest

DELAY_SECONDS = 0.3


@pytest.fixture
def late_credentials(zookeeper, new_wire):
    """A link that passes credentials on a good while after the connection."""
    wire = new_wire(zookeeper)
    wire.on("auth", nth=None).hold_request(DELAY_SECONDS)
    return wire


@pytest.mark.parametrize("verb", ["await", "acquire", "acquire_for"])
def test_refused_credentials_are_told_from_the_first_call_on(c_peer, late_credentials, path, verb):
    """CURATOR-715, CURATOR-228, CURATOR-362."""
    client = c_peer.client(late_credentials.connect_string, await_ms=None, auth_scheme="no-such-scheme", auth="x")
    mutex = client.mutex(path)
    if verb == "await":
        call = client.await_connected(10000, expect="CURATOR_NO_AUTH")
    else:
        call = mutex.call(verb, *([] if verb == "acquire" else [10000]), expect="CURATOR_NO_AUTH")
    assert "no-such-scheme" in call.error
    assert "CONNECTED" not in client.states()
    assert "create2" not in late_credentials.count()


def test_accepted_credentials_are_waited_for(c_peer, late_credentials, zookeeper, new_admin, path):
    client = c_peer.client(late_credentials.connect_string, await_ms=None, auth_scheme="digest", auth="user:password",
                           acl="creator")
    mutex = client.mutex(path)
    mutex.acquire_for(10000)
    admin = new_admin(zookeeper.connect_string, auth=("digest", "user:password"))
    [name] = admin.children(path)
    [acl] = admin.acl(f"{path}/{name}")
    assert acl.id.scheme == "digest" and acl.id.id.startswith("user:")
    mutex.release()


def test_a_connection_that_breaks_before_the_verdict_is_made_again(c_peer, zookeeper, new_wire, path):
    wire = new_wire(zookeeper)
    rule = wire.on("auth").lose_reply()
    client = c_peer.client(wire.connect_string, await_ms=None, auth_scheme="digest", auth="user:password")
    mutex = client.mutex(path)
    mutex.acquire_for(15000)
    assert rule.fired.is_set()
    mutex.release()
