# SPDX-License-Identifier: Apache-2.0
"""The skeleton of a service: it works while it holds the lock, and stops in order whatever it is doing."""
import re
import signal

import pytest
from kazoo.security import ACL, Id, Permissions

from support.waiting import wait_until

LOCK, COUNT = "/examples/service/lock", "/examples/service/count"


@pytest.fixture
def start_service(start_example):
    return lambda *arguments: start_example("service", *arguments)


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


def test_a_write_without_the_lock_is_no_loss(start_service, own_zookeeper, new_wire, new_admin):
    admin, wire = new_admin(own_zookeeper.connect_string), new_wire(own_zookeeper)
    service = start_service(wire.connect_string)
    service.prints("^counted 1$")
    wire.on("multi").pass_request(lambda: admin.zk.set(COUNT, b"70"))
    service.prints("^WARN count: somebody writes without the lock$")
    service.prints("^counted 71$")
    assert "refused" not in service.stop()


def test_the_guard_refuses_a_write_that_comes_too_late(start_service, own_zookeeper, new_wire, new_admin):
    admin, wire = new_admin(own_zookeeper.connect_string), new_wire(own_zookeeper)
    service = start_service(wire.connect_string)
    service.prints("^counted 1$")
    wire.on("multi").pass_request(lambda: admin.delete(f"{LOCK}/{admin.children(LOCK)[0]}"))
    service.prints("^refused: the lock is gone$")
    service.prints("^lost the lock: ")
    wait_until(lambda: len(service.prints("^holding the lock")) == 2, "the lock held again")
    assert "WARN count" not in service.stop()


def test_a_release_that_the_server_refuses_is_no_loss(start_service, own_zookeeper, new_admin):
    admin = new_admin(own_zookeeper.connect_string)
    service = start_service(own_zookeeper.connect_string)
    service.prints("^counted 1$")
    admin.zk.set_acls(LOCK, [ACL(Permissions.ALL & ~Permissions.DELETE, Id("world", "anyone"))])
    output = service.stop()
    assert re.search(f"^ERROR the lock is not free: curator_mutex_release {LOCK}: ", output, re.MULTILINE), output
    assert "lost the lock" not in output
    assert admin.children(LOCK) == []


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
