# SPDX-License-Identifier: Apache-2.0
"""
Loopback ports that no other worker of these tests and no other program gets meanwhile. A port is reserved by a socket
that is bound and does not listen, so connections are refused; a listener with SO_REUSEADDR, like our forwarders and
ZooKeeper, can still use it.
"""
import random
import socket

KEPT = {}  # port -> the socket that keeps it


def free_port() -> int:
    """
    A free port, reserved until it is given back or this process ends. It is below the default range of outgoing
    connections: else a client that tries a port on which nothing listens may be connected to itself.
    """
    while True:
        keeper = socket.socket()  # without SO_REUSEADDR here, so that a port that others have reserved is refused
        port = random.randrange(10000, 32768)
        try:
            keeper.bind(("127.0.0.1", port))
        except OSError:
            keeper.close()
            continue
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        KEPT[port] = keeper
        return port


def give_back(port: int):
    if keeper := KEPT.pop(port, None):
        keeper.close()
