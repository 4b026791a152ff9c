# SPDX-License-Identifier: Apache-2.0
"""A C peer whose machine's clocks jump."""
import mmap
import struct
import tempfile

from support.peers import CPeer
from support.programs import program


class JumpingClock(CPeer):
    """The time of day jumps by an hour again and again, and the machine sleeps on request."""

    def __init__(self):
        self.slept = tempfile.NamedTemporaryFile()
        self.slept.write(struct.pack("=q", 0))
        self.slept.flush()
        super().__init__()

    def command(self):
        return [program("curator_peer_jumping_clock")]

    def environment(self):
        return {**super().environment(), "CURATOR_SLEPT": self.slept.name}

    def sleep(self, seconds: int):
        """It has been asleep for so long: waits have stood still, and the clocks that count sleep have gone on."""
        with mmap.mmap(self.slept.fileno(), 8) as slept:
            slept[:8] = struct.pack("=q", struct.unpack("=q", slept[:8])[0] + seconds)
