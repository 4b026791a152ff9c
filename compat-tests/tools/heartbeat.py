# SPDX-License-Identifier: Apache-2.0
"""
Run by curator-lock as a command that does not want to end: three processes, one of which has left the process group and
session. Each ignores what can be ignored and writes the time into the shared file, again and again. The times are the
monotonic clock's, which is the same in all processes of a machine.

    heartbeat.py FILE    # of three numbers of eight bytes, nanoseconds
"""
import mmap
import os
import signal
import struct
import sys
import time


def beat(times, place):
    while True:
        struct.pack_into("=q", times, 8 * place, time.monotonic_ns())
        time.sleep(0.0005)


def main(name):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)
    with open(name, "r+b") as file:
        times = mmap.mmap(file.fileno(), 24)
    if os.fork() == 0:
        beat(times, 1)
    if os.fork() == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)  # its child has lost its parent, too
        beat(times, 2)
    beat(times, 0)


main(sys.argv[1])
