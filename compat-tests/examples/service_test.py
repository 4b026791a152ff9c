# SPDX-License-Identifier: Apache-2.0
"""The skeleton of a service: it works while it holds the lock, and stops in order whatever it is doing."""
import re
import signal
import subprocess

import pytest

from examples.conftest import environment, example
from support.programs import SANITIZER_REPORT, WRAPPER
from support.waiting import bound, die_with_parent, wait_until

LOCK, COUNT = "/examples/service/lock", "/examples/service/count"


class Service:
    def __init__(self, log, *arguments):
        self.log = log
        with open(log, "w", encoding="utf-8") as output:
            self.process = subprocess.Popen(
                [*WRAPPER, example("service"), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=environment(log.parent), preexec_fn=die_with_parent)

    def output(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def prints(self, pattern, seconds=30) -> list:
        """Waits until it has printed that; gives all that matches."""
        return wait_until(lambda: re.findall(pattern, self.output(), re.MULTILINE), f"{pattern!r} printed", seconds)

    def stop(self, sent=signal.SIGTERM) -> str:
        """Ends it as an operator does; it has to end well."""
        self.process.send_signal(sent)
        self.process.wait(timeout=bound(30))
        output = self.output()
        assert self.process.returncode == 0, output
        assert output.endswith("stopped\n"), output
        assert not SANITIZER_REPORT.search(output), output
        return output


@pytest.fixture
def start_service(tmp_path):
    started = []

    def start(*arguments):
        started.append(Service(tmp_path / f"service-{len(started)}", *arguments))
        return started[-1]

    yield start
    for service in started:
        service.process.kill()
        service.process.wait()


def test_it_counts_while_it_holds_and_gives_the_lock_back_when_it_is_stopped(start_service, own_zookeeper, new_admin):
    admin = new_admin(own_zookeeper.connect_string)
    service = start_service(own_zookeeper.connect_string)
    service.prints(r"^counted 2$")
    output = service.stop()
    assert "stopping\nreleased the lock\nstopped\n" in output
    counted = re.findall(r"^counted (\d+)$", output, re.MULTILINE)
    assert [int(number) for number in counted] == list(range(len(counted)))
    assert admin.data(COUNT).decode() == counted[-1]
    assert admin.children(LOCK) == []


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_one_that_waits_stops_at_once_and_leaves_the_queue(sent, start_service, own_zookeeper, new_admin):
    admin = new_admin(own_zookeeper.connect_string)
    holder = start_service(own_zookeeper.connect_string)
    holder.prints("^holding the lock")
    waiter = start_service(own_zookeeper.connect_string)
    admin.wait_for_children(LOCK, 2)
    assert "holding" not in waiter.stop(sent)
    admin.wait_for_children(LOCK, 1)
    successor = start_service(own_zookeeper.connect_string)
    admin.wait_for_children(LOCK, 2)
    holder.stop()
    tokens = [int(service.prints(r"^holding the lock, token (\d+)$")[0]) for service in (holder, successor)]
    assert tokens[0] < tokens[1]
    successor.stop()


def test_one_whose_node_is_deleted_stops_its_work_and_queues_again(start_service, own_zookeeper, new_admin):
    admin = new_admin(own_zookeeper.connect_string)
    service = start_service(own_zookeeper.connect_string)
    service.prints("^counted")
    admin.delete(f"{LOCK}/{admin.children(LOCK)[0]}")
    service.prints("^lost the lock: ")
    wait_until(lambda: len(service.prints("^holding the lock")) == 2, "the lock held again")
    service.stop()


def test_one_whose_session_ends_stops_its_work_and_queues_again(start_service, own_zookeeper, new_proxy, new_admin):
    admin = new_admin(own_zookeeper.connect_string)
    proxy = new_proxy(own_zookeeper)
    service = start_service(proxy.connect_string, 4000)
    service.prints("^counted")
    proxy.cut()
    service.prints("^connection: LOST$")
    service.prints("^lost the lock: ")
    wait_until(lambda: admin.children(LOCK) == [], "the session's end on the server", 20)
    proxy.mend()
    wait_until(lambda: len(service.prints("^holding the lock")) == 2, "the lock held again", 30)
    assert service.stop().count("connection: RECONNECTED\n") == 1


def test_one_without_a_server_stops_all_the_same(start_service):
    service = start_service("127.0.0.1:1")
    service.prints("^waiting for the lock$")
    service.stop()


def test_a_wrong_connect_string_is_told(run_example):
    status, output = run_example("service", "localhost:not-a-port")
    assert status == 1
    assert "not-a-port" in output
