# SPDX-License-Identifier: Apache-2.0
"""The recipes of docs/curator-lock.md do what the page says, taken from the page as they stand there."""
import os
import re
import shutil
import signal
import subprocess

import pytest

from docs.pages import FENCED, ROOT
from support.programs import c_environment
from support.waiting import bound, die_with_parent, wait_until
from tools.conftest import CURATOR_LOCK, needs

PAGE = (ROOT / "docs/curator-lock.md").read_text(encoding="utf-8")
LINES = re.findall(r"^    (curator-lock .*?)(?: +# .*)?$", PAGE, re.M)


def recipes(language: str, heading: str) -> list:
    """The blocks below a heading."""
    section = PAGE[PAGE.index(f"\n## {heading}\n"):].split("\n## ")[1]
    return [code for name, code in FENCED.findall(section + "\n") if name == language]


@pytest.fixture
def shell(zookeeper, admin, path, tmp_path):
    """
    shell(script): starts it by bash, in a folder of its own that has the programs of stand_in(), below a chroot of its
    own. What the script says of servers and long waits is for a fleet: changed(...) has it for the test.
    """
    admin.create(path)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "curator-lock").symlink_to(os.path.abspath(CURATOR_LOCK))
    environment = {**c_environment(), "CURATOR_SERVERS": zookeeper.connect_string + path,
                   "PATH": f"{programs}:{os.environ['PATH']}"}
    started = []

    def start(script):
        started.append(subprocess.Popen(["bash", "-c", script], env=environment, cwd=tmp_path, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        start_new_session=True, preexec_fn=die_with_parent))
        return started[-1]

    yield start
    for one in started:
        if one.poll() is None:
            os.killpg(one.pid, signal.SIGKILL)
        one.communicate()


@pytest.fixture
def stand_in(tmp_path, shell):
    """stand_in("backup", "exit 3"): a program of that name, which notes each call with its arguments in `calls`."""
    calls = tmp_path / "calls"
    calls.touch()

    def make(name, script=""):
        file = tmp_path / name if "/" in name else tmp_path / "bin" / name
        file.write_text(f'#!/bin/sh\necho "{os.path.basename(name)} $*" >>{calls}\n{script}\n')
        file.chmod(0o755)
        return calls

    return make


def end(process) -> tuple:
    output = process.communicate(timeout=bound(60))[0]
    return process.returncode, output


def wait_for_call(calls, line):
    wait_until(lambda: line in calls.read_text().splitlines(), f"the call {line}", 30)


def test_the_first_lines_of_the_page(shell, stand_in):
    calls = stand_in("make-report")
    for name in "a", "b":
        stand_in(name)
    assert len(LINES) == 5
    for line in LINES:
        status, output = end(shell(line))
        assert (status, output) == ((1, "curator-lock: nobody holds /locks/report\n") if " revoke " in line else
                                    (0, "free\n") if " list " in line else (0, ""))
    assert calls.read_text().splitlines() == ["make-report --monthly", "make-report ", "a ", "b "]


def test_cron_runs_it_on_one_host(shell, stand_in, tmp_path):
    calls = stand_in("backup", f"while [ ! -e {tmp_path}/go-on ]; do sleep 0.02; done")
    (table,) = recipes("crontab", "A cron job on many hosts")
    variable, job = table.splitlines()
    assert variable.startswith("CURATOR_SERVERS=")
    *when, user, command = job.split(None, 6)
    assert (when, user) == (["15", "3", "*", "*", "*"], "root")
    first = shell(command)
    wait_for_call(calls, "backup --all")
    assert end(shell(command)) == (0, "")
    (tmp_path / "go-on").touch()
    assert end(first) == (0, "")
    assert calls.read_text() == "backup --all\n"


def test_cron_where_the_clocks_differ(shell, stand_in):
    calls = stand_in("backup", "exit 3")
    stand_in("sleep")
    (command,) = recipes("sh", "A cron job on many hosts")
    assert end(shell(command)) == (3, "")
    assert calls.read_text() == "backup --all\nsleep 60\n"


@pytest.mark.parametrize("status, says", [(0, ""), (1, "the deployment failed\n")])
def test_a_deployment_that_ends(shell, stand_in, status, says):
    (script,) = recipes("sh", "A deployment that must not overlap")
    calls = stand_in("./deploy.sh", f"exit {status}")
    assert end(shell(script)) == (0, says)
    assert calls.read_text() == "deploy.sh production\n"


def test_a_deployment_that_finds_another_or_loses_the_lock(shell, stand_in, admin, path):
    (script,) = recipes("sh", "A deployment that must not overlap")
    assert "-w 10m" in script
    calls = stand_in("./deploy.sh", "exec sleep 1000")
    first = shell(script)
    wait_for_call(calls, "deploy.sh production")
    (node,) = admin.children(f"{path}/deploy/shop")
    status, output = end(shell(script.replace("-w 10m", "-w 100ms")))
    assert status == 0 and "holds" in output and node in output
    admin.delete(f"{path}/deploy/shop/{node}")
    status, output = end(first)
    assert status == 0 and output.endswith("lost the lock in the middle: look at what was done\n")
    assert calls.read_text() == "deploy.sh production\n"


def units(*headings) -> dict:
    """Name -> text of the units on the page."""
    blocks = [block for heading in headings for block in recipes("ini", heading)]
    return {name: text for block in blocks
            for name, text in re.findall(r"^# (\S+\.service)\n(.*?)(?=^# |\Z)", block, re.M | re.S)}


ALL_UNITS = units("A systemd unit that is ready when it holds", "The leader of a fleet of daemons")


@needs(shutil.which("systemd-analyze"), "there is no systemd-analyze (apt-get install systemd)")
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path):
    assert set(ALL_UNITS) == {"orders-lock.service", "orders.service", "billing.service"}
    for name, text in ALL_UNITS.items():
        ours = text.replace("/usr/bin/curator-lock", os.path.abspath(CURATOR_LOCK))
        (tmp_path / name).write_text(re.sub("/usr/bin/(orders|billing)", "/bin/true", ours))
    done = subprocess.run(["systemd-analyze", "verify", *(tmp_path / name for name in ALL_UNITS)], capture_output=True,
                          text=True, check=False, env={**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"})
    assert (done.returncode, done.stderr) == (0, "")


def test_the_next_daemon_leads_when_the_first_is_asked_to_end(shell, stand_in, admin, path):
    """As `systemctl stop` does with KillMode=mixed: SIGTERM to curator-lock alone."""
    (command,) = re.findall("^ExecStart=/usr/bin/(.*)$", ALL_UNITS["billing.service"], re.M)
    calls = stand_in("billing", "exec sleep 1000")
    command = command.replace("/usr/bin/billing", "billing")
    first = shell("exec " + command)
    wait_for_call(calls, "billing ")
    shell("exec " + command)
    admin.wait_for_children(f"{path}/leaders/billing", 2)
    assert end(shell("curator-lock revoke --holder /leaders/billing")) == (0, "")
    status, output = end(first)
    assert status == 128 + signal.SIGTERM and "asked for the lock on /leaders/billing" in output
    wait_until(lambda: calls.read_text() == "billing \nbilling \n", "the next leader", 30)


@needs(shutil.which("sqlite3"), "there is no sqlite3 (apt-get install sqlite3)")
def test_a_migration_is_refused_when_a_later_holder_was_there(shell, tmp_path):
    heading = "A migration guarded by the fencing token"
    (migration,) = recipes("sql", heading)
    psql, sqlite = recipes("sh", heading)
    assert "psql" in psql and "sqlite3" in sqlite
    (tmp_path / "migration.sql").write_text(migration)
    (once,) = re.findall("^-- once: (.*)$", migration, re.M)

    def query(text) -> str:
        return subprocess.run(["sqlite3", tmp_path / "shop.db", text], capture_output=True, text=True,
                              check=True).stdout

    query(once + " CREATE TABLE orders (id int)")
    assert end(shell(sqlite)) == (0, "")
    assert "note" in query("SELECT sql FROM sqlite_master WHERE name = 'orders'")
    token = int(query("SELECT token FROM guards"))
    assert token > 0
    query("DROP TABLE orders; CREATE TABLE orders (id int)")
    assert end(shell(sqlite)) == (0, "")
    later = int(query("SELECT token FROM guards"))
    assert later > token
    query(f"DROP TABLE orders; CREATE TABLE orders (id int); UPDATE guards SET token = {1 << 62}")
    status, output = end(shell(sqlite))
    assert status == 1 and "NOT NULL constraint failed" in output
    assert "note" not in query("SELECT sql FROM sqlite_master WHERE name = 'orders'")
    assert query("SELECT token FROM guards") == f"{1 << 62}\n"
