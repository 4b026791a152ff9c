# SPDX-License-Identifier: Apache-2.0
"""A follower that cannot hear its leader any more goes on answering, while the leader ends its clients' sessions."""
import pytest

from support.ports import free_port, give_back
from support.proxy import Proxy
from support.waiting import bound, wait_until
from support.zookeeper import ZooKeeper


class CutOffFollower:
    """An ensemble of three whose server 1 follows, and reaches the others by way of forwarders."""

    def __init__(self, tick_ms):
        ports = {server_id: (free_port(), free_port()) for server_id in (1, 2, 3)}
        self.ports = [port for pair in ports.values() for port in pair]
        straight = [(server_id, *ports[server_id]) for server_id in ports]
        self.links = [Proxy(ports[server_id][0]) for server_id in (2, 3)]  # of the quorum, not of the election
        linked = [straight[0]] + [(server_id, link.port, ports[server_id][1])
                                  for server_id, link in zip((2, 3), self.links)]
        self.follower = ZooKeeper(tick_ms=tick_ms, quorum=linked, server_id=1)
        self.others = [ZooKeeper(tick_ms=tick_ms, quorum=straight, server_id=server_id) for server_id in (2, 3)]

    def start(self):
        for server in self.others:
            server.launch()
        for server in self.others:
            server.await_serving()
        self.follower.launch()
        self.follower.await_serving()
        assert "Mode: follower" in self.follower.told("srvr")
        return self

    def cut_off(self):
        for link in self.links:
            link.mute()

    def mend(self):
        for link in self.links:
            link.unmute()

    def remove(self):
        for link in self.links:
            link.remove()
        for server in [self.follower, *self.others]:
            server.remove()
        for port in self.ports:
            give_back(port)


@pytest.fixture
def new_ensemble():
    ensembles = []

    def start(tick_ms):
        ensembles.append(CutOffFollower(tick_ms))
        return ensembles[-1].start()

    yield start
    for ensemble in ensembles:
        ensemble.remove()


@pytest.mark.parametrize("tick_ms, timeout_ms", [(500, 1000), (500, 2000), (2000, 4000)])
def test_a_holder_on_a_follower_without_its_leader_is_told_before_another_holds(
        c_peer, new_ensemble, path, tick_ms, timeout_ms):
    """CURATOR-206: reads and pings are answered all the time; only what the leader answers is a sign of life."""
    ensemble = new_ensemble(tick_ms)
    held = c_peer.client(ensemble.follower.connect_string, session_timeout=timeout_ms).mutex(path)
    wanted = c_peer.client(ensemble.others[0].connect_string, session_timeout=10000).mutex(path)
    assert held.client.session_timeout() == timeout_ms
    for _ in range(2):
        held.acquire()
        waiting = wanted.begin("acquire")
        wait_until(lambda: len(wanted.participants(thread="counter")) == 2, "both in the queue")
        lost_before = len(held.losses())
        ensemble.cut_off()
        waiting.wait(seconds=bound(30))
        wait_until(lambda: len(held.losses()) > lost_before, "the loss told")
        assert held.losses()[-1].time < waiting.ended
        assert not held.is_acquired()
        ensemble.mend()
        held.release(expect="CURATOR_LOCK_LOST")
        wanted.release()
        wait_until(lambda: held.client.state() in ("CONNECTED", "RECONNECTED"), "a new session", 60)
