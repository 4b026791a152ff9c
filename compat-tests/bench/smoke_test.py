# SPDX-License-Identifier: Apache-2.0
"""The benchmark runs. What it measures is not looked at: no test depends on how fast the machine is."""
import json
import os
import subprocess

import pytest

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run")


@pytest.mark.timeout(600)
def test_the_benchmark_measures_and_tells(tmp_path):
    results = tmp_path / "results.json"
    done = subprocess.run([RUN, "--any-build", "--quick", "--work", "uncontended", "--rounds", "1", "--json", results,
                           "--charts", tmp_path], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert "Uncontended acquire and release" in done.stdout.decode()
    work = json.loads(results.read_text())["works"]["uncontended"]
    assert set(work["medians"]) == {"floor", "requests", "one_flight", "c", "pending", "java", "kazoo"}
    assert all(values["cycles_per_second"] > 0 for values in work["medians"].values())
    counted = work["counted"]  # what is held for more than 20 ms, on a slow machine, has a request more
    assert counted["c"]["flights"] >= 2 and counted["pending"]["flights"] >= 1
    assert (tmp_path / "uncontended.svg").read_text().rstrip().endswith("</svg>")


@pytest.mark.timeout(600)
def test_the_benchmark_has_a_floor_for_hand_offs_and_looks_at_what_has_just_started(tmp_path):
    results = tmp_path / "results.json"
    done = subprocess.run([RUN, "--any-build", "--quick", "--work", "started", "--rounds", "1", "--json", results],
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert "Processes that have just started" in done.stdout.decode()
    work = json.loads(results.read_text())["works"]["started"]
    by_size = [one for key in ("handoff", "throughput", "threads") for one in work[key]["sizes"].values()]
    assert all(set(one["medians"]) == {"floor", "c", "java"} for one in by_size + [work["uncontended"]])
    assert all(values["per_second"] > 0 for one in by_size for values in one["medians"].values())


@pytest.mark.timeout(600)
def test_the_benchmark_times_the_command(tmp_path):
    results = tmp_path / "results.json"
    done = subprocess.run([RUN, "--any-build", "--quick", "--work", "command", "--rounds", "1", "--json", results],
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert "Commands from start to end" in done.stdout.decode()
    assert "ms to list 10,000 contenders" in done.stdout.decode()
    work = json.loads(results.read_text())["works"]["command"]
    assert all(values["ms"] > 0 for values in work["medians"].values())
    assert set(work["medians"]) == {"bare", "run", "list"}
