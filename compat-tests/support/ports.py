# SPDX-License-Identifier: Apache-2.0
"""
Loopback ports that nobody else gets meanwhile: no other worker of these tests, no other program. A port is kept by a
socket that is bound and does not listen, so connections are refused; who sets SO_REUSEADDR can still listen there, as
our forwarders and ZooKeeper do.
"""
import random
import socket

KEPT = {}  # port -> the socket that keeps it


def free_port() -> int:
    """
    A port that nobody uses, kept until it is given back or this process ends. It is below those that the system gives
    to outgoing connections by default: else a client that tries a port on which nothing listens may be connected to
    itself.
    """
    while True:
        keeper = socket.socket()  # without SO_REUSEADDR here: who keeps a port, keeps it from us too
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
