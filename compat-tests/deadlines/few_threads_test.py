# SPDX-License-Identifier: Apache-2.0
"""A process that can have no more threads."""
import os

import pytest

from support.admin import end_session
from support.peers import CPeer
from support.programs import WRAPPER, c_environment, program


class FewThreads(CPeer):
    """A process whose number of threads is limited by a file."""

    def __init__(self, file):
        self.file = file
        super().__init__()

    def command(self):
        return WRAPPER + [program("curator_peer_few_threads")]

    def environment(self):
        return {**c_environment(), "CURATOR_MAX_THREADS": str(self.file)}

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def allow(self, threads):
        new = self.file.with_suffix(".new")
        new.write_text(f"{threads}\n")
        new.rename(self.file)


@pytest.fixture
def few_threads(tmp_path):
    peer = FewThreads(tmp_path / "threads")
    yield peer
    peer.finish()


def test_no_threads_at_reconnect(few_threads, zookeeper, new_proxy, in_vain, path):
    """
    X8. The ZooKeeper client aborts the process when it cannot start a thread, so the library does not ask it for a
    session.
    """
    proxy = new_proxy(zookeeper)
    client = few_threads.client(proxy.connect_string)
    held, wanted = client.mutex(path), client.mutex(path)
    wanted.is_owned()  # the peer's own thread for it
    held.acquire()
    session = client.session()
    proxy.cut()
    end_session(zookeeper.connect_string, session)
    few_threads.allow(0)
    proxy.mend()
    held.wait_for_loss()
    call = in_vain(wanted, 1000)
    assert "Resource temporarily unavailable" in call.error
    in_vain(wanted, 300)
    few_threads.allow(few_threads.threads() + 2)  # as many as a session takes
    wanted.acquire()
    wanted.release()
    few_threads.allow(1000)
