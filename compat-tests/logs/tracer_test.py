# SPDX-License-Identifier: Apache-2.0
"""The tracer gets what happened, how long it took, and how it ended."""
import time

import pytest


def test_each_part_of_a_hand_off_is_traced_with_its_time(c_peer, new_peer, zookeeper, recorded, path):
    held = c_peer.client(zookeeper.connect_string, trace=1).mutex(path)
    wanted = new_peer("c").client(zookeeper.connect_string, trace=1, log=1).mutex(path)
    holder, waiter = recorded(held.client), recorded(wanted.client)
    held.acquire()
    waiting = wanted.begin("acquire")
    waiter.wait_for_line(r"acquire .*: queued behind .*")
    waited_since = time.monotonic()
    time.sleep(0.1)  # a time that is to be found again
    waited_ms = (time.monotonic() - waited_since) * 1000
    held.release()
    waiting.wait()
    acquire, wait = waiter.wait_for_trace("acquire"), waiter.wait_for_trace("wait")
    assert acquire.ms >= wait.ms >= waited_ms
    assert (wait.status, wait.queued_behind, wait.path) == ("CURATOR_OK", 1, path)
    assert (acquire.status, acquire.path, acquire.session) == ("CURATOR_OK", path, wanted.client.session()[0])
    hold, release = holder.wait_for_trace("hold"), holder.wait_for_trace("release")
    assert hold.ms >= waited_ms and (hold.status, hold.path) == ("CURATOR_OK", path)
    assert (release.status, release.path) == ("CURATOR_OK", path)
    assert holder.traces("wait") == [] and holder.traces("loss") == []
    assert not any(trace.dropped for event in ("acquire", "hold", "release") for trace in holder.traces(event))


def test_what_ends_badly_is_traced_with_its_status(c_peer, zookeeper, admin, recorded, path):
    mutexes = [c_peer.client(zookeeper.connect_string, trace=1).mutex(path) for _ in range(2)]
    held, wanted = map(recorded, (mutex.client for mutex in mutexes))
    mutexes[0].acquire()
    mutexes[1].acquire_for(50, expect="CURATOR_TIMED_OUT")
    assert wanted.wait_for_trace("acquire").status == "CURATOR_TIMED_OUT"
    assert wanted.wait_for_trace("wait").status == "CURATOR_TIMED_OUT"
    mutexes[1].acquire_for(0, expect="CURATOR_TIMED_OUT")
    assert wanted.wait_for_trace("acquire", 2).status == "CURATOR_TIMED_OUT"
    assert len(wanted.traces("wait")) == 1  # it did not wait
    admin.delete(mutexes[0].lock_path())
    assert held.wait_for_trace("loss").status == "CURATOR_LOCK_LOST"
    mutexes[0].release(expect="CURATOR_LOCK_LOST")
    assert held.wait_for_trace("hold").status == "CURATOR_LOCK_LOST"
    assert held.wait_for_trace("release").status == "CURATOR_LOCK_LOST"


@pytest.mark.parametrize("pause_ms", [0, 60000])
def test_a_retry_is_traced_only_where_one_follows(c_peer, zookeeper, new_proxy, recorded, path, pause_ms):
    proxy = new_proxy(zookeeper)
    mutex = c_peer.client(proxy.connect_string, connection_timeout=100, retry=f"n:3:{pause_ms}", trace=1).mutex(path)
    record = recorded(mutex.client)
    proxy.cut()
    mutex.client.wait_for_state("SUSPENDED")  # from here on no call has a request that could be tried again
    mutex.acquire_for(0, expect="CURATOR_CONNECTION_LOSS")
    if pause_ms > 0:
        mutex.acquire_for(300, expect="CURATOR_TIMED_OUT")  # the pause before the retry is longer
    record.wait_for_trace("acquire", 2 if pause_ms > 0 else 1)
    assert record.traces("retry") == []


def test_a_lost_session_and_a_reconnect_are_traced(c_peer, zookeeper, new_proxy, recorded, path):
    proxy = new_proxy(zookeeper)
    mutex = c_peer.client(proxy.connect_string, session_timeout=2000, trace=1).mutex(path)
    record, session = recorded(mutex.client), mutex.client.session()[0]
    proxy.blip()
    again = record.wait_for_trace("reconnect")
    assert (again.status, again.path, again.session) == ("CURATOR_OK", "-", session)
    mutex.acquire()
    proxy.cut()
    mutex.wait_for_loss()
    losses = [record.wait_for_trace("loss", count) for count in (1, 2)]
    assert {loss.path for loss in losses} == {path, "-"}
    assert {(loss.status, loss.session) for loss in losses} == {("CURATOR_SESSION_EXPIRED", session)}
    proxy.mend()
    renewed = record.wait_for_trace("reconnect", 2)
    assert renewed.status == "CURATOR_SESSION_EXPIRED" and renewed.session == mutex.client.session()[0] != session
    assert renewed.ms >= next(loss.ms for loss in losses if loss.path == "-")
