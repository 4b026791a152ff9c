# SPDX-License-Identifier: Apache-2.0
"""All rows of the matrix. A row is a choice of the tests of this tree, run with other versions in the environment."""
import json
import re

from peers.document import PAGE
from peers.fetching import HERE, GoProgram, Maven, PyPI, RustProgram
from support import jars

CURATORS = ("2.13.0", "3.3.0", "4.0.1", "4.3.0", "5.0.0", "5.1.0", "5.2.1", "5.3.0", "5.4.0", "5.5.0", "5.6.0", "5.7.1",
            "5.8.0", "5.9.0")
SERVERS = ("3.5.10", "3.6.4", "3.7.2", "3.8.6", "3.9.5")
NEWEST = SERVERS[-1]
SPRING_INTEGRATION = "6.4.4"
KAZOO, AIOZK, GO_ZOOKEEPER, RUST = "2.11.0", "0.32.0", "1.0.4", "0.11.2"
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
SERVER_TESTS = (
    TURNS + "test_grants_go_by_sequence_over_300_hand_offs_among_four_c_and_four_java_threads",
    READ_WRITE + "test_400_turns_of_four_c_and_four_java_contenders_keep_order_and_exclusion",
    READ_WRITE + "test_turns_go_on_in_order_while_the_lines_of_c_break_again_and_again",
    TURNS + "test_a_timed_wait_ends_in_time_and_leaves_no_node",
    TURNS + "test_a_try_gets_a_free_lock_and_gives_up_at_once_on_a_held_one",
    TURNS + "test_both_list_the_same_participants_in_the_same_order",
    TURNS + "test_a_killed_holder_frees_a_waiter_of_the_other_language_after_its_session_timeout",
    REVOCATION + "test_a_holder_of_the_other_language_lets_go_when_asked",
    DOWNGRADE + "test_a_writer_queued_meanwhile_waits_until_the_reader_has_gone[java]",
    "interop/nodes_test.py::test_a_lock_node_is_named_by_a_random_uuid_and_the_sequence",
    "interop/nodes_test.py::test_a_lock_node_is_ephemeral_and_belongs_to_the_session",
    "interop/places_test.py::test_a_protected_path_serves_those_with_the_credentials",
)
PARENTS = "interop/nodes_test.py::test_missing_parents_become_containers_whoever_comes_first"
ENSEMBLE_TESTS = ("peers/ensemble_check.py", "mutex/session_test.py::"
                  "test_a_lock_is_kept_when_the_leader_of_an_ensemble_dies")
CLIENTS = "peers/clients_check.py::"
HELD_TWICE = (CLIENTS + "test_neither_gets_a_lock_that_the_other_holds",)
MUTEX_OF_CLIENT = (
    *HELD_TWICE,
    CLIENTS + "test_contenders_of_all_kinds_take_turns",
    CLIENTS + "test_a_killed_holder_frees_the_other",
    CLIENTS + "test_its_nodes_are_participants_in_their_order",
)
TIMED_WAIT_OF_CLIENT = (CLIENTS + "test_its_timed_wait_ends_and_leaves_no_node",)
READ_WRITE_LOCK_OF_CLIENT = (
    CLIENTS + "test_readers_and_writers_keep_each_other_out",
    CLIENTS + "test_readers_hold_together",
)
CODE = r"<!-- code {} -->\n```\w+\n(.*?)^```$"


class Row:
    """`red` says why a row is expected to fail; such a row must not turn green unnoticed either."""

    red = ""
    note = ""
    verdict = "agrees"  # of a green row

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
    def __init__(self, version: str):
        name = f"curator-{short(version)}"
        self.maven = Maven(name, f"org.apache.curator:curator-recipes:{version}", source="support/JavaPeer.java")
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


class ServerRow(Row):
    # Beside the server's own jars, which its package expects to find installed.
    BESIDE = ("io.dropwizard.metrics:metrics-core:4.2.19", "org.xerial.snappy:snappy-java:1.1.10.5",
              "commons-cli:commons-cli:1.5.0", "commons-io:commons-io:2.11.0")

    def __init__(self, version: str, tests, kind: str = "", note: str = ""):
        self.maven = Maven(f"zookeeper-{short(version)}", f"org.apache.zookeeper:zookeeper:{version}", *self.BESIDE)
        self.version = version
        self.note = note
        self.kind = kind
        super().__init__(f"zookeeper-{short(version)}" + (f"-{kind}" if kind else ""), "servers", [self.maven], tests)

    def environment(self) -> dict:
        return {"CURATOR_SERVER_CLASS_PATH": self.maven.class_path()}

    def versions(self) -> str:
        return f"ZooKeeper {self.version}" + (f", {self.kind}" if self.kind else "")


def offered(name: str) -> str:
    """The code that the page offers to copy."""
    found = re.search(CODE.format(name), PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError(f"{PAGE.name} has no code {name}")
    return found[1]


class ClientRow(Row):
    def __init__(self, name: str, what: str, need, red="", note="", tests=MUTEX_OF_CLIENT):
        super().__init__(name, "clients", [need], tests)
        self.what = what
        self.need = need
        self.red = red
        self.note = note

    def command(self) -> list:
        return [self.need.program()]

    def environment(self) -> dict:
        return {"CURATOR_FOREIGN_PEER": json.dumps(self.command())}

    def versions(self) -> str:
        return self.what

    def remarks(self, properties: dict) -> str:
        if not self.red:
            return self.note
        return "of 16: " + ", ".join(f"{count} when {pair.split()[0]} holds and {pair.split()[1]} asks" for pair, count
                                     in properties.items()).replace("foreign", "it")


class PythonRow(ClientRow):
    def __init__(self, name: str, what: str, need, code: str = "", **options):
        super().__init__(name, what, need, **options)
        self.code = code

    def code_file(self) -> str:
        """The offered code in a file of its own, written anew each time, as the page may have changed."""
        if not self.code:
            return ""
        path = self.need.folder() / f"{self.code}.py"
        path.write_text(offered(self.code), encoding="utf-8")
        return str(path)

    def command(self) -> list:
        return ["/usr/bin/python3", "-B", str(HERE / f"{self.need.name}_peer.py"), self.name, self.code_file()]

    def environment(self) -> dict:
        return {**super().environment(), "CURATOR_FOREIGN_PYTHONPATH": self.need.python_path()}


class CompressedRow(CuratorRow):
    """The same Curator, opened with enableCompression()."""

    def __init__(self, version: str):
        super().__init__(version)
        self.name += "-compressed"
        self.tests = ("peers/compression_check.py",)
        self.note = "C with `enable_compression` and without; see below"

    def versions(self) -> str:
        return super().versions() + ", `enableCompression()`"

    def remarks(self, properties: dict) -> str:
        return self.note


class RecipeRow(ClientRow):
    """A recipe of Java's that has an InterProcessMutex inside."""

    def __init__(self, name: str, what: str, need, tests=(*MUTEX_OF_CLIENT, *TIMED_WAIT_OF_CLIENT), **options):
        super().__init__(name, what, need, tests=tests, **options)

    def command(self) -> list:
        return [*jars.java(), "-cp", self.need.class_path(), "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "RecipePeer", self.name]


def recipe_rows() -> list:
    program = "peers/java/RecipePeer.java"
    curator = Maven("recipes", f"org.apache.curator:curator-recipes:{CURATORS[-1]}", source=program)
    spring = Maven("spring", f"org.springframework.integration:spring-integration-zookeeper:{SPRING_INTEGRATION}",
                   source=program)
    return [
        RecipeRow("leader-selector", f"Curator {CURATORS[-1]}, `LeaderSelector`", curator,
                  note="a C process takes part in an election by holding a mutex on its path"),
        RecipeRow("multi-lock", f"Curator {CURATORS[-1]}, `InterProcessMultiLock`", curator,
                  note="C has a mutex on one of its paths"),
        RecipeRow("semaphore", f"Curator {CURATORS[-1]}, `InterProcessSemaphoreV2`", curator,
                  tests=("peers/semaphore_check.py",),
                  note="C has its inner mutex, at `locks` below its path: no leases are given meanwhile"),
        RecipeRow("spring", f"Spring Integration {SPRING_INTEGRATION}, `ZookeeperLockRegistry`", spring,
                  note="a key's path is root + `/` + key"),
    ]


def client_rows() -> list:
    kazoo, aiozk = PyPI("kazoo", f"kazoo=={KAZOO}"), PyPI("aiozk", f"aiozk=={AIOZK}")
    go = GoProgram("go-zookeeper", f"github.com/go-zookeeper/zk v{GO_ZOOKEEPER}", "go")
    rust = RustProgram("rust", f"zookeeper-client {RUST}", "rust", **{"src/offered.rs": offered("rust")})
    return [
        PythonRow("kazoo", f"kazoo {KAZOO}, `Lock` as it comes", kazoo, red="locks are held twice",
                  tests=HELD_TWICE),
        PythonRow("kazoo-patterns", f"kazoo {KAZOO}, `extra_lock_patterns`", kazoo,
                  red="locks are held twice", tests=HELD_TWICE),
        PythonRow("kazoo-subclass", f"kazoo {KAZOO}, subclasses", kazoo, code="kazoo",
                  tests=(*MUTEX_OF_CLIENT, *TIMED_WAIT_OF_CLIENT, *READ_WRITE_LOCK_OF_CLIENT),
                  note="[the code](#code-for-kazoo), for its read-write lock too"),
        PythonRow("aiozk", f"aiozk {AIOZK}, `Lock`", aiozk, code="aiozk",
                  tests=(*MUTEX_OF_CLIENT, *TIMED_WAIT_OF_CLIENT), note="[the code](#code-for-aiozk)"),
        ClientRow("go-zookeeper", f"go-zookeeper {GO_ZOOKEEPER}, `Lock`", go,
                  tests=(*MUTEX_OF_CLIENT, CLIENTS + "test_a_child_that_it_cannot_parse_makes_it_fail"),
                  note="as it comes; no other children under the path"),
        ClientRow("rust", f"zookeeper-client {RUST}, `lock`", rust, note="[the code](#code-for-rust)"),
    ]


def server_rows() -> list:
    alone = [ServerRow(version, (*SERVER_TESTS, PARENTS)) for version in SERVERS]
    ensembles = [ServerRow(version, ENSEMBLE_TESTS, "ensemble", "the leader is killed under contention")
                 for version in SERVERS if short(version) in ("3.5", "3.8", "3.9")]
    too_old = ServerRow("3.4.14", ("peers/old_server_check.py",),
                        note="too old, also for Java: it does not know the request that creates a node and returns its "
                             "transaction; an acquire fails with a sentence that says so, and leaves nothing")
    too_old.verdict = "not served"
    observed = ServerRow(NEWEST, ("peers/observer_check.py",), "observer",
                         "C is connected to the observer, the leader is killed, the observer is restarted")
    without_containers = ServerRow("3.5.0-alpha", ("peers/no_containers_check.py",), "without-containers",
                                   "missing directories become persistent nodes")
    quota = ServerRow(NEWEST, ("peers/quota_check.py",), "quota", "enforced and reached: an acquire fails with a "
                      "sentence that says so, and leaves nothing")
    long_list = ServerRow(NEWEST, ("peers/long_list_check.py",), "long-list",
                          "more than 1 MB of children at one path: Java fails to list them (`jute.maxbuffer`), with "
                          "nothing held; C has no such limit")
    return [too_old, without_containers, *alone, *ensembles, observed, quota, long_list]


def all_rows() -> list:
    return [*(CuratorRow(version) for version in CURATORS), CompressedRow(CURATORS[-1]), *server_rows(),
            *client_rows(), *recipe_rows()]
