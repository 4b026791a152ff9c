# SPDX-License-Identifier: Apache-2.0
"""What every test here can ask for: a server, a path of its own, an operator, peers in C and in Java."""
import itertools
import signal
import subprocess

import pytest

try:
    import kazoo  # noqa: F401
except ImportError:
    pytest.exit("missing python3-kazoo: apt-get install python3-kazoo", 1)

from support.admin import Admin, new_path
from support.fault_proxy import FaultProxy
from support.lateness import NOT_TESTED_MS, Sleeper
from support.peers import CPeer, JavaPeer
from support.programs import SANITIZER_REPORT, WRAPPER, c_environment, program
from support.progress import Progress, put_longest_first
from support.proxy import Proxy
from support.waiting import bound, die_with_parent
from support.zookeeper import Ensemble, ZooKeeper

TEST_NUMBER = itertools.count(1)


def pytest_configure(config):
    # A shell starts what it runs in the background with these ignored, which every process below would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    if not hasattr(config, "workerinput"):  # not in the workers of pytest-xdist, which report to this process
        config.pluginmanager.register(Progress(config), "curator-progress")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    put_longest_first(items)


@pytest.fixture(scope="session")
def zookeeper():
    """The server that the tests of this worker share."""
    server = ZooKeeper()
    try:
        yield server.start()
    finally:
        server.remove()


@pytest.fixture
def new_zookeeper():
    """Starts servers of the test's own: new_zookeeper(container_check_ms=100)."""
    servers = []

    def start(**options):
        server = ZooKeeper(**options)
        servers.append(server)
        return server.start()

    yield start
    for server in servers:
        server.remove()


@pytest.fixture
def own_zookeeper(new_zookeeper):
    """A server that the test may stop, freeze and kill."""
    return new_zookeeper()


@pytest.fixture
def ensemble():
    servers = Ensemble(tick_ms=2000)  # sessions of up to 40 s: an election takes its time on a slow machine
    try:
        yield servers.start()
    finally:
        servers.remove()


@pytest.fixture
def path():
    """A lock path that no other test uses; neither it nor its parents exist."""
    return new_path()


@pytest.fixture(scope="session")
def shared_admin(zookeeper):
    admin = Admin(zookeeper.connect_string)
    yield admin
    admin.close()


@pytest.fixture
def admin(shared_admin):
    """The operator of the shared server."""
    return shared_admin


@pytest.fixture
def new_admin():
    """Connects operators: new_admin(server.connect_string, auth=("digest", "user:password"))."""
    admins = []

    def start(connect_string, **options):
        admins.append(Admin(connect_string, **options))
        return admins[-1]

    yield start
    for admin in admins:
        admin.close()


@pytest.fixture
def new_proxy():
    """Makes forwarders to a server: new_proxy(server), new_proxy(server, delay_ms=200)."""
    proxies = []

    def start(server, **options):
        proxies.append(Proxy(server.port, **options))
        return proxies[-1]

    yield start
    for proxy in proxies:
        proxy.remove()


@pytest.fixture
def new_wire():
    """Makes forwarders that record each request and can spoil it: new_wire(server), new_wire(*ensemble.servers)."""
    wires = []

    def start(*servers):
        wires.append(FaultProxy(*(server.port for server in servers)))
        return wires[-1]

    yield start
    for wire in wires:
        wire.remove()


@pytest.fixture
def new_peer():
    """Starts processes: new_peer("c"), new_peer("java"). Each must end well when the test is over."""
    peers = []

    def start(language):
        peers.append({"c": CPeer, "java": JavaPeer}[language]())
        return peers[-1]

    yield start
    problems = []
    for peer in peers:
        try:
            peer.finish()
        except AssertionError as problem:
            problems.append(str(problem))
    assert not problems, "\n".join(problems)


@pytest.fixture
def c_peer(new_peer):
    """A C process of this test."""
    return new_peer("c")


class SharedJava:
    """One JVM for all tests of this worker that do not kill it; a broken one is replaced."""

    def __init__(self):
        self.peer = None

    def lend(self):
        if self.peer is None or not self.peer.alive:
            self.peer = JavaPeer()
        self.peer.thread_prefix = f"test{next(TEST_NUMBER)}-"
        return self.peer

    def take_back(self):
        """Closes what the test left open, and with it every lock it still holds."""
        peer = self.peer
        clients = [client for client in peer.clients if not client.closed]
        try:
            for client in clients:
                client.close(thread="closer", expect=None)
        except AssertionError:
            peer.kill()
        peer.clients.clear()
        peer.events.clear()

    def end(self):
        if self.peer is not None:
            self.peer.finish()


@pytest.fixture(scope="session")
def shared_java():
    java = SharedJava()
    yield java
    java.end()


@pytest.fixture
def java_peer(shared_java):
    """The Java process that the tests share, with the real Curator; its clients are closed after the test."""
    yield shared_java.lend()
    shared_java.take_back()


@pytest.fixture(scope="session")
def sleeper():
    one = Sleeper()
    yield one
    one.finish()


@pytest.fixture
def lateness(sleeper):
    """with lateness() as late: ...; then late.allowed_ms() is how late a call may have been in that block."""
    return sleeper.measure


@pytest.fixture
def late_ms(sleeper):
    """
    late_ms(): how late a call of this test may have been so far, where lateness is not what is tested; late_ms(50)
    where it is.
    """
    with sleeper.measure() as late:
        yield lambda least=NOT_TESTED_MS: late.allowed_ms(least)


@pytest.fixture
def peer_of(request):
    """peer_of("c"), peer_of("java"): the usual process of that language, for tests that are run with both."""
    return lambda language: request.getfixturevalue({"c": "c_peer", "java": "java_peer"}[language])


@pytest.fixture
def mutex_of(peer_of, zookeeper, path):
    """mutex_of("java"): a mutex on the test's path, of a client of its own on the shared server."""

    def make(language, **options):
        return peer_of(language).client(zookeeper.connect_string, **options).mutex(path)

    return make


@pytest.fixture
def linked(c_peer, zookeeper, new_proxy, path):
    """linked(): a mutex of a client with a link of its own, and that link."""

    def make(**options):
        proxy = new_proxy(zookeeper)
        return c_peer.client(proxy.connect_string, **options).mutex(path), proxy

    return make


@pytest.fixture
def wired(peer_of, zookeeper, new_wire, path):
    """wired("java"): a mutex as above, and its link, which records each request and can spoil it."""

    def make(language="c", **options):
        wire = new_wire(zookeeper)
        return peer_of(language).client(wire.connect_string, **options).mutex(path), wire

    return make


@pytest.fixture
def read_write_lock_of(peer_of, zookeeper, path):
    """read_write_lock_of("java"): the same for a read-write lock."""

    def make(language, data=None, **options):
        return peer_of(language).client(zookeeper.connect_string, **options).read_write_lock(path, data)

    return make


@pytest.fixture
def run_scenario():
    """Runs one of the C programs: run_scenario("null_arguments", connect_string, ...). It must exit with 0."""

    def run(name, *arguments, seconds=60):
        command = WRAPPER + [program(name)] + [str(argument) for argument in arguments]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=c_environment(), preexec_fn=die_with_parent, timeout=bound(seconds), check=False)
        except subprocess.TimeoutExpired as expired:
            output = (expired.stdout or b"").decode("utf-8", "replace")
            pytest.fail(f"{name} did not end in {bound(seconds):g} s:\n{output}")
        output = done.stdout.decode("utf-8", "replace")
        assert done.returncode == 0, f"{name}: status {done.returncode}\n{output}"
        assert not SANITIZER_REPORT.search(output), output
        return output

    return run
