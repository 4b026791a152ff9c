# SPDX-License-Identifier: Apache-2.0
"""A framework that is closed while it connects leaves no session behind on the server."""
import re

from support.waiting import wait_until

LONG = {"session_timeout": 20000, "connection_timeout": 60000}


def sessions(server) -> int:
    return int(re.search(r"^Session Sets \(\d+\)/\((\d+)\)", server.told("dump"), re.MULTILINE).group(1))


def test_no_session_is_left(run_scenario, own_zookeeper, new_admin):
    new_admin(own_zookeeper.connect_string)
    assert sessions(own_zookeeper) == 1  # so that what is counted is known to be seen
    run_scenario("closed_while_connecting", own_zookeeper.connect_string)
    assert sessions(own_zookeeper) == 1


def test_none_of_the_servers_before_the_one_that_serves_is_an_obstacle(run_scenario, own_zookeeper):
    run_scenario("closed_while_connecting", f"127.0.0.1:1,{own_zookeeper.connect_string},127.0.0.1:2")
    assert sessions(own_zookeeper) == 0


def test_a_server_that_does_not_answer_the_handshake_is_told_of(c_peer, zookeeper, new_proxy):
    """It may open a session later."""
    proxy = new_proxy(zookeeper)
    proxy.mute()
    client = c_peer.client(proxy.connect_string, await_ms=None, **LONG)
    wait_until(lambda: proxy.links, "the connection")
    assert "linger" in client.close(expect="CURATOR_CONNECTION_LOSS").error
