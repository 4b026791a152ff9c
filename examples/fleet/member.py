# SPDX-License-Identifier: Apache-2.0
"""One process of the fleet, as seen from outside: how to start it, the lines it prints, how it ends."""

import os
import shlex
import subprocess

JARS = "/usr/share/java"
CLASS_PATH = [f"{JARS}/{jar}.jar" for jar in (
    "curator-recipes", "curator-framework", "curator-client", "zookeeper", "zookeeper-jute", "guava", "slf4j-api",
    "slf4j-nop")]
# Small and quick to start: the machine is shared by all members.
JAVA_OPTIONS = ["-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"]


class Member:
    def __init__(self, language, number, build):
        self.language = language
        self.name = f"{language}-{number}"
        self.ready = False
        self.failed = False
        self.complaints = ""
        self._process = None
        self._unfinished = {}
        if language == "C":
            self._program = [*shlex.split(os.environ.get("CURATOR_WRAPPER", "")), f"{build}/examples/fleet_worker"]
        else:
            class_path = ":".join([f"{build}/examples/java", *CLASS_PATH])
            self._program = ["java", *JAVA_OPTIONS, "-cp", class_path, "Worker"]

    def start(self, arguments):
        # A session of its own: Ctrl-C in the terminal reaches the fleet alone, which then ends the members in order.
        self._process = subprocess.Popen(
            [*self._program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        self._unfinished = {self._process.stdout: b"", self._process.stderr: b""}

    def pipes(self):
        """The pipes that are still open."""
        return list(self._unfinished)

    def read(self, pipe):
        """Returns the lines that have arrived on stdout; keeps those of stderr as complaints."""
        data = os.read(pipe.fileno(), 65536)
        *lines, rest = (self._unfinished[pipe] + data).decode(errors="replace").split("\n")
        if data:
            self._unfinished[pipe] = rest.encode()
        else:
            del self._unfinished[pipe]
            pipe.close()
        if pipe is self._process.stderr:
            self.complaints = (self.complaints + "".join(line + "\n" for line in lines))[-4000:]
            return []
        return lines

    def go(self):
        try:
            os.write(self._process.stdin.fileno(), b"go\n")
        except BrokenPipeError:
            pass  # it has ended; its other pipes say so

    def ask_to_stop(self):
        """A member that has not begun holds nothing and may be connecting still: it is ended at once."""
        if self._process is None:
            return
        self._process.stdin.close()
        if not self.ready:
            self._process.kill()

    def end(self):
        """Makes sure that the process is gone; returns whether it ended well by itself."""
        if self._process is None:
            return True
        try:
            # One that has closed its pipes is on its way out.
            self._process.wait(timeout=0 if self.pipes() else 10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in self.pipes():
            pipe.close()
        self._unfinished = {}
        return self._process.returncode == 0
