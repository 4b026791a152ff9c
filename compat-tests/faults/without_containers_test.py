# SPDX-License-Identifier: Apache-2.0
"""Servers that know no containers: a real one refuses the requests that the proxy has made unknown, or invalid."""
import struct

import pytest


def of_unknown_type(_link, frame):
    """As a ZooKeeper before 3.5.3 takes it: unimplemented."""
    return frame[:8] + struct.pack(">i", 999) + frame[12:]


def of_invalid_path(_link, frame):
    """As ClickHouse Keeper takes it: bad arguments."""
    return frame[:16] + b"x" + frame[17:]


def refuse(wire, operation, how):
    """All creates of parents by this operation."""
    return wire.on(operation, path=lambda asked: "-lock-" not in asked, nth=None).arm("request", "refused", how, None)


@pytest.mark.parametrize("how", [of_unknown_type, of_invalid_path])
def test_parents_are_persistent_nodes_then(wired, mutex_of, admin, path, how):
    mutex, wire = wired()
    containers = refuse(wire, "createContainer", how)
    mutex.acquire()
    tried = containers.times
    assert tried >= 1  # the server may close the connection before its answer has arrived, then all are asked again
    mutex.release()
    mutex.client.mutex(path + "/deeper").acquire()
    assert containers.times == tried  # from then on none is asked for
    assert admin.exists(path + "/deeper")
    other = mutex_of("java")
    other.acquire()
    other.release()


def test_bad_arguments_that_are_not_about_containers_do_not_end_their_use(wired, admin, path):
    mutex, wire = wired()
    refusals = [refuse(wire, operation, of_invalid_path) for operation in ("createContainer", "create2")]
    error = mutex.acquire(expect="CURATOR_ERROR").error
    assert "bad arguments" in error and path.split("/")[1] in error
    assert [refusal.times for refusal in refusals] == [3, 3]
    for refusal in refusals:
        refusal.stop()
    wire.clear()
    mutex.acquire()
    assert wire.count()["createContainer"] == 3
    mutex.release()
