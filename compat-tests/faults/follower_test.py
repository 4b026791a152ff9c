# SPDX-License-Identifier: Apache-2.0
"""A follower that cannot hear its leader any more goes on answering, while the leader ends its clients' sessions."""
import pytest

from support.waiting import bound, wait_until


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
