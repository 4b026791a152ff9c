# SPDX-License-Identifier: Apache-2.0
"""An outage brings few lines at WARN, however often the ZooKeeper client tries to connect."""
import re
import time

from logs.conftest import WARN
from support.waiting import wait_until

TRIES = 100
LIMIT_S = 60  # LOG_LIMIT_MS
REFUSED = r"zookeeper: Socket .*: server refused to accept the client"


def tries(record) -> int:
    return sum(bool(re.fullmatch(REFUSED, line)) for line in record.lines())


def test_an_outage_is_said_at_once_and_then_counted(c_peer, own_zookeeper, recorded, path):
    mutex = c_peer.client(own_zookeeper.connect_string, session_timeout=1000, log=1).mutex(path)
    record = recorded(mutex.client)
    mutex.acquire()
    own_zookeeper.kill()
    began = time.monotonic()
    record.wait_for_line(rf"connection to 127\.0\.0\.1:{own_zookeeper.port} failed: server refused to accept the "
                         r"client \(Connection refused\)", WARN)
    mutex.wait_for_loss()
    wait_until(lambda: tries(record) >= TRIES, f"{TRIES} tries to connect", 60)
    lines = record.lines(WARN)
    more = (time.monotonic() - began) // LIMIT_S  # on a busy machine the tries take longer
    assert len(lines) < 10 + 2 * more, lines
    assert not [line for line in lines if line.startswith("zookeeper: ")]


def test_a_second_outage_is_said_like_the_first(c_peer, own_zookeeper, recorded):
    client = c_peer.client(own_zookeeper.connect_string, log=1)
    record = recorded(client)
    client.await_connected(20000)

    def refusals() -> list:
        return [line for line in record.lines(WARN) if "server refused to accept the client" in line]

    own_zookeeper.kill()
    wait_until(refusals, "the first outage is said", 20)
    own_zookeeper.start()
    client.wait_for_state("RECONNECTED", 60)
    said = len(refusals())
    own_zookeeper.kill()
    wait_until(lambda: len(refusals()) > said, "the second outage is said", 20)


def test_a_dead_sessions_handle_is_quiet(c_peer, zookeeper, new_proxy, recorded, path):
    proxy = new_proxy(zookeeper)
    mutex = c_peer.client(proxy.connect_string, session_timeout=1000, log=1).mutex(path)
    record = recorded(mutex.client)
    mutex.acquire()
    handle_of_the_dead = mutex.client.session()[0]
    mutex.client.borrow_handle()  # so that it stays open
    proxy.cut()
    mutex.wait_for_loss()
    proxy.mend()
    mutex.client.wait_for_state("RECONNECTED")
    wait_until(lambda: f"{handle_of_the_dead:#x}" not in zookeeper.told("dump"), "the dead session's end", 30)
    mutex.client.give_handle_back()
    mutex.client.close()  # with the handle of the dead one; its lines, if any, are delivered
    lost = next(i for i, line in enumerate(record.lines()) if line.startswith("connection LOST"))
    after = [line for line in record.lines()[lost:] if line.startswith("zookeeper: ")]
    assert not [line for line in after if f"{handle_of_the_dead:#x}" in line], after
