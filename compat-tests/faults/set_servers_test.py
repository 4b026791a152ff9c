# SPDX-License-Identifier: Apache-2.0
"""The servers of a running framework are exchanged: the session moves with its locks and waits."""
import itertools

import pytest

from support.ports import free_port
from support.turns import begin_mutex_turns, check_mutex_turns
from support.waiting import bound, wait_until

KEPT = ["CONNECTED", "SUSPENDED", "RECONNECTED"]
UNREACHABLE = "127.0.0.1:1"
PATIENT = {"session_timeout": 30000, "retry": "n:200:200"}


def connect_string_of(proxies) -> str:
    return ",".join(proxy.connect_string for proxy in proxies)


def wait_until_moved(client, former):
    """No link of the former proxies is in use, and the client is connected."""
    wait_until(lambda: all(link.closed for proxy in former for link in proxy.links), "the former servers left", 30)
    wait_until(lambda: client.state() in ("CONNECTED", "RECONNECTED"), "the new servers reached", 30)


@pytest.fixture
def moving(c_peer, zookeeper, new_proxy):
    """A client behind one proxy, that proxy, and another one to the same server."""
    former, later = new_proxy(zookeeper), new_proxy(zookeeper)
    return c_peer.client(former.connect_string, session_timeout=8000), former, later


def test_an_ensemble_moves_while_locks_are_held_and_waited_for(c_peer, new_peer, ensemble, new_proxy, path):
    former, later = ([new_proxy(server) for server in ensemble.servers] for _ in range(2))
    client = c_peer.client(connect_string_of(former), await_ms=30000, **PATIENT)
    other = new_peer("c").client(ensemble.connect_string, await_ms=30000, **PATIENT)
    held = [client.mutex(f"{path}/held-{number}") for number in range(10)]
    wanted = [client.mutex(f"{path}/wanted-{number}") for number in range(5)]
    taken = [other.mutex(mutex.path) for mutex in wanted]
    for mutex in held + taken:
        mutex.acquire()
    waiting = [mutex.begin("acquire") for mutex in wanted]
    for mutex in taken:
        wait_until(lambda mutex=mutex: len(mutex.participants(thread="counter")) == 2, "both in the queue")
    session, tokens = client.session(), [mutex.token() for mutex in held]
    client.set_servers(connect_string_of(later))
    wait_until_moved(client, former)
    for proxy in former:
        proxy.cut()
    for mutex in taken:
        mutex.release()
    for call, mutex in zip(waiting, wanted):
        call.wait()
        mutex.release()
    assert client.session() == session
    assert [mutex.token() for mutex in held] == tokens
    assert client.states() == KEPT
    for mutex in held:
        assert mutex.losses() == []
        mutex.release()


def test_a_wait_for_a_lease_needs_no_retry(c_peer, new_peer, zookeeper, new_proxy, admin, path):
    former, later = new_proxy(zookeeper), new_proxy(zookeeper)
    held = new_peer("c").client(zookeeper.connect_string).semaphore(path, 1).acquire()
    client = c_peer.client(former.connect_string, session_timeout=8000, retry="n:0:0")
    wanted = client.semaphore(path, 1).begin()
    admin.wait_for_children(f"{path}/leases", 2)
    session = client.session()
    client.set_servers(later.connect_string)
    wait_until_moved(client, [former])
    held.give_back()
    wanted.acquired.wait()
    assert client.session() == session
    wanted.give_back()


def test_servers_that_restart_on_other_ports_one_after_the_other_cost_no_lock(c_peer, ensemble, path):
    client = c_peer.client(ensemble.connect_string, await_ms=30000, **PATIENT)
    held, wanted = client.mutex(f"{path}/held"), client.mutex(f"{path}/wanted")
    held.acquire()
    wanted.acquire()
    waiting = wanted.begin("acquire", thread="waiter")
    wait_until(lambda: len(wanted.participants(thread="counter")) == 2, "both in the queue")
    session = client.session()
    for server in ensemble.servers:
        server.kill()
        server.port = free_port()
        server.own_ports.append(server.port)
        server.launch()
        client.set_servers(ensemble.connect_string)
        server.await_serving()
    wait_until(lambda: client.state() in ("CONNECTED", "RECONNECTED"), "the new ports reached", 60)
    wanted.release()
    waiting.wait(seconds=60)
    wanted.release(thread="waiter")
    assert client.session() == session
    assert held.losses() + wanted.losses() == []
    held.release()


def test_a_holder_still_learns_of_a_deletion_and_of_a_revocation(c_peer, zookeeper, moving, admin, path):
    client, former, later = moving
    deleted, revoked = client.mutex(f"{path}/deleted"), client.mutex(f"{path}/revoked")
    revoked.make_revocable()
    deleted.acquire()
    revoked.acquire()
    client.set_servers(later.connect_string)
    wait_until_moved(client, [former])
    c_peer.client(zookeeper.connect_string).revoke(revoked.lock_path())
    revoked.wait_for_revocations()
    admin.delete(deleted.lock_path())
    deleted.wait_for_loss()
    revoked.release()


def test_a_node_that_goes_while_the_session_moves_is_missed_afterwards(moving, admin, path):
    client, former, later = moving
    held = client.mutex(path)
    held.acquire()
    node = held.lock_path()
    later.cut()
    client.set_servers(later.connect_string)
    client.wait_for_state("SUSPENDED")
    admin.delete(node)
    later.mend()
    held.wait_for_loss()
    assert "LOST" not in client.states()
    assert all(link.closed for link in former.links)


def test_credentials_move_along(c_peer, zookeeper, new_proxy, path):
    former, later = new_proxy(zookeeper), new_proxy(zookeeper)
    client = c_peer.client(former.connect_string, session_timeout=8000, auth_scheme="digest", auth="user:word",
                           acl="creator")
    held, later_held = client.mutex(path), client.mutex(path)
    held.acquire()
    client.set_servers(later.connect_string)
    wait_until_moved(client, [former])
    held.release()
    later_held.acquire()
    later_held.release()
    assert client.states() == KEPT


def test_a_client_whose_server_is_among_the_new_ones_stays_until_the_connection_breaks(moving, path):
    client, former, later = moving
    held = client.mutex(path)
    held.acquire()
    client.set_servers(f"{UNREACHABLE},{former.connect_string},{later.connect_string}")
    client.set_servers(f"{later.connect_string},{former.connect_string}")
    assert not any(link.closed for link in former.links)
    former.cut()
    wait_until(lambda: client.states() == KEPT, "the other server reached")
    assert later.links
    held.release()


def test_a_client_that_is_connecting_asks_the_new_servers(c_peer, zookeeper, new_proxy, path):
    silent = new_proxy(zookeeper)
    silent.mute()
    for unusable in (UNREACHABLE, silent.connect_string, "no-such-host.invalid:2181"):
        client = c_peer.client(unusable, await_ms=None, session_timeout=8000)
        client.await_connected(100, expect="CURATOR_TIMED_OUT")
        client.set_servers(zookeeper.connect_string)
        client.await_connected(int(bound(8000)))
        mutex = client.mutex(path)
        mutex.acquire()
        mutex.release()


def test_a_client_without_a_connection_reaches_the_new_servers_with_its_session(moving, path):
    client, former, later = moving
    held = client.mutex(path)
    held.acquire()
    former.cut()
    client.wait_for_state("SUSPENDED")
    client.set_servers(later.connect_string)
    wait_until(lambda: client.states() == KEPT, "the session resumed")
    assert held.losses() == []
    held.release()


def test_a_client_on_a_silent_line_reaches_the_new_servers_with_its_session(moving, path):
    client, former, later = moving
    held = client.mutex(path)
    held.acquire()
    former.mute()
    client.set_servers(later.connect_string)
    wait_until(lambda: client.states() == KEPT, "the session resumed")
    assert held.losses() == []
    held.release()


def test_the_last_of_several_lists_counts(moving, path):
    client, former, later = moving
    held = client.mutex(path)
    held.acquire()
    session = client.session()
    client.set_servers("no-such-host.invalid:2181")
    client.set_servers(UNREACHABLE)
    client.wait_for_state("SUSPENDED")
    client.set_servers(UNREACHABLE)
    client.set_servers(later.connect_string)
    wait_until(lambda: client.states() == KEPT, "the session resumed")
    assert client.session() == session
    assert held.losses() == []
    held.release()


def test_a_list_that_cannot_be_looked_up_leaves_the_client_where_it_is(moving, path):
    client, former, later = moving
    held = client.mutex(path)
    held.acquire()
    client.set_servers("no-such-host.invalid:2181")
    mutex = client.mutex(f"{path}/other")
    mutex.acquire()
    assert client.states() == ["CONNECTED"]
    client.set_servers(later.connect_string)
    wait_until_moved(client, [former])
    mutex.release()
    held.release()


def test_servers_that_never_come_cost_the_session(moving, path):
    client, _, later = moving
    held = client.mutex(path)
    held.acquire()
    client.set_servers(UNREACHABLE)
    client.wait_for_state("LOST")
    held.wait_for_loss()
    client.set_servers(later.connect_string)
    wait_until(lambda: client.states()[-1] == "RECONNECTED", "a new session")
    held.release(expect="CURATOR_LOCK_LOST")
    held.acquire()
    held.release()


def test_a_lent_handle_keeps_its_server_until_it_is_returned(moving, admin, path):
    client, former, later = moving
    held = client.mutex(path)
    held.acquire()
    client.borrow_handle()
    client.set_servers(later.connect_string)
    client.mutex(f"{path}/other").acquire()
    assert client.states() == ["CONNECTED"]
    former.blip()
    wait_until(lambda: client.states() == KEPT, "the former server reached again")
    assert later.links == []
    client.give_handle_back()
    wait_until(lambda: client.states() == KEPT + KEPT[1:], "the new server reached")
    wait_until_moved(client, [former])
    assert held.losses() == []
    held.release()


def test_a_close_at_any_moment_of_a_move_frees_the_locks(run_scenario, zookeeper, new_proxy, path):
    former, later = (new_proxy(zookeeper).connect_string for _ in range(2))
    run_scenario("exchanged_while_closing", former, later, path, seconds=120)


def test_what_is_wrong_is_refused_and_changes_nothing(c_peer, zookeeper, admin, path):
    admin.create("/below")
    client = c_peer.client(zookeeper.connect_string + "/below")
    for connect, why in ((zookeeper.connect_string, "the chroot / is not the one that the framework was opened with, "
                                                    "/below"),
                         (zookeeper.connect_string + "/elsewhere", "the chroot /elsewhere is not the one"),
                         ("a:2181,b:x/below", 'server "b:x" at 7 of the connect string is not valid'),
                         ("", "it names no server"),
                         ("zk://a:2181/below", "URLs are not accepted")):
        refused = client.set_servers(connect, expect="CURATOR_INVALID_ARGUMENT")
        assert why in refused.error and refused.error.startswith("curator_framework_set_servers: ")
    client.set_servers(zookeeper.connect_string + "/below")
    mutex = client.mutex(path)
    mutex.acquire()
    mutex.release()
    assert client.states() == ["CONNECTED"]


def test_turns_of_c_and_java_go_on_in_order_while_c_moves_to_and_fro(new_peer, java_peer, zookeeper, new_proxy, admin,
                                                                     path):
    admin.create(path)
    proxies = [new_proxy(zookeeper) for _ in range(2)]
    movers = [new_peer("c").client(proxies[0].connect_string, session_timeout=10000, retry="n:200:100")
              for _ in range(2)]
    locks = [client.mutex(path) for client in movers + [java_peer.client(zookeeper.connect_string)] for _ in range(2)]
    turns = begin_mutex_turns(locks, rounds=30)
    moves = 0
    for proxy in itertools.cycle(proxies[::-1]):
        if all(calls[-1].done for calls in turns):
            break
        before = [client.states().count("RECONNECTED") for client in movers]
        for client in movers:
            client.set_servers(proxy.connect_string)
        wait_until(lambda before=before: all(client.states().count("RECONNECTED") > count
                                             for client, count in zip(movers, before)), "a move", 30)
        moves += 1
    assert moves > 3
    check_mutex_turns(turns)
    for lock in locks:
        assert lock.losses() == []
    admin.wait_for_children(path, 0)
