# SPDX-License-Identifier: Apache-2.0
"""All rows of the matrix. A row is a choice of the tests of this tree, run with other versions in the environment."""
from peers.fetching import Maven

CURATORS = ("2.13.0", "3.3.0", "4.0.1", "4.3.0", "5.0.0", "5.1.0", "5.2.1", "5.3.0", "5.4.0", "5.5.0", "5.6.0", "5.7.1",
            "5.8.0", "5.9.0")
SERVERS = ("3.5.10", "3.6.4", "3.7.2", "3.8.6", "3.9.5")
OLDEST_AND_NEWEST = ("curator-2.13", "curator-5.9")  # the part that CI runs

TURNS = "interop/turns_test.py::"
READ_WRITE = "read_write_lock/interop_test.py::"
DOWNGRADE = "read_write_lock/downgrade_test.py::"
REVOCATION = "revocation/interop_test.py::"

CURATOR_TESTS = (
    # exclusion under contention, grants in the order of nodes, progress of every contender
    TURNS + "test_grants_go_by_sequence_over_300_hand_offs_among_four_c_and_four_java_threads",
    READ_WRITE + "test_400_turns_of_four_c_and_four_java_contenders_keep_order_and_exclusion",
    READ_WRITE + "test_turns_with_little_patience_and_c_downgrades_keep_order_and_exclusion",
    TURNS + "test_a_waiter_gets_the_lock_when_a_holder_of_the_other_language_releases",
    READ_WRITE + "test_readers_of_both_languages_hold_at_the_same_time",
    READ_WRITE + "test_a_writer_keeps_readers_and_writers_of_the_other_language_out",
    READ_WRITE + "test_a_writer_waits_for_every_reader_of_the_other_language",
    # timed waits, both ways
    TURNS + "test_a_timed_wait_ends_in_time_and_leaves_no_node",
    TURNS + "test_a_timed_wait_gets_the_lock_when_it_is_released_in_time",
    TURNS + "test_a_try_gets_a_free_lock_and_gives_up_at_once_on_a_held_one",
    # names, data, participants and their order
    "interop/nodes_test.py::test_a_lock_node_is_named_by_a_random_uuid_and_the_sequence",
    "interop/nodes_test.py::test_the_default_data_is_what_java_writes_by_default",
    TURNS + "test_both_list_the_same_participants_in_the_same_order",
    DOWNGRADE + "test_both_list_a_reader_in_a_writers_place_alike[java]",
    # SIGKILL of either
    TURNS + "test_a_killed_holder_frees_a_waiter_of_the_other_language_after_its_session_timeout",
    READ_WRITE + "test_a_killed_holder_frees_the_other_language_after_its_session_timeout[write-write-c-java]",
    READ_WRITE + "test_a_killed_holder_frees_the_other_language_after_its_session_timeout[write-write-java-c]",
    READ_WRITE + "test_a_killed_waiting_writer_lets_the_readers_behind_it_in",
    # revocation, both ways
    REVOCATION + "test_a_holder_of_the_other_language_lets_go_when_asked",
    REVOCATION + "test_a_waiting_thread_of_the_other_language_can_be_asked",
    REVOCATION + "test_either_side_of_a_read_write_lock_of_the_other_language_lets_go",
    # downgrade
    DOWNGRADE + "test_a_writer_queued_meanwhile_waits_until_the_reader_has_gone[java]",
    DOWNGRADE + "test_readers_queued_behind_the_writer_join_at_the_downgrade[java]",
    DOWNGRADE + "test_a_reader_behind_a_queued_writer_does_not_overtake_it_by_a_downgrade[java]",
    DOWNGRADE + "test_c_understands_the_downgrade_of_the_installed_curator",
    DOWNGRADE + "test_a_downgrade_of_java_with_nobody_queued_in_between_keeps_c_from_writing",
)


class Row:
    """`red` says why a row is expected to fail; such a row must not turn green unnoticed either."""

    red = ""
    note = ""

    def __init__(self, name: str, table: str, needs: list, tests):
        self.name = name
        self.table = table
        self.needs = needs
        self.tests = tests

    def environment(self) -> dict:
        return {}

    def versions(self) -> str:
        """What it ran with; called after its needs were fetched."""
        return ", ".join(need.what for need in self.needs)

    def remarks(self, properties: dict) -> str:
        """What to know, for the table. `properties` are what the tests recorded."""
        del properties
        return self.note


def short(version: str) -> str:
    return ".".join(version.split(".")[:2])


class CuratorRow(Row):
    def __init__(self, version: str, zookeeper: str = ""):
        name = f"curator-{short(version)}" + (f"-zookeeper-{short(zookeeper)}" if zookeeper else "")
        coordinates = [f"org.apache.curator:curator-recipes:{version}"]
        coordinates += [f"org.apache.zookeeper:zookeeper:{zookeeper}"] if zookeeper else []
        self.maven = Maven(name, *coordinates, source="support/JavaPeer.java")
        self.version = version
        super().__init__(name, "curator", [self.maven], CURATOR_TESTS)

    def environment(self) -> dict:
        return {"CURATOR_PEER_CLASS_PATH": self.maven.class_path()}

    def versions(self) -> str:
        return f"Curator {self.version}, ZooKeeper client {self.maven.version_of('zookeeper')}"

    def remarks(self, properties: dict) -> str:
        return {"keeps its place": "its downgrade keeps the writer's place",
                "queues behind": "its downgrade queues behind writers that came meanwhile (CURATOR-621)",
                }.get(properties.get("downgrade"), "")


def all_rows() -> list:
    return [CuratorRow(version) for version in CURATORS]
