# SPDX-License-Identifier: Apache-2.0
"""The process is stopped at the worst moment."""
import signal
import threading

from support.waiting import wait_until
from support.wire import Wire

TIMEOUT_MS = 2000


class StopsAtTheList(Wire):
    """Stops a process when the list that grants it the lock is on its way, and lets the list arrive meanwhile."""

    def __init__(self, target_port, peer):
        self.peer = peer
        self.stops = False
        self.lists = set()  # xids
        self.stopped = threading.Event()
        super().__init__(target_port)

    def stop_at_next_list(self):
        with self.noting:
            self.stops = True

    def note_request(self, frame):
        super().note_request(frame)
        if self.requests and self.requests[-1].operation == "getChildren2" and self.stops:
            self.lists.add(frame[:4])

    def note_answer(self, xid):
        super().note_answer(xid)
        if self.stops and xid.to_bytes(4, "big", signed=True) in self.lists:
            self.stops = False
            self.peer.signal(signal.SIGSTOP)
            wait_until(lambda: stopped(self.peer), "the process stopped")
            self.stopped.set()


def stopped(peer) -> bool:
    with open(f"/proc/{peer.process.pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] == "T"


def test_a_grant_that_was_slept_over_is_none(new_peer, c_peer, zookeeper, admin, path):
    """CURATOR-604 in time instead of place: the list was right when it was made, and the session has ended since."""
    sleeper = new_peer("c")
    wire = StopsAtTheList(zookeeper.port, sleeper)
    try:
        slept = sleeper.client(wire.connect_string, session_timeout=TIMEOUT_MS, retry="n:5:20").mutex(path)
        wanted = c_peer.client(zookeeper.connect_string).mutex(path)
        slept.acquire()
        slept.release()
        wire.stop_at_next_list()
        acquiring = slept.begin("acquire")
        assert wire.stopped.wait(20)
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
    finally:
        wire.remove()
