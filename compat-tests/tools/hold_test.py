# SPDX-License-Identifier: Apache-2.0
"""The lock alone, for as long as standard input is open; and what systemd hears of it."""
import json
import signal
import socket

import pytest

from support.waiting import bound


def test_it_prints_node_and_token_and_holds_until_the_input_ends(start_lock, run_lock, admin, path):
    one = start_lock("hold", path, stdin=-1)
    node, token = one.line().split()
    assert (node, int(token)) == (f"{path}/{admin.children(path)[0]}", admin.zk.exists(node).czxid)
    assert run_lock("-n", path, "true")[0] == 1
    one.process.stdin.write("more\n")
    one.process.stdin.close()
    one.process.stdin = None
    assert one.end() == (0, "", "")
    assert admin.children(path) == []


def test_it_prints_the_same_as_json(start_lock, admin, path):
    one = start_lock("hold", "--format=json", "--shared", path, stdin=-1)
    held = json.loads(one.line())
    node = f"{path}/{admin.children(path)[0]}"
    about = admin.zk.exists(node)
    assert held == {"path": path, "node": node, "mode": "shared", "token": about.czxid,
                    "session": f"{about.ephemeralOwner:#x}"}
    one.process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_in_order_also_with_an_input_that_never_ends(start_lock, admin, path, number):
    """Services have /dev/null as standard input."""
    one = start_lock("hold", path)
    one.line()
    one.signal(number)
    assert one.end() == (0, "", "")
    assert admin.children(path) == []


def test_a_loss_is_said(start_lock, admin, path):
    one = start_lock("hold", path)
    one.line()
    admin.delete(f"{path}/{admin.children(path)[0]}")
    status, _, errors = one.end()
    assert status == 75 and f"the lock on {path} is lost" in errors and errors.count("\n") == 1


def test_stopped_longer_than_the_session_the_loss_is_said_when_it_goes_on(start_lock, run_lock, path):
    one = start_lock("hold", "--session-timeout=1s", path)
    one.line()
    one.signal(signal.SIGSTOP)
    assert run_lock(path, "true")[0] == 0
    one.signal(signal.SIGCONT)
    assert one.end()[0] == 75


def test_who_is_asked_for_the_lock_gives_it_back(start_lock, admin, path):
    one = start_lock("hold", "--revocable", path)
    one.line()
    admin.zk.set(f"{path}/{admin.children(path)[0]}", b"__REVOKE__")
    assert one.end()[0] == 0


@pytest.mark.parametrize("abstract", [False, True])
def test_systemd_hears_when_it_holds_and_when_it_ends(start_lock, path, tmp_path, abstract):
    name = f"\0curator-lock{path}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.settimeout(bound(20))
        listener.bind(name)
        one = start_lock("hold", path, environment={"NOTIFY_SOCKET": name.replace("\0", "@")})
        assert listener.recv(100) == b"READY=1"
        one.signal(signal.SIGTERM)
        assert listener.recv(100) == b"STOPPING=1"
    assert one.end()[0] == 0
