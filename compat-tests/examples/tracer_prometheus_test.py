# SPDX-License-Identifier: Apache-2.0
"""The example that feeds a text file for Prometheus from the tracer."""
import re

from support.waiting import wait_until

LOCK = "/examples/tracer_prometheus"
SAVE_SECONDS = 5
TURNS = 60
METRIC = re.compile(r'(curator_\w+)(?:\{(.*)\})? ([-+.\de]+)')


def parse(text: str) -> dict:
    """(name, labels) -> value; each line is a comment or a metric in the text format of Prometheus."""
    metrics = {}
    for line in text.splitlines():
        if not re.fullmatch(r"# (HELP|TYPE) curator_\w+ .+", line):
            name, labels, value = METRIC.fullmatch(line).groups()
            key = name, tuple(re.findall(r'(\w+)="([^"]*)"', labels or ""))
            assert key not in metrics, line
            metrics[key] = float(value)
    return metrics


def of(metrics, name, event, status="CURATOR_OK", **labels):
    return metrics[name, (("event", event), ("status", status), *labels.items())]


def count(file, event, status) -> int:
    return of(parse(file.read_text()), "curator_seconds_count", event, status)


def test_each_turn_is_counted_and_timed(run_example, zookeeper, admin, tmp_path):
    file = tmp_path / "curator.prom"
    status, output = run_example("tracer_prometheus", zookeeper.connect_string, file)
    assert status == 0, output
    metrics = parse(file.read_text())
    for event in ("acquire", "hold", "release"):
        assert of(metrics, "curator_seconds_count", event) == TURNS
        buckets = [of(metrics, "curator_seconds_bucket", event, le=le)
                   for le in ("0.001", "0.01", "0.1", "1", "10", "+Inf")]
        assert buckets == sorted(buckets) and buckets[-1] == TURNS
    assert of(metrics, "curator_seconds_sum", "hold") >= TURNS * 0.002
    assert of(metrics, "curator_seconds_bucket", "hold", le="0.001") == 0
    assert of(metrics, "curator_seconds_count", "wait") > 0
    assert metrics["curator_traces_dropped_total", ()] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["curator.prom"]
    assert admin.children(LOCK) == []


def test_what_may_be_missed_is_0_at_first_and_a_loss_is_saved_at_once(start_example, own_zookeeper, new_admin,
                                                                      tmp_path):
    """The threads only wait and hold: without the timer and the loss nothing would be written."""
    admin = new_admin(own_zookeeper.connect_string)
    file = tmp_path / "curator.prom"
    in_the_way = f"{LOCK}/in-the-way-lock-0000000000"
    admin.create(in_the_way)
    start_example("tracer_prometheus", own_zookeeper.connect_string, file, 600_000)
    admin.wait_for_children(LOCK, 4)
    wait_until(file.exists, "a first file", 30)
    for event, status in [("acquire", "CURATOR_OK"), ("acquire", "CURATOR_TIMED_OUT"),
                          ("acquire", "CURATOR_CONNECTION_LOSS"), ("loss", "CURATOR_LOCK_LOST"),
                          ("loss", "CURATOR_SESSION_EXPIRED")]:
        assert count(file, event, status) == 0
    admin.delete(in_the_way)
    wait_until(lambda: count(file, "acquire", "CURATOR_OK") == 1, "the first acquire, by the timer", 30)
    saved = file.stat().st_mtime
    admin.delete(f"{LOCK}/{admin.children(LOCK)[0]}")
    wait_until(lambda: count(file, "loss", "CURATOR_LOCK_LOST") == 1, "the loss", 30)
    assert file.stat().st_mtime < saved + SAVE_SECONDS


def test_a_file_that_cannot_be_written_is_named(run_example, zookeeper, tmp_path):
    status, output = run_example("tracer_prometheus", zookeeper.connect_string, tmp_path / "missing" / "curator.prom")
    assert status == 1
    assert "missing/curator.prom: No such file or directory" in output


def test_a_wrong_connect_string_is_named(run_example):
    status, output = run_example("tracer_prometheus", "localhost:not-a-port")
    assert status == 1
    assert "not-a-port" in output, output
