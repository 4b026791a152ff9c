# SPDX-License-Identifier: Apache-2.0
"""What curator-lock is started with, and what it does when it is stopped in the middle."""
import contextlib
import os
import signal
import subprocess
import time

import pytest

from support.waiting import bound, die_with_parent, wait_until
from tools.children_test import processes_of, supervisor_of
from tools.conftest import CURATOR_LOCK, alive, needs


def numbers_can_be_chosen() -> bool:
    choose = ["unshare", "--pid", "--fork", "sh", "-c", "echo 1000 >/proc/sys/kernel/ns_last_pid"]
    return os.geteuid() == 0 and subprocess.run(choose, stderr=subprocess.DEVNULL, check=False).returncode == 0


def test_where_the_end_of_children_is_ignored_the_commands_is_seen(run_lock, admin, path):
    """Some daemons ignore SIGCHLD, and all that they start inherits it. The command, too."""
    ignore = ("import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
              "os.execv(sys.argv[1], sys.argv[1:])")
    status, output, errors = run_lock(path, "/usr/bin/python3", "-c", ignore, CURATOR_LOCK, path + "/inner",
                                      "grep", "SigIgn", "/proc/self/status")
    assert (status, errors) == (0, "")
    assert int(output.split()[1], 16) & 1 << signal.SIGCHLD - 1
    assert admin.children(path + "/inner") == []


@pytest.mark.parametrize("words, status", [
    (["list", "--format=json"], 71), (["list"], 71), (["hold"], 71), (["--help"], 71), (["test"], 0)])
@pytest.mark.parametrize("closed", [">&-", "<&- >&-"])
def test_a_closed_output_is_no_other_descriptor(run_lock, path, words, status, closed):
    """The first descriptor of the library would have its number: the output would be sent to a server."""
    result = run_lock(path, "sh", "-c", f'"$@" {closed}', "-", CURATOR_LOCK, *words, path + "/inner")
    assert (result[:2], "cannot be written" in result[2]) == ((status, ""), status == 71)


def test_the_command_has_no_descriptors_but_those_that_it_was_given(run_lock, path, tmp_path):
    """Standard descriptors that are closed stay closed, and what curator-lock says about it disturbs nothing."""
    all_open = ("import os; fds = [fd for fd in range(1000) if os.path.lexists(f'/proc/self/fd/{fd}')]; "
                "print(*fds, file=FILE)")
    given = run_lock(path, "/usr/bin/python3", "-c", all_open.replace("FILE", "None"))[1].split()
    to_file = all_open.replace("FILE", f"open('{tmp_path}/open', 'w')")
    closed = [path, "sh", "-c", '"$@" <&- >&- 2>&-', "-", CURATOR_LOCK, path + "/inner"]
    status, _, errors = run_lock(*closed, "/usr/bin/python3", "-c", to_file)
    assert (status, errors) == (0, "")
    assert (tmp_path / "open").read_text().split() == [fd for fd in given if int(fd) > 2]
    status, _, errors = run_lock(*closed, "/no/such")
    assert (status, errors) == (127, "")


@pytest.mark.parametrize("loss", ["lease", "node"])
def test_a_command_whose_lock_is_lost_before_it_starts_is_not_started(start_lock, run_lock, new_proxy, zookeeper, admin,
                                                                      path, loss):
    link = new_proxy(zookeeper)
    holder = start_lock("hold", path)
    holder.line()
    waiting = start_lock("-z", link.connect_string, "--session-timeout=2s", "--on-lost=ignore", path, "echo", "ran")
    supervisor = supervisor_of(waiting)
    admin.wait_for_children(path, 2)
    os.kill(supervisor, signal.SIGSTOP)
    holder.signal(signal.SIGTERM)
    holder.end()
    (node,) = admin.wait_for_children(path, 1)
    wait_until(lambda: run_lock("test", path)[0] == 1, "the lock of the other")
    if loss == "lease":
        link.cut()
        admin.wait_for_children(path, 0)
    else:
        admin.delete(f"{path}/{node}")
    assert "is lost" in (said := waiting.process.stderr.readline()) and "not started" in said
    os.kill(supervisor, signal.SIGCONT)
    status, output, errors = waiting.end()
    assert (status, output, errors) == (75, "", "")


def test_a_command_that_is_stopped_again_and_again_ends_in_time_also_if_nobody_reads_of_it(start_lock, path):
    """Each stop is reported to curator-lock, which is stopped, too."""
    one = start_lock("--session-timeout=4s", path, "sh", "-c", "trap '' TERM; echo $$; while :; do sleep 0.01; done")
    command = int(one.line())
    one.signal(signal.SIGSTOP)
    deadline = time.monotonic() + bound(20)
    while alive(command) and time.monotonic() < deadline:
        for number in signal.SIGSTOP, signal.SIGCONT:
            with contextlib.suppress(ProcessLookupError):
                os.kill(command, number)
            time.sleep(0.001)  # so that the supervisor sees most of them
    assert not alive(command)
    one.signal(signal.SIGCONT)
    assert one.end()[0] == 75


def wake_ups(pid: int) -> int:
    """How often a process has begun to wait so far."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("voluntary_ctxt_switches"))


@needs(os.geteuid() == 0, "only root can become another user")
def test_a_group_is_not_empty_while_another_users_process_is_in_it(start_lock, run_lock, path):
    """As one that sudo has started. Root without CAP_KILL may not signal it, as no user may."""
    one = start_lock(path, "setpriv", "--bounding-set=-kill", "--inh-caps=-kill", CURATOR_LOCK, path + "/inner",
                     "sh", "-c", "setpriv --reuid=2 sleep 1000 & pid=$!; "
                     "until grep -q '^Uid:.2' /proc/$pid/status; do :; done; echo $pid; exit 3")
    other = int(one.line())
    try:
        supervisor = supervisor_of(one)
        (inner,) = processes_of(supervisor)
        (supervisor,) = processes_of(inner)
        wait_until(lambda: processes_of(supervisor) == [other], "the shell ended")
        before = wake_ups(supervisor)  # each time it looks whether the group is empty
        wait_until(lambda: wake_ups(supervisor) >= before + 3, "the supervisor's next looks at the group")
        assert one.running and run_lock("-n", path + "/inner", "true")[0] == 1
    finally:
        os.kill(other, signal.SIGKILL)
    assert one.end()[0] == 3


# A process that happens to have the number of a child of `$1`, and a supervisor that has the number of `$1`.
SAME_NUMBERS = """
parent=$1 child=$2; shift 2
echo $((child - 1)) >/proc/sys/kernel/ns_last_pid; sleep 1000 & other=$!
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" # whose search for leaks needs the /proc of its own namespace
echo $((parent - 2)) >/proc/sys/kernel/ns_last_pid; "$@" & lock=$!
wait $lock; echo $other $lock $?
kill -KILL $other && echo spared
"""


@needs(numbers_can_be_chosen(), "no PID namespace can be made in which numbers are chosen")
def test_in_a_namespace_with_the_proc_of_another_nobody_elses_process_is_killed(start_lock, admin, path):
    with subprocess.Popen(["sh", "-c", "sleep 1000 & echo $$ $!; wait"], stdout=subprocess.PIPE, text=True,
                          preexec_fn=die_with_parent) as outside:
        parent, child = map(int, outside.stdout.readline().split())
        inner = path + "/inner"
        one = start_lock(path, "unshare", "--pid", "--fork", "--kill-child", "sh", "-c", SAME_NUMBERS, "-", parent,
                         child, CURATOR_LOCK, "--foreground", inner, "sh", "-c", "trap 'exit 0' TERM; echo up; "
                         "while :; do sleep 0.01; done")
        assert one.line() == "up"
        admin.delete(f"{inner}/{admin.children(inner)[0]}")
        status, output, _ = one.end()
        os.kill(child, signal.SIGKILL)
    assert (status, output.split()) == (0, [str(child), str(parent - 1), "75", "spared"])
