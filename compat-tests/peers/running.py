# SPDX-License-Identifier: Apache-2.0
"""Runs a row: its tests under pytest, in a process of their own, with the row's environment."""
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree as xml

from support.waiting import die_with_parent

TESTS = pathlib.Path(__file__).parent.parent
ROW_SECONDS = 900
TEST_SECONDS = 120


class Result:
    def __init__(self, row, seconds: float, cases: list, output: str):
        self.row = row
        self.seconds = seconds
        self.output = output
        self.date = time.strftime("%Y-%m-%d", time.gmtime())
        self.passed = sum(not broken for _, broken in cases)
        self.failures = [name for name, broken in cases if broken]
        self.properties = {}

    @property
    def is_green(self) -> bool:
        """A row whose tests did not run, or not all, is not green."""
        return self.passed > 0 and not self.failures

    @property
    def is_expected(self) -> bool:
        return self.is_green != bool(self.row.red)


def read_report(path) -> tuple:
    """The cases, (name, whether it failed or did not run), and what they recorded."""
    if not os.path.exists(path):
        return [("pytest wrote no report", True)], {}
    report = xml.parse(path)
    cases = [(case.get("name"), any(case.find(tag) is not None for tag in ("failure", "error", "skipped")))
             for case in report.iter("testcase")]
    properties = {one.get("name"): one.get("value") for one in report.iter("property")}
    return cases, properties


def run_row(row, first_failure_only=False, **environment) -> Result:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="curator-peers-") as folder:
        report = os.path.join(folder, "report.xml")
        command = ["/usr/bin/python3", "-B", "-m", "pytest", "-q", "--no-header", "-n0", f"--timeout={TEST_SECONDS}",
                   f"--junitxml={report}", *(["-x"] if first_failure_only else []), *row.tests]
        process = subprocess.Popen(command, cwd=TESTS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=die_with_parent,
                                   env={**os.environ, "PYTHONPATH": str(TESTS), **row.environment(), **environment})
        try:
            output, _ = process.communicate(timeout=ROW_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            output += f"\nnot done in {ROW_SECONDS} s".encode()
        cases, properties = read_report(report)
        if process.returncode != 0 and not any(broken for _, broken in cases):
            cases.append((f"pytest ended with status {process.returncode}", True))
    result = Result(row, time.monotonic() - began, cases, output.decode("utf-8", "replace"))
    result.properties = properties
    return result
