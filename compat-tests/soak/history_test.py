# SPDX-License-Identifier: Apache-2.0
"""How the soak puts together what it judges: the servers' logs, and the histories of the processes."""
import os
import sys

from support import checker
from support.transactions import CLOSE_SESSION, CREATE, DELETE, Transaction, read

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import history  # noqa: E402

PATH = "/soak/mutex"
CLOCK = checker.WallClock([(0.0, 0.0)])


def test_a_servers_log_tells_who_created_and_deleted_what(own_zookeeper, new_admin, path):
    admin = new_admin(own_zookeeper.connect_string)
    created = admin.create(path, b"mine", ephemeral=True)
    czxid = admin.zk.exists(created).czxid
    admin.delete(created)
    session = admin.zk.client_id[0]
    admin.close()
    records = [record for record in read([os.path.join(own_zookeeper.directory, "data")])
               if record.session == session and record.path in (None, path)]
    kinds = [record.type for record in records if record.type in (CREATE, DELETE, CLOSE_SESSION)]
    assert kinds == [CREATE, DELETE, CLOSE_SESSION]
    made = next(record for record in records if record.type == CREATE)
    assert (made.zxid, made.data, made.committed) == (czxid, b"mine", True)


def node(number) -> str:
    return f"{PATH}/_c_x-lock-{number:010d}"


def create(number, session, committed=True, time=10):
    return Transaction(number, time, session, CREATE, node(number), b"c1.1", committed)


def nodes_of(*records, forced=(), held=()):
    return history.nodes_of(records, {PATH}, CLOCK, set(forced), set(held))


def test_nodes_go_by_their_owner_by_an_operator_and_with_their_session():
    nodes, doubtful = nodes_of(
        create(1, 7), create(2, 7), create(3, 7), create(4, 8),
        Transaction(5, 20, 7, DELETE, node(1), None, True), Transaction(6, 21, 9, DELETE, node(2), None, True),
        Transaction(7, 22, 7, CLOSE_SESSION, None, None, True), Transaction(8, 23, 8, CLOSE_SESSION, None, None, True),
        forced=[8])
    assert [(one.gone, one.gone_by) for one in nodes.values()] == [
        (20, checker.OWNER), (21, checker.OTHER), (22, checker.SESSION), (23, checker.FORCED)]
    assert doubtful == 0


def test_what_only_one_server_has_counts_if_what_followed_bears_it_out():
    nodes, doubtful = nodes_of(create(1, 7, committed=False), create(2, 7, committed=False), create(3, 7),
                               Transaction(4, 20, 7, DELETE, node(3), None, False),
                               Transaction(5, 30, 7, DELETE, node(3), None, True), held=[node(1)])
    assert list(nodes) == [node(1), node(3)] and nodes[node(3)].gone == 30 and doubtful == 3


def log_of(tmp_path, *lines):
    file = tmp_path / "c1.1"
    file.write_text("\n".join(lines) + "\n", encoding="ascii")
    return history.ProcessLog(str(file), "c")


def turn(number, enter, leave):
    return [f"want {enter - 5} 0 mutex own0 -1", f"enter {enter} 0 mutex own0 {node(number)} {number}",
            f"leave {leave} 0", f"left {leave + 1} 0 CURATOR_OK"]


def test_a_loss_belongs_to_the_hold_that_was_lost_also_if_it_is_told_late(tmp_path):
    log = log_of(tmp_path, *turn(1, 100, 200), *turn(2, 300, 400), "lost 350 own0")
    nodes, _ = nodes_of(create(1, 7), create(2, 8), Transaction(3, 150, 7, CLOSE_SESSION, None, None, True),
                        Transaction(4, 401, 8, DELETE, node(2), None, True))
    assert not history.tell_losses(log, nodes)
    assert [hold.told for hold in log.holds] == [350, None]


def test_a_loss_that_did_not_happen_is_a_false_alarm(tmp_path):
    log = log_of(tmp_path, *turn(1, 100, 200), "lost 150 own0")
    nodes, _ = nodes_of(create(1, 7), Transaction(2, 201, 7, DELETE, node(1), None, True))
    assert [alarm.rule for alarm in history.tell_losses(log, nodes)] == ["told falsely"]


def test_a_history_that_ends_in_the_middle_of_a_hold_is_read(tmp_path):
    log = log_of(tmp_path, "hello 1 99", *turn(1, 100, 200)[:2], "paused 190 120", "state 150 SUSPENDED")
    assert log.holds[0].leave is None and log.pauses == [(120.0, 190.0)] and log.states["SUSPENDED"] == 1
