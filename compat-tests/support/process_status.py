# SPDX-License-Identifier: Apache-2.0
"""What /proc says about the process of a peer."""
import os


def status_fields(peer) -> list:
    """From the state on."""
    with open(f"/proc/{peer.process.pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()


def processor_seconds(peer) -> float:
    """What the process has used of the processor since it began."""
    fields = status_fields(peer)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stopped(peer) -> bool:
    return status_fields(peer)[0] == "T"
