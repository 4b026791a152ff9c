# SPDX-License-Identifier: Apache-2.0
"""A follower whose way to its leader can be broken."""
from support.ports import free_port, give_back
from support.proxy import Proxy
from support.zookeeper import ZooKeeper

PING = bytes.fromhex("00000005")  # how the leader's ping begins; 20 bytes in all, with neither data nor identities
PING_SIZE = 20


class QuorumLink(Proxy):
    """Between a follower and a leader."""

    def __init__(self, target_port):
        super().__init__(target_port)
        self.pings_pass = True

    def pieces(self, link, data, to_server):
        if self.pings_pass or to_server or len(data) != PING_SIZE or not data.startswith(PING):
            yield data


class CutOffFollower:
    """An ensemble of three whose server 1 follows, and reaches the others by way of forwarders."""

    def __init__(self, tick_ms, **options):
        ports = {server_id: (free_port(), free_port()) for server_id in (1, 2, 3)}
        self.ports = [port for pair in ports.values() for port in pair]
        straight = [(server_id, *ports[server_id]) for server_id in ports]
        self.links = [QuorumLink(ports[server_id][0]) for server_id in (2, 3)]  # of the quorum, not of the election
        linked = [straight[0]] + [(server_id, link.port, ports[server_id][1])
                                  for server_id, link in zip((2, 3), self.links)]
        self.follower = ZooKeeper(tick_ms=tick_ms, quorum=linked, server_id=1, **options)
        self.others = [ZooKeeper(tick_ms=tick_ms, quorum=straight, server_id=server_id, **options)
                       for server_id in (2, 3)]

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

    def hold_pings_back(self):
        """Holds them for less than half a tick, as between any two pings."""
        for link in self.links:
            link.pings_pass = False

    def mend(self):
        for link in self.links:
            link.pings_pass = True
            link.unmute()

    def remove(self):
        for link in self.links:
            link.remove()
        for server in [self.follower, *self.others]:
            server.remove()
        for port in self.ports:
            give_back(port)
