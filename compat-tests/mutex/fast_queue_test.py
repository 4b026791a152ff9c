# SPDX-License-Identifier: Apache-2.0
"""In a fast queue a waiter watches its predecessor only, until its wait is longer than the hand-off interval."""
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

TRIES = 10  # a slow machine may not ask for the first watch before the wait is long


@pytest.fixture
def queue_of(new_zookeeper, new_admin, new_wire, path):
    """queue_of(number): so many nodes under the path, and how to delete them; the counter on the way to the server."""
    server = new_zookeeper(tick_ms=2000)
    admin = new_admin(server.connect_string)
    wire = new_wire(server)

    def make(number):
        admin.zk.ensure_path(path)
        names = [f"{path}/_c_11111111-1111-4111-8111-111111111111-lock--{one:09}" for one in range(number)]
        for name in names:
            admin.zk.create(name)

        def delete():
            for name in names:
                admin.delete(name)

        return delete, wire

    return make


def watches_asked(wire) -> int:
    return wire.count().get("getData", 0)


def test_the_other_watches_are_set_when_the_wait_gets_longer(run_scenario, queue_of, path):
    for _ in range(TRIES):
        delete, wire = queue_of(2)
        wire.clear()
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(run_scenario, "fast_queue", wire.connect_string, path)
            wire.wait_for(3, "getData")
            delete()
            waiting.result()
        asked = [request for request in wire.requests if request.operation in ("getChildren2", "getData")]
        operations = [request.operation for request in asked[:5]]
        assert len({one.path for one in asked if one.operation == "getData"}) == 3
        if operations == ["getChildren2", "getData", "getChildren2", "getData", "getData"]:
            return
        assert operations[:4] == ["getChildren2", "getData", "getData", "getData"], operations
    raise AssertionError(f"not taken for a fast queue in {TRIES} tries")


def test_a_link_that_breaks_meanwhile_costs_no_retry(run_scenario, queue_of, path):
    for _ in range(TRIES):
        delete, wire = queue_of(500)  # at the believed interval, 0.9 s
        wire.clear()
        asked_before_the_cut = []

        def cut(wire=wire, asked=asked_before_the_cut):
            wire.cut()
            asked.append(watches_asked(wire))

        wire.on("getData").pass_reply(lambda: threading.Timer(0.1, cut).start())
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(run_scenario, "fast_queue", wire.connect_string, path)
            wire.wait_for(1, "getData")
            threading.Timer(2, wire.mend).start()
            wire.wait_for(2, "getChildren2")  # after the reconnect
            delete()
            waiting.result()
        if asked_before_the_cut == [1]:
            return
    raise AssertionError(f"the link never broke in time in {TRIES} tries")


def test_a_session_that_watches_all_it_may_meanwhile_does_not_end_the_wait(run_scenario, queue_of, path):
    for _ in range(TRIES):
        delete, wire = queue_of(500)
        wire.clear()
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(run_scenario, "fast_queue", wire.connect_string, path, "full")
            wire.wait_for(2, "getData")  # the predecessor, and the own node when the wait gets longer
            asked = watches_asked(wire)
            delete()
            waiting.result()
        if asked == 2:
            return
    raise AssertionError(f"the session was never full in time in {TRIES} tries")
