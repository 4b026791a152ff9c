# SPDX-License-Identifier: Apache-2.0
"""
What the servers did: their transaction logs, read as they lie in the data directories. An ensemble's logs are put
together: what two servers have is committed; what one has at the end of an epoch may have been given up.
"""
import glob
import os
import struct
import zlib
from collections import Counter, namedtuple

CREATE, CREATE2, CREATE_CONTAINER, CREATE_TTL = 1, 15, 19, 21
DELETE, DELETE_CONTAINER = 2, 20
CREATE_SESSION, CLOSE_SESSION = -10, -11
CREATES = (CREATE, CREATE2, CREATE_CONTAINER, CREATE_TTL)
DELETES = (DELETE, DELETE_CONTAINER)

HEADER = struct.Struct(">qiqqi")  # session, cxid, zxid, time, type
FILE_HEADER_BYTES = 16

# `time` is the leader's wall clock in milliseconds; `path` and `data` are of those that have one. `committed` is False
# if only what came later can tell.
Transaction = namedtuple("Transaction", "zxid, time, session, type, path, data, committed")


def entries(file: str):
    """The serialized transactions of one log file, up to the first that was not written to its end."""
    with open(file, "rb") as log:
        content = log.read()
    at = FILE_HEADER_BYTES
    while at + 12 <= len(content):
        checksum, size = struct.unpack_from(">qi", content, at)
        entry = content[at + 12:at + 12 + size]
        if size <= 0 or len(entry) < size or zlib.adler32(entry) != checksum:
            return
        yield entry
        at += 12 + size + 1


def text(entry: bytes, at: int) -> tuple:
    (size,) = struct.unpack_from(">i", entry, at)
    size = max(size, 0)
    return entry[at + 4:at + 4 + size], at + 4 + size


def parse(entry: bytes, committed=True) -> Transaction:
    session, _, zxid, when, kind = HEADER.unpack_from(entry)
    path = data = None
    if kind in CREATES + DELETES:
        path, at = text(entry, HEADER.size)
        path = path.decode()
        if kind in CREATES:
            data, _ = text(entry, at)
    return Transaction(zxid, when, session, kind, path, data, committed)


def read(directories: list) -> list:
    """The transactions of a server or of the servers of an ensemble, in their order. The servers may still run."""
    seen, copies = {}, Counter()
    for directory in directories:
        own = {}
        for file in glob.glob(os.path.join(directory, "version-2", "log.*")):
            for entry in entries(file):
                own[HEADER.unpack_from(entry)[2]] = entry
        seen.update(own)
        copies.update(own.keys())
    enough = min(2, len(directories))
    last_certain = {}  # epoch -> the last zxid that a majority has
    for zxid, count in copies.items():
        if count >= enough:
            last_certain[zxid >> 32] = max(zxid, last_certain.get(zxid >> 32, 0))
    return [parse(seen[zxid], zxid <= last_certain.get(zxid >> 32, 0)) for zxid in sorted(seen)]
