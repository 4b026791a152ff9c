# SPDX-License-Identifier: Apache-2.0
"""
The command and what it starts: signals reach all of it, the lock is held until all of it is gone, and nothing outlives
curator-lock. Each of these is what another tool of this kind gets wrong.
"""
import os
import signal
import time

import pytest

from support.admin import sequence
from support.waiting import bound, wait_until
from tools.conftest import alive, wait_until_dead

# Prints the process ids of a command that ignores TERM, of its child, and of one that has left the group and session.
STUBBORN = """
trap '' TERM INT HUP
sh -c 'trap "" TERM; echo $$; sleep 1000 & wait; sleep 1000' &
setsid sh -c 'echo $$; sleep 1000; sleep 1000' &
echo $$
while :; do sleep 1; done
"""


def until(file) -> str:
    """Shell that waits for a file; traps run meanwhile."""
    return f"while [ ! -e {file} ]; do sleep 0.02; done"


def start_stubborn(start_lock, *words, **options) -> tuple:
    one = start_lock(*words, "sh", "-c", STUBBORN, **options)
    return one, [int(one.line()) for _ in range(3)]


def processes_of(pid: int) -> list:
    """The ids of a process's children, as the kernel has them now."""
    children = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit():
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                    if int(stat.read().rpartition(")")[2].split()[1]) == pid:
                        children.append(int(entry))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return children


def supervisor_of(one) -> int:
    (supervisor,) = wait_until(lambda: processes_of(one.pid), "the supervisor")
    return supervisor


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1,
                                    signal.SIGUSR2])
def test_a_signal_reaches_the_command_and_its_children(start_lock, path, number):
    """consul lock passes no signals on."""
    one = start_lock(path, "sh", "-c", "echo $$; sleep 1000 | sleep 1000")
    group = int(one.line())
    wait_until(lambda: len(processes_of(group)) == 2, "both children")
    one.signal(number)
    assert one.end()[0] == 128 + number
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)


def test_a_command_that_handles_a_signal_decides(start_lock, path):
    one = start_lock(path, "sh", "-c", "trap 'echo reloaded' USR1; trap 'exit 7' TERM; echo up; "
                                       "while :; do sleep 0.01; done")
    assert one.line() == "up"
    one.signal(signal.SIGUSR1)
    assert one.line() == "reloaded"
    one.signal(signal.SIGTERM)
    assert one.end()[0] == 7


def test_no_shell_stays_between_us_and_a_simple_command(start_lock, path):
    """consul lock leaves the grandchildren of sh -c alive."""
    one = start_lock(path, "-c", "sleep 1000")
    command = wait_until(lambda: [pid for pid in processes_of(supervisor_of(one))
                                  if open(f"/proc/{pid}/comm", encoding="ascii").read() == "sleep\n"], "sleep itself")
    one.signal(signal.SIGTERM)
    assert one.end()[0] == 128 + signal.SIGTERM
    wait_until_dead(*command)


@pytest.mark.parametrize("string, output", [
    ("cd / && pwd", "/\n"), ("echo 'a\\tb'; echo c", "a\tb\nc\n"), ("A=1 sh -c 'echo $A'", "1\n"),
    ("exit 0", ""), ("if true; then echo x; fi", "x\n"), ("expr 1 + 2 | cat", "3\n"), ("expr 1 + 2 #x", "3\n")])
def test_a_string_means_what_it_means_to_the_shell(run_lock, path, string, output):
    assert run_lock(path, "-c", string) == (0, output, "")


def test_the_lock_is_held_until_the_last_of_the_group_is_gone(start_lock, run_lock, admin, path):
    one = start_lock(path, "sh", "-c", "sleep 1000 & echo $!; exit 3")
    child = int(one.line())
    wait_until(lambda: not [pid for pid in processes_of(supervisor_of(one)) if pid != child], "the shell ended")
    assert one.running and run_lock("-n", path, "true")[0] == 1
    os.kill(child, signal.SIGKILL)
    assert one.end()[0] == 3
    assert admin.children(path) == []


def test_what_has_left_the_group_lives_on_after_an_orderly_end(start_lock, path, tmp_path):
    has_left = tmp_path / "has-left"
    one = start_lock(path, "sh", "-c", f"setsid sh -c 'echo $$; touch {has_left}; exec sleep 1000 >/dev/null 2>&1' & "
                                       f"{until(has_left)}; exit 0")
    daemon = int(one.line())
    try:
        assert one.end()[0] == 0
        assert alive(daemon)
    finally:
        os.kill(daemon, signal.SIGKILL)


def test_if_curator_lock_is_killed_all_of_it_dies(start_lock, path):
    one, processes = start_stubborn(start_lock, path)
    one.signal(signal.SIGKILL)
    wait_until_dead(*processes)


def test_if_the_supervisor_is_killed_all_of_it_dies_and_it_is_said(start_lock, admin, path):
    one, processes = start_stubborn(start_lock, path)
    os.kill(supervisor_of(one), signal.SIGKILL)
    status, _, errors = one.end()
    assert (status, "supervisor" in errors) == (71, True)
    assert not any(map(alive, processes)) and admin.children(path) == []


def test_if_curator_lock_is_killed_while_it_waits_its_helper_ends(start_lock, path):
    start_lock(path, "sh", "-c", "echo; sleep 1000").line()
    waiting = start_lock(path, "true")
    supervisor = wait_until(lambda: processes_of(waiting.pid), "the supervisor")
    waiting.signal(signal.SIGKILL)
    wait_until_dead(*supervisor)


def test_a_node_that_is_deleted_is_a_loss_at_once(start_lock, admin, path):
    """etcdctl lock does nothing when the lock is lost, lockex logs it and goes on."""
    one = start_lock(path, "sh", "-c", "trap 'echo asked; exit 0' TERM; echo up; while :; do sleep 0.01; done")
    assert one.line() == "up"
    admin.delete(f"{path}/{admin.children(path)[0]}")
    status, output, errors = one.end()
    assert (status, output) == (75, "asked\n")
    assert f"the lock on {path} is lost" in errors


def test_what_ignores_the_signal_is_killed_after_the_grace(start_lock, new_admin, new_zookeeper, path):
    """And not at the end of the lease, which is 30 s away at least."""
    server = new_zookeeper(tick_ms=2000)
    admin = new_admin(server.connect_string)
    one, processes = start_stubborn(start_lock, "-z", server.connect_string, "--session-timeout=40s", "-k", "300ms",
                                    path)
    admin.delete(f"{path}/{admin.children(path)[0]}")
    assert one.end(15)[0] == 75
    assert not any(map(alive, processes))


def test_without_a_grace_it_is_killed_before_the_lease_ends(start_lock, new_proxy, zookeeper, path):
    """The supervisor is first, and the library, which reports the end of the lease, second; if only once of three."""
    says = []
    for _ in range(3):
        link = new_proxy(zookeeper)
        one = start_lock("-z", link.connect_string, "--session-timeout=2s", "-k", "0", path, "sh", "-c",
                         "echo; exec sleep 1000")
        one.line()
        link.cut()
        status, _, errors = one.end()
        assert status == 75
        says.append(errors)
        if "its lease is over" in errors:
            return
    raise AssertionError(f"killed late, and not because the machine was: {says}")


@pytest.mark.parametrize("on_lost, output", [("term", "asked\ndone\n"), ("ignore", "done\n")])
def test_who_does_not_want_it_is_not_killed(start_lock, admin, path, tmp_path, on_lost, output):
    go_on, looked = tmp_path / "go-on", tmp_path / "looked"
    one = start_lock("--on-lost", on_lost, "--session-timeout=2s", "--grace=1ms", path, "sh", "-c",
                     f"trap 'echo asked' TERM; trap 'touch {looked}' USR1; echo up; {until(go_on)}; echo done; exit 5")
    assert one.line() == "up"
    admin.delete(f"{path}/{admin.children(path)[0]}")
    one.wait_for_error("is lost")
    # The supervisor looks at the lease before each order. When the second one has come, the grace was over.
    for _ in range(2):
        one.signal(signal.SIGUSR1)
        wait_until(looked.exists, "the signal that was handed on")
        looked.unlink()
    go_on.touch()
    assert one.end()[:2] == (75, output)


def test_the_signal_of_a_loss_can_be_chosen(start_lock, admin, path):
    one = start_lock("--signal", "sigusr1", path, "sh", "-c",
                     "trap 'echo asked; exit 0' USR1; echo up; while :; do sleep 0.01; done")
    assert one.line() == "up"
    admin.delete(f"{path}/{admin.children(path)[0]}")
    assert one.end()[:2] == (75, "asked\n")


def test_who_is_asked_for_the_lock_asks_the_command(start_lock, admin, path):
    one = start_lock("--revocable", path, "sh", "-c", "trap 'echo asked; exit 0' TERM; echo up; "
                                                      "while :; do sleep 0.01; done")
    assert one.line() == "up"
    (node,) = admin.children(path)
    admin.zk.set(f"{path}/{node}", b"__REVOKE__")
    assert one.end()[:2] == (0, "asked\n")


def test_stopped_longer_than_the_session_it_is_a_loss(start_lock, run_lock, path):
    """The supervisor goes on: the command is dead before the next one can hold, although curator-lock stands still."""
    one, processes = start_stubborn(start_lock, "--session-timeout=2s", path)
    one.signal(signal.SIGSTOP)
    assert run_lock(path, "sh", "-c", "for p; do grep -q '^State:[^XZ]*$' /proc/$p/status 2>/dev/null && echo $p; done",
                    "-", *processes)[1] == ""
    assert not any(map(alive, processes))
    one.signal(signal.SIGCONT)
    status, _, errors = one.end()
    assert status == 75 and "is lost" in errors


def pending(pid: int) -> int:
    """The signals of a process that nobody has read yet."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
        return next(int(line.split()[1], 16) for line in status if line.startswith("ShdPnd"))


@pytest.mark.parametrize("session, signals", [("2s", 0), ("10s", 400)])
def test_a_supervisor_that_is_stopped_does_not_save_the_command(start_lock, new_proxy, zookeeper, path, session,
                                                                signals):
    """Nor do signals that wait for it and fill the socket that leads to it."""
    link = new_proxy(zookeeper)
    one, processes = start_stubborn(start_lock, "-z", link.connect_string, "--session-timeout", session,
                                    "--connection-timeout=1s", path)
    supervisor = supervisor_of(one)
    os.kill(supervisor, signal.SIGSTOP)
    for _ in range(signals):
        one.signal(signal.SIGWINCH)
        wait_until(lambda: not pending(one.pid), "the signal was read", 20)
    link.cut()
    wait_until_dead(*processes)
    os.kill(supervisor, signal.SIGCONT)
    assert one.end()[0] == 75


def test_a_short_break_of_the_link_costs_nothing(start_lock, new_proxy, zookeeper, admin, path, tmp_path):
    link, go_on = new_proxy(zookeeper), tmp_path / "go-on"
    one = start_lock("-v", "-z", link.connect_string, "--session-timeout=8s", path, "sh", "-c",
                     f"trap 'echo asked' TERM; echo up; {until(go_on)}; echo done")
    assert one.line() == "up"
    link.blip()
    one.wait_for_error("RECONNECTED")  # which is said when the lease is renewed
    go_on.touch()
    assert one.end()[:2] == (0, "done\n")
    assert admin.children(path) == []


def test_an_endangered_lock_that_is_saved_is_not_lost(start_lock, run_lock, new_proxy, new_zookeeper, path, tmp_path):
    """A renewal takes half a tick and three probes, here 4 of the 6 s that are left: T is long for a slow machine."""
    server, go_on = new_zookeeper(tick_ms=2000), tmp_path / "go-on"
    link = new_proxy(server)
    one = start_lock("-z", link.connect_string, "--session-timeout=24s", "-k", "6s", path, "sh", "-c",
                     f"trap 'echo asked' TERM; echo up; {until(go_on)}; echo saved; exit 6")
    assert one.line() == "up"
    link.mute_answers()
    assert one.line() == "asked"
    link.unmute()
    # Longer than the rest of the lease that was endangered: without a renewal all is killed by then.
    assert run_lock("-z", server.connect_string, "-w", "7s", path, "true")[0] == 1
    go_on.touch()
    status, output, errors = one.end()
    assert (status, output) == (6, "saved\n")
    assert "will be lost" in errors and "is lost" not in errors


def test_a_release_to_a_silent_server_is_given_up_after_five_seconds(start_lock, new_proxy, new_zookeeper, path):
    """And the session's end after five more, whatever the connection time-out is."""
    link = new_proxy(new_zookeeper(tick_ms=2000))
    one = start_lock("-z", link.connect_string, "--connection-timeout=1h", "--session-timeout=40s",
                     "--on-lost=ignore", path, "sh", "-c", "echo up; read line; exit 4", stdin=-1)
    assert one.line() == "up"
    link.mute()
    began = time.monotonic()
    one.process.stdin.write("end\n")
    one.process.stdin.flush()
    status, _, errors = one.end(120)
    assert (status, "not confirmed" in errors) == (4, True)
    assert 5 <= time.monotonic() - began < bound(20)


def test_a_release_that_cannot_be_confirmed_is_a_warning(start_lock, new_proxy, zookeeper, admin, path):
    link = new_proxy(zookeeper)
    one = start_lock("-z", link.connect_string, "--connection-timeout=300ms", "--session-timeout=10s", path, "sh", "-c",
                     "echo up; read line; exit 4", stdin=-1)
    assert one.line() == "up"
    link.cut()
    one.process.stdin.write("end\n")
    one.process.stdin.flush()
    status, _, errors = one.end()
    assert (status, "not confirmed" in errors) == (4, True)
    admin.wait_for_children(path, 0, seconds=30)


def test_the_turns_of_a_queue_are_fair_and_exclusive(start_lock, admin, path, tmp_path):
    history = tmp_path / "history"
    contenders = []
    for number in range(5):
        contenders.append(start_lock(path, "sh", "-c", f"echo {number} in >>{history}; sleep 0.05; "
                                                       f"echo {number} out >>{history}"))
        # Behind those before it, unless they have ended.
        wait_until(lambda number=number: history.exists() and f"{number} in" in history.read_text() or any(
            sequence(node) == number for node in admin.children(path)), f"contender {number} in the queue")
    assert [one.end()[0] for one in contenders] == [0] * 5
    assert history.read_text().split() == " ".join(f"{n} in {n} out" for n in range(5)).split()
