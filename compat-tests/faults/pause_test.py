# SPDX-License-Identifier: Apache-2.0
"""The process is stopped at the worst moment."""
import signal

from support.process_status import stopped
from support.waiting import wait_until

TIMEOUT_MS = 2000


def test_a_grant_that_was_slept_over_is_none(new_peer, c_peer, zookeeper, new_wire, admin, path):
    """CURATOR-604 in time instead of place: the list was right when it was made, and the session has ended since."""
    sleeper = new_peer("c")
    wire = new_wire(zookeeper)
    slept = sleeper.client(wire.connect_string, session_timeout=TIMEOUT_MS, retry="n:5:20").mutex(path)
    wanted = c_peer.client(zookeeper.connect_string).mutex(path)
    slept.acquire()
    slept.release()

    def stop():
        sleeper.signal(signal.SIGSTOP)
        wait_until(lambda: stopped(sleeper), "the process stopped")

    rule = wire.on("getChildren2").pass_reply(then=stop)  # the list that grants it the lock, which arrives meanwhile
    acquiring = slept.begin("acquire")
    rule.wait()
    wanted.acquire()  # when the session has ended
    sleeper.signal(signal.SIGCONT)
    queue = admin.wait_for_children(path, 2)
    assert not acquiring.done
    assert not slept.is_acquired(thread="another")
    wanted.release()
    acquiring.wait()
    assert slept.lock_path() == f"{path}/{queue[1]}"
    assert slept.losses() == []
    slept.release()
