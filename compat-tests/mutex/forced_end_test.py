# SPDX-License-Identifier: Apache-2.0
"""A release after the holder's session was ended by somebody else while it was cut off."""
import pytest

from support.admin import end_session


def ended_by_force(held, link, zookeeper, wanted):
    """The holder is cut off, its session is closed by another, and the next one holds."""
    session = held.client.session()
    link.cut()
    held.client.wait_for_state("SUSPENDED")
    end_session(zookeeper.connect_string, session)
    wanted.acquire()


@pytest.mark.parametrize("moment", ["while cut off", "when the link is back"])
def test_release_after_forced_end_is_lost(linked, mutex_of, zookeeper, path, moment):
    """X10 release_after_forced_end_is_lost."""
    (held, link), wanted = linked(session_timeout=30000), mutex_of("c")
    held.acquire()
    ended_by_force(held, link, zookeeper, wanted)
    if moment == "while cut off":
        releasing = held.begin("release")
        link.mend()
    else:
        link.mend()
        releasing = held.begin("release")
    assert path in releasing.wait("CURATOR_LOCK_LOST").error
    assert not held.is_acquired() and wanted.is_owned()
    held.release(expect="CURATOR_NOT_OWNER")
    wanted.release()


def test_a_nested_release_after_forced_end_is_lost_with_the_last(linked, mutex_of, zookeeper):
    (held, link), wanted = linked(session_timeout=30000), mutex_of("c")
    held.acquire()
    held.acquire()
    ended_by_force(held, link, zookeeper, wanted)
    held.release()  # by all that is known
    releasing = held.begin("release")
    link.mend()
    releasing.wait("CURATOR_LOCK_LOST")
    wanted.release()


def test_a_release_that_cannot_wait_for_the_end_is_pending(linked, mutex_of, zookeeper):
    (held, link), wanted = linked(session_timeout=30000, connection_timeout=300), mutex_of("c")
    held.acquire()
    ended_by_force(held, link, zookeeper, wanted)
    held.release(expect="CURATOR_RELEASE_PENDING")
    link.mend()
    held.client.wait_for_state("LOST")
    assert wanted.is_owned()
    wanted.release()
    held.acquire()
    held.release()
