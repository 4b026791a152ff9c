# SPDX-License-Identifier: Apache-2.0
"""What is done to the fleet and to the servers, when, and for how long: planned ahead from a seed, then carried out."""
import random
import threading
import time
from collections import Counter, namedtuple

from kazoo.exceptions import KazooException

from fleet import LOCK_PATH, MUTEX_PATH, SESSION_MS, launch, milliseconds
from support.admin import Admin
from support.waiting import bound, wait_until

T = SESSION_MS / 1000
SHORT, LONG = (0.1, 0.5 * T), (1.6 * T, 2.2 * T)  # survived by a session; not survived

# kind -> (how often, from seconds, to seconds)
OF_CLIENTS = {
    "client killed": (3, 0.2, 3), "client stopped shortly": (3, *SHORT), "client stopped past its session": (3, *LONG),
    "link broken once": (4, 0, 0), "link cut shortly": (3, *SHORT), "link cut past the session": (3, *LONG),
    "link mute shortly": (2, *SHORT), "link mute past the session": (2, *LONG),
    "answers mute shortly": (2, *SHORT), "session ended by force": (3, 0, 0)}
OF_SERVERS = {"leader killed": (2, 0.5, 3), "follower killed": (2, 0.5, 3), "leader stopped": (1, 0.5, 7),
              "follower stopped": (1, 0.5, 7)}
OF_OPERATOR = {"holder's node deleted": (3, 0, 0), "waiter's node deleted": (2, 0, 0)}

# These wait until the process holds a lock and was asked to keep it; else they would seldom meet a holder.
AT_A_HOLDER = ("client killed", "client stopped past its session", "link cut past the session",
               "link mute past the session", "session ended by force")

Fault = namedtuple("Fault", "at, kind, target, seconds")


def pick(chance, kinds: dict) -> tuple:
    names = list(kinds)
    kind = chance.choices(names, [kinds[name][0] for name in names])[0]
    return kind, round(chance.uniform(*kinds[kind][1:]), 3)


def plan(seed: int, seconds: float, roles) -> list:
    """The faults in the order of time. Each process suffers one at a time, and so do the servers."""
    chance = random.Random(seed)
    faults, free = [], {role.name: 3.0 for role in roles}
    at = 3.0
    while at < seconds:
        kinds = OF_OPERATOR if chance.random() < 0.15 else OF_CLIENTS
        kind, length = pick(chance, kinds)
        if kinds is OF_OPERATOR:
            faults.append(Fault(at, kind, chance.choice([MUTEX_PATH, LOCK_PATH]), length))
        else:
            victims = [role.name for role in roles if free[role.name] <= at and not (
                role.never_killed and kind == "client killed")]
            if victims:
                victim = chance.choice(victims)
                free[victim] = at + length + 4.0
                faults.append(Fault(at, kind, victim, length))
        at = round(at + chance.uniform(0.5, 3.5), 3)
    at = chance.uniform(5, 12)
    while at < seconds:
        kind, length = pick(chance, OF_SERVERS)
        faults.append(Fault(round(at, 3), kind, f"server {chance.randrange(2)}", length))
        at += length + chance.uniform(10, 25)
    return sorted(faults)


class Chaos:
    """Runs the plan, each fault on a thread of its own. `done` counts them, `problems` lists what failed."""

    def __init__(self, ensemble, members: dict):
        self.ensemble = ensemble
        self.members = members
        self.admin = Admin(ensemble.connect_string)
        self.servers = threading.Lock()  # one of them at a time, so that there is always a majority
        self.guard = threading.Lock()  # of what follows
        self.done, self.log, self.problems, self.forced = Counter(), [], [], set()
        self.expected_down = set()

    def run(self, faults: list, stop):
        began = time.monotonic()
        threads = []
        for fault in faults:
            if stop.wait(max(0.0, began + fault.at - time.monotonic())):
                break
            threads.append(threading.Thread(target=self.carry_out, args=(fault,), daemon=True))
            threads[-1].start()
        for thread in threads:
            thread.join(bound(120))
            if thread.is_alive():
                self.problems.append("a fault did not end")

    def carry_out(self, fault):
        since = milliseconds()
        try:
            if fault.kind in OF_SERVERS:
                happened = self.on_server(fault)
            elif fault.kind in OF_OPERATOR:
                happened = self.on_node(fault)
            else:
                happened = self.on_client(fault, self.members[fault.target])
        except Exception as problem:  # whatever it is, it belongs to the result
            with self.guard:
                self.problems.append(f"{fault}: {problem!r}")
            return
        with self.guard:
            self.done[fault.kind] += happened
            self.log.append((since, milliseconds(), fault.kind, fault.target, happened))

    def on_client(self, fault, member) -> bool:
        kind, links = fault.kind, member.links
        if kind in AT_A_HOLDER:
            member.tell(f"keep {int(fault.seconds * 1000) + 3000}")
            self.wait_for_hold(member)
        if kind == "client killed":
            with self.guard:
                self.expected_down.add(member.role.name)
            member.kill()
            time.sleep(fault.seconds)
            member.start()
            with self.guard:
                self.expected_down.discard(member.role.name)
        elif kind.startswith("client stopped"):
            member.stop()
            time.sleep(fault.seconds)
            member.resume()
        elif kind == "link broken once":
            links.each("blip")
        elif kind == "session ended by force":
            return self.end_by_force(member)
        else:
            what = {"link cut": ("cut", "mend"), "link mute": ("mute", "unmute"), "answers mute":
                    ("mute_answers", "unmute")}[" ".join(kind.split()[:2])]
            links.each(what[0])
            time.sleep(fault.seconds)
            links.each(what[1])
        return True

    def wait_for_hold(self, member):
        """Until it is the first of a queue; not for long."""
        until = time.monotonic() + 2
        while time.monotonic() < until:
            for path in (MUTEX_PATH, LOCK_PATH):
                try:
                    first = next(iter(self.admin.children(path)), None)
                    if first is not None and self.admin.data(f"{path}/{first}").decode() == member.name:
                        return
                except (KazooException, OSError):
                    pass  # gone meanwhile, or there was no leader to be asked
            time.sleep(0.01)

    def end_by_force(self, member) -> bool:
        member.links.each("cut")
        try:
            session = member.expire(self.ensemble.connect_string)
        except (AssertionError, KazooException):
            session = None  # it was over already, or there was no leader to be asked
        finally:
            member.links.each("mend")
        if session is not None:
            with self.guard:
                self.forced.add(session)
        return session is not None

    def on_node(self, fault) -> bool:
        """Most nodes are gone before they can be deleted, so it tries for a while."""
        for _ in range(100):
            try:
                children = self.admin.children(fault.target)
                place = 0 if fault.kind.startswith("holder") else 1 + int(fault.at * 1000) % max(1, len(children) - 1)
                if place < len(children):
                    self.admin.zk.delete(f"{fault.target}/{children[place]}")
                    return True
            except (KazooException, OSError):
                pass  # gone by itself, or there was no leader to be asked
            time.sleep(0.02)
        return False

    def on_server(self, fault) -> bool:
        with self.servers:
            leader = wait_until(self.leader, "a leader", 60)
            others = [server for server in self.ensemble.servers if server is not leader]
            server = leader if fault.kind.startswith("leader") else others[int(fault.target[-1])]
            if fault.kind.endswith("killed"):
                server.kill()
                time.sleep(fault.seconds)
                launch(server.launch)
            else:
                server.pause()
                try:
                    time.sleep(fault.seconds)
                finally:
                    server.resume()
            for each in self.ensemble.servers:
                each.await_serving()
        return True

    def leader(self):
        return next((server for server in self.ensemble.servers if "Mode: leader" in server.four_letters("srvr")), None)
