# SPDX-License-Identifier: Apache-2.0
"""An outage brings few lines at WARN, however often the ZooKeeper client tries to connect."""
import re

import pytest

from logs.conftest import WARN
from support.peers import CPeer
from support.programs import WRAPPER, program
from support.waiting import wait_until

FASTER = 5  # than the clocks of other machines
BEGIN_MS, MINUTE_MS = 15_000, 60_000
TIMEOUT_MS = 10_000  # two seconds of the server: a shorter one would not outlast a busy machine's pauses


class FastClock(CPeer):
    def command(self):
        return WRAPPER + [program("curator_peer_fast_clock")]


@pytest.fixture
def fast_peer():
    peer = FastClock()
    yield peer
    peer.finish()


def counted(record, began) -> tuple:
    """How many lines at WARN or above came in the first 15 s of the outage, and how many in the minute after them."""
    ages = [line.ms - began for line in record.stamped(WARN)]
    return (sum(0 <= age < BEGIN_MS for age in ages),
            sum(BEGIN_MS <= age < BEGIN_MS + MINUTE_MS for age in ages))


def wait_for_line_after(record, ms):
    """Until the client has logged anything later than that, by the clock of the peer."""

    def found() -> bool:
        last = record.client.peer.errors()
        return any(float(stamp) > ms for stamp in re.findall(rf"^([\d.]+) {record.client.name} log ", last, re.M))

    wait_until(found, f"{ms:.0f} ms on the fast clock", 60)


def test_an_outage_brings_less_than_ten_lines_in_15_s_and_less_than_four_in_the_minute_after(
        fast_peer, own_zookeeper, zookeeper, new_proxy, recorded, path):
    """One server refuses connections, the other one accepts them and says nothing."""
    proxy = new_proxy(zookeeper)
    outages = []
    for server, break_down, why in ((own_zookeeper, own_zookeeper.kill, r"server refused .* \(Connection refused\)"),
                                    (proxy, proxy.mute, "timed out .*")):
        client = fast_peer.client(server.connect_string, await_ms=20_000 * FASTER, session_timeout=TIMEOUT_MS, log=1)
        mutex = client.mutex(path)
        mutex.acquire()
        recorded(client).wait_for_line(rf"acquire {path}: granted .*")
        outages.append((mutex, recorded(client), recorded(client).stamped()[-1].ms,
                        rf"connection to 127\.0\.0\.1:{server.port} failed: {why}"))
        break_down()
    for mutex, record, began, said in outages:
        mutex.wait_for_loss()
        wait_for_line_after(record, began + BEGIN_MS + MINUTE_MS)
        record.wait_for_line(said, WARN)
        first, minute = counted(record, began)
        assert 0 < first < 10 and 0 < minute < 4, record.stamped(WARN)
        assert not [line for line in record.lines(WARN) if line.startswith("zookeeper: ")]
    assert sum("server refused" in line for line in outages[0][1].lines()) > 100


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
    mutex.client.close(expect=None)  # with the handle of the dead one, which may not have learnt that its session ended
    lost = next(i for i, line in enumerate(record.lines()) if line.startswith("connection LOST"))
    after = [line for line in record.lines()[lost:] if line.startswith("zookeeper: ")]
    assert not [line for line in after if f"{handle_of_the_dead:#x}" in line], after
