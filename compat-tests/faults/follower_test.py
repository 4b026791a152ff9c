# SPDX-License-Identifier: Apache-2.0
"""A follower without its leader goes on answering reads while the leader ends its clients' sessions."""
import threading

import pytest
from kazoo.security import make_acl

from support import jars
from support.waiting import bound, wait_until


@pytest.mark.parametrize("tick_ms, timeout_ms", [(500, 1000), (500, 2000), (2000, 4000)])
def test_a_holder_on_a_follower_without_its_leader_is_told_before_another_holds(
        c_peer, new_ensemble, path, tick_ms, timeout_ms):
    """
    CURATOR-206: reads and pings are answered all the time; only an answer that needs the leader proves that the session
    is alive.
    """
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
        wait_until(lambda lost_before=lost_before: len(held.losses()) > lost_before, "the loss told")
        assert held.losses()[-1].time < waiting.ended
        assert not held.is_acquired()
        ensemble.mend()
        held.release(expect="CURATOR_LOCK_LOST")
        wanted.release()
        wait_until(lambda: held.client.state() in ("CONNECTED", "RECONNECTED"), "a new session", 60)


def test_what_a_follower_refuses_by_itself_renews_no_lease(c_peer, new_ensemble, new_admin, path):
    """With enableEagerACLCheck a follower without its leader answers NOAUTH."""
    ensemble = new_ensemble(1000, java=jars.java() + ["-Dzookeeper.enableEagerACLCheck=true"])
    new_admin(ensemble.others[0].connect_string).create("/forbidden", acl=[make_acl("world", "anyone", read=True)])
    client = c_peer.client(ensemble.follower.connect_string, session_timeout=6000)
    held, forbidden = client.mutex(path), client.mutex("/forbidden")
    wanted = c_peer.client(ensemble.others[0].connect_string, session_timeout=20000).mutex(path)
    held.acquire()
    forbidden.acquire_for(1000, thread="refused", expect="CURATOR_NO_AUTH")
    over = threading.Event()

    def ask_again_and_again():
        while not over.wait(0.1):
            forbidden.begin("acquire_for", 300, thread="refused").wait(expect=None)

    asking = threading.Thread(target=ask_again_and_again)
    asking.start()
    try:
        waiting = wanted.begin("acquire")
        wait_until(lambda: len(wanted.participants(thread="counter")) == 2, "both in the queue")
        ensemble.cut_off()
        waiting.wait(seconds=bound(60))
        wait_until(held.losses, "the loss told", 60)
        assert held.losses()[0].time < waiting.ended
    finally:
        over.set()
        asking.join()
    ensemble.mend()
    wanted.release()
    held.release(expect="CURATOR_LOCK_LOST")
