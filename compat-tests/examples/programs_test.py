# SPDX-License-Identifier: Apache-2.0
"""Each example works as described, on a real server, and leaves no lock node behind."""
import re
import time
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor

import pytest


def test_hello_lock_takes_the_lock_and_gives_it_back(run_example, zookeeper, admin):
    status, output = run_example("hello_lock", zookeeper.connect_string)
    assert status == 0, output
    assert "Hello!" in output
    assert admin.children("/examples/hello_lock") == []


def test_hello_lock_helps(run_example):
    status, output = run_example("hello_lock", "--help")
    assert (status, output.splitlines()[0]) == (0, "Usage: hello_lock [host:port,...]")
    for wrong in (["--frobnicate"], ["127.0.0.1:1", "127.0.0.1:2"]):
        status, output = run_example("hello_lock", *wrong)
        assert (status, output.splitlines()[0]) == (1, "Usage: hello_lock [host:port,...]")


def test_hello_guard_takes_the_lock_and_gives_it_back(run_example, zookeeper, admin):
    status, output = run_example("hello_guard", zookeeper.connect_string)
    assert status == 0, output
    assert "Hello!" in output
    assert admin.children("/examples/hello_guard") == []


def test_order_book_has_every_order_and_no_reader_met_a_writer(run_example, zookeeper, admin):
    status, output = run_example("order_book", zookeeper.connect_string)
    assert status == 0, output
    assert "20 orders of 4 clerks, 0 of them or of their readings disturbed." in output
    assert admin.children("/examples/order_book") == []


def test_timed_acquire_waits_no_longer_than_it_says(run_example, zookeeper, admin):
    status, output = run_example("timed_acquire", zookeeper.connect_string)
    assert status == 0, output
    answers = re.findall(r"Bob, willing to wait (\d+) ms: (no|got it)\.", output)
    assert answers == [("0", "no"), ("1000", "no"), ("1000", "got it")], output
    assert admin.children("/examples/timed_acquire") == []


def test_locking_example_uses_the_resource_250_times_one_client_at_a_time(run_example, zookeeper, admin):
    status, output = run_example("locking_example", zookeeper.connect_string)
    assert status == 0, output
    assert sorted(re.findall(r"Client (\d) has used the resource 50 times", output)) == list("12345")
    assert "250 uses, 0 of them met another user." in output
    assert admin.children("/examples/locking_example") == []


def test_last_item_is_paid_by_exactly_one_buyer(run_example, zookeeper, admin):
    for _ in range(3):
        status, output = run_example("last_item", zookeeper.connect_string)
        assert status == 0, output
        assert output.count("pays.") == 1, output
        assert output.count("sold out.") == 1, output
        assert "1 of 2 buyers paid for the one item." in output
    assert admin.children("/last_item_lock") == []
    assert not admin.exists("/last_item_stock")


def test_with_lock_makes_order_numbers_unique_and_names_the_busy_business(run_example, zookeeper, admin):
    status, output = run_example("with_lock", zookeeper.connect_string)
    assert status == 0, output
    unique_without, unique_with = map(int, re.findall(r"(\d+) of 10 order numbers are unique", output))
    assert unique_without < 10, output
    assert unique_with == 10, output
    assert "The order desk is busy, please try again later." in output
    assert "with_lock answers CURATOR_LOCK_LOST." in output
    assert admin.children("/examples/with_lock") == []


def edition_of(text):
    """The one edition that a catalogue's ten items belong to; 0 for an empty catalogue."""
    editions = set(re.findall(r"of edition (\d+)$", text, re.MULTILINE))
    assert (len(editions), text.count("\n")) in ((0, 0), (1, 10)), text
    return int(editions.pop()) if editions else 0


def test_shared_catalogue_is_read_by_many_at_once_but_not_while_it_is_written(run_example, zookeeper, admin, tmp_path):
    file = tmp_path / "catalogue"
    status, output = run_example("shared_catalogue", zookeeper.connect_string, file)
    assert status == 0, output
    readings, at_once = map(int, re.search(r"(\d+) readings, up to (\d+) at once; 0 of them met", output).groups())
    assert readings == 4 * 25 + 2 * 5
    assert 1 < at_once <= 6
    assert f"0 misprints. The last edition in {file} is number 10." in output
    assert edition_of(file.read_text()) == 10
    assert admin.children("/examples/shared_catalogue") == []


def test_shared_catalogue_can_be_shared_with_java(run_example, java_peer, zookeeper, tmp_path):
    file = tmp_path / "catalogue"
    file.touch()
    java = java_peer.client(zookeeper.connect_string).read_write_lock("/examples/shared_catalogue")
    written_by_java = 0
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run_example, "shared_catalogue", zookeeper.connect_string, file)
        while not running.done():
            java.read.acquire()
            edition_of(file.read_text())
            java.read.release()
            java.write.acquire()
            edition = edition_of(file.read_text()) + 1
            with file.open("w", buffering=1) as catalogue:
                for item in range(1, 11):
                    catalogue.write(f"item {item} of edition {edition}\n")
                    time.sleep(0.0005)
            written_by_java += 1
            java.write.release()
    status, output = running.result()
    assert status == 0, output
    assert "0 of them met a writer" in output and "0 misprints" in output
    assert written_by_java > 1
    assert edition_of(file.read_text()) == 10 + written_by_java


def test_rate_limited_jobs_runs_at_most_three_jobs_at_a_time(run_example, zookeeper, admin):
    status, output = run_example("rate_limited_jobs", zookeeper.connect_string)
    assert status == 0, output
    assert re.search(r"^12 jobs done, at most [1-3] at a time\.$", output, re.MULTILINE), output
    assert output.count(" runs job ") == 12
    admin.wait_for_children("/examples/rate_limited_jobs/leases", 0)
    admin.wait_for_children("/examples/rate_limited_jobs/locks", 0)


def test_revoke_lets_bob_have_the_lock_before_alice_is_done(run_example, zookeeper, admin):
    status, output = run_example("revoke", zookeeper.connect_string)
    assert status == 0, output
    assert re.search(r"Bob asks the holder, /examples/revoke/_c_.*-lock-\d{10}\.", output), output
    assert re.search(r"Alice was asked to let go, after \d+ of 1000 orders\.\nBob has the lock\.", output), output
    assert admin.children("/examples/revoke") == []


def test_herd_effect_wakes_all_with_the_naive_lock_and_two_in_the_queue(run_example, zookeeper, admin, tmp_path):
    picture = tmp_path / "herd.svg"
    waiters = 20
    status, output = run_example("herd_effect", zookeeper.connect_string, waiters, picture)
    assert status == 0, output
    rows = [tuple(map(int, row)) for row in re.findall(r"^ *(\d+) +(\d+) +(\d+)$", output, re.MULTILINE)]
    waiting, naive, queue = zip(*rows)
    assert waiting == tuple(range(waiters, -1, -1)), output
    assert naive == waiting, output
    assert queue == tuple(min(count, 2) + 1 for count in waiting), output  # and one to the releaser itself
    assert re.search(rf"in all +{sum(naive)} +{sum(queue)}$", output, re.MULTILINE), output
    assert f"Drawn in {picture}\n" in output
    strokes = [path.get("d").split("M")[1:] for path in xml.parse(picture).iter("{http://www.w3.org/2000/svg}path")
               if path.get("stroke-width")]
    assert [len(strokes_of_a_lock) for strokes_of_a_lock in strokes] == [waiters + 1] * 2
    assert admin.children("/examples/herd_effect") == []
    assert not admin.exists("/herd_effect_naive_lock")


def test_herd_effect_refuses_what_is_no_number_of_waiters(run_example, zookeeper):
    for waiters in ("0", "501", "a herd", "20 or so"):
        status, output = run_example("herd_effect", zookeeper.connect_string, waiters)
        assert status == 1, output
        assert f"{waiters}: not a number of waiters" in output


@pytest.mark.parametrize("name", ["hello_lock", "timed_acquire", "locking_example", "last_item", "with_lock",
                                  "shared_catalogue", "revoke", "herd_effect", "hello_guard", "order_book",
                                  "rate_limited_jobs"])
def test_a_wrong_connect_string_is_told_and_fails(run_example, name):
    status, output = run_example(name, "localhost:not-a-port")
    assert status == 1, output
    assert "not-a-port" in output, output
