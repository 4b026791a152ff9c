# SPDX-License-Identifier: Apache-2.0
"""A shell script's one turn on the fleet's lock, by the command curator-lock, in the middle of the run."""

import subprocess

from server import die_with_parent

SECONDS = 30
# Notices another user of the resource as the workers do: the file must not exist yet.
TURN = 'set -C; if : >"$0"; then sleep 0.01; rm -f "$0"; else echo collided; fi'


class ShellFailed(Exception):
    """It had no turn; the text says why."""


class ShellTurn:
    def __init__(self, build, connect, path, resource):
        self._command = [f"{build}/tools/curator-lock", "--servers", connect, "--wait", f"{SECONDS}s",
                         "--data", "a shell script", path, "--", "sh", "-c", TURN, resource]
        self._process = None

    def start(self):
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True, start_new_session=True,
                                         preexec_fn=die_with_parent)

    @property
    def started(self):
        return self._process is not None

    @property
    def over(self):
        return self._process is not None and self._process.poll() is not None

    def end(self):
        """Ends it if it still runs. curator-lock then deletes its node."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.communicate()

    def check(self):
        output, errors = self._process.communicate()
        if self._process.returncode != 0:
            raise ShellFailed(f"the shell script had no turn: {errors.strip()}")
        if output:
            raise ShellFailed("the shell script found another user of the resource")
