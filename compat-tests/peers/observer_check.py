# SPDX-License-Identifier: Apache-2.0
"""Three voting servers and an observer, to which C is connected. Run by the matrix, which names the servers."""
import pytest

from support.ports import free_port, give_back
from support.turns import begin_mutex_turns, check_mutex_turns
from support.waiting import wait_until
from support.zookeeper import Ensemble, ZooKeeper

PATIENT = {"session_timeout": 20000, "retry": "n:200:200", "await_ms": 30000}


class ObservedEnsemble(Ensemble):
    def __init__(self, **options):
        super().__init__(**options)
        self.observer_ports = (free_port(), free_port())
        peer_port, election_port = self.observer_ports
        quorum = [*self.quorum, (4, peer_port, f"{election_port}:observer")]
        for server in self.servers:
            server.quorum = quorum
        self.observer = ZooKeeper(quorum=quorum, server_id=4, settings=("peerType=observer",), **options)

    def start(self):
        super().start()
        self.observer.start()
        assert "Mode: observer" in self.observer.told("srvr")
        return self

    def remove(self):
        self.observer.remove()
        super().remove()
        for port in self.observer_ports:
            give_back(port)


@pytest.fixture
def observed():
    servers = ObservedEnsemble(tick_ms=1000)
    try:
        yield servers.start()
    finally:
        servers.remove()


def test_turns_keep_order_and_exclusion_also_when_the_leader_is_killed(c_peer, java_peer, observed, new_admin, path):
    new_admin(observed.connect_string).create(path)
    locks = [c_peer.client(observed.observer.connect_string, **PATIENT).mutex(path) for _ in range(2)]
    locks += [java_peer.client(observed.connect_string, **PATIENT).mutex(path) for _ in range(2)]
    turns = begin_mutex_turns(locks, rounds=30)
    wait_until(lambda: sum(calls[-1].done for calls in turns) > len(turns) // 4, "a quarter of the turns", 60)
    observed.leader().kill()
    check_mutex_turns(turns, seconds=90)
    for lock in locks:
        assert lock.losses() == []
    new_admin(observed.observer.connect_string).wait_for_children(path, 0)


def test_a_holder_and_a_waiter_outlive_a_restart_of_the_observer(c_peer, java_peer, observed, path):
    held, wanted = (c_peer.client(observed.observer.connect_string, **PATIENT).mutex(path) for _ in range(2))
    held.acquire()
    waiting = wanted.begin("acquire")
    looker = java_peer.client(observed.connect_string, **PATIENT).mutex(path)
    wait_until(lambda: len(looker.participants()) == 2, "both in the queue")
    observed.observer.restart()
    held.client.wait_for_state("RECONNECTED", 60)
    assert held.losses() == [] and not waiting.done
    held.release()
    waiting.wait(seconds=60)
    wanted.release()


def test_a_killed_holder_behind_the_observer_frees_java(new_peer, java_peer, observed, path):
    peer = new_peer("c")
    held = peer.client(observed.observer.connect_string, session_timeout=4000, await_ms=30000).mutex(path)
    wanted = java_peer.client(observed.connect_string, **PATIENT).mutex(path)
    held.acquire()
    waiting = wanted.begin("acquire")
    wait_until(lambda: len(wanted.participants(thread="looker")) == 2, "both in the queue")
    peer.kill()
    waiting.wait(seconds=60)
    wanted.release()
