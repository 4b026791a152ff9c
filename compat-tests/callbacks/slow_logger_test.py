# SPDX-License-Identifier: Apache-2.0
"""A slow logger delays nothing except the closing of its own framework."""
import time

TIMEOUT_MS = 4000  # as long as the logger blocks at each of its first lines
WELL_BEFORE_THE_LOGGER_RETURNS_S = 3


def test_a_slow_logger_delays_no_loss_and_no_question(c_peer, new_peer, zookeeper, new_proxy, path):
    """X6 slow_logger_delays_no_loss."""
    proxy = new_proxy(zookeeper)
    held = c_peer.client(proxy.connect_string, session_timeout=TIMEOUT_MS, slow_log=1).mutex(path)
    wanted = new_peer("c").client(zookeeper.connect_string).mutex(path)
    held.acquire()
    waiting = wanted.begin("acquire")
    proxy.cut()  # from here on the ZooKeeper client logs every try to connect
    while not held.losses():
        began = time.monotonic()
        held.is_owned()
        held.client.state()
        assert time.monotonic() - began < WELL_BEFORE_THE_LOGGER_RETURNS_S
    waiting.wait(seconds=2 * TIMEOUT_MS / 1000 + 20)
    assert held.wait_for_loss().time < waiting.ended
    proxy.mend()
    held.release(expect="CURATOR_LOCK_LOST")
    wanted.release()
    held.acquire()
    held.release()
    held.client.close(expect=None)  # every line is delivered by then
    assert f"lock {path} is lost: the session is over" in c_peer.errors(last=10_000_000)
