# SPDX-License-Identifier: Apache-2.0
"""What a process that locks costs its host: time to start, memory, threads."""
from contenders import Contender
from measuring import in_turns, medians, ratio


def cold_start(cluster, _pool, rounds: int) -> dict:
    """From the start of the process to the first lock held; and what it then has in memory."""

    def measure(name) -> dict:
        with Contender(name, cluster.connect_string, hold=True) as contender:
            return {"ms": contender.ready_ms, "mib": contender.resident_bytes() / 2**20,
                    "threads": contender.threads()}

    names = ("c", "java", "kazoo")
    results = in_turns({name: name for name in names}, rounds, measure)
    return {"rounds": rounds, "medians": {name: medians(results, name) for name in names},
            "ratios": {"c_to_java": {key: ratio(results, key, "c", "java") for key in ("ms", "mib")}},
            "every_round": results}


def many_locks(cluster, _pool, number: int) -> dict:
    """One process makes many mutexes on as many paths, then holds them all."""
    medians_of = {}
    for name in ("c", "java"):
        with Contender(name, cluster.connect_string) as contender:
            contender.ask("cycles", 1000)  # what is allocated once is there

            def look(contender=contender) -> dict:
                return {"heap": int(contender.ask("heap")), "resident": contender.resident_bytes(),
                        "threads": contender.threads()}

            empty = look()
            contender.ask("mutexes", f"/bench-mutexes-{name}", number)
            idle = look()
            contender.ask("acquire_all")
            held = look()
            contender.ask("destroy_all")
        medians_of[name] = {f"{state}_{key}": (values[key] - empty[key]) / number
                            for state, values in (("idle", idle), ("held", held)) for key in ("heap", "resident")}
        medians_of[name]["threads"] = held["threads"] - empty["threads"]
    return {"number": number, "medians": medians_of}
