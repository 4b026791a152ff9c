# SPDX-License-Identifier: Apache-2.0
"""
A Python process with another client's locks, for the tests to talk to; speaks the line protocol of support/peer.c, as
far as those locks can. A `library` has open, mutex, read_write_lock, acquire, release and close.
"""
import queue
import sys
import threading
import time
import urllib.parse

CLIENTS = {}
LOCKS = {}
WORKERS = {}
WRITING = threading.Lock()


def now() -> float:
    return time.monotonic() * 1000


def send(line: str):
    with WRITING:
        print(line, flush=True)


def opened(library, options):
    settings = dict(option.split("=", 1) for option in options)
    return library.open(settings["connect"], int(settings.get("session_timeout", 10000)) / 1000)


def perform(library, verb, name, arguments) -> str:
    if verb == "open":
        CLIENTS[name] = opened(library, arguments)
    elif verb == "mutex":
        LOCKS[name] = library.mutex(CLIENTS[arguments[0]], arguments[1])
    elif verb == "read_write_lock":
        LOCKS[name + ".read"], LOCKS[name + ".write"] = library.read_write_lock(CLIENTS[arguments[0]], arguments[1])
    elif verb in ("acquire", "acquire_for"):
        seconds = None if verb == "acquire" else int(arguments[0]) / 1000
        return "CURATOR_OK" if library.acquire(LOCKS[name], seconds) else "CURATOR_TIMED_OUT"
    elif verb == "release":
        library.release(LOCKS[name])
    elif verb == "close":
        library.close(CLIENTS.pop(name))
    elif verb != "await":
        raise ValueError(f"no verb {verb}")
    return "CURATOR_OK"


def work(library, requests):
    while (request := requests.get()) is not None:
        number, _, verb, name, *arguments = request
        began, details = now(), ""
        try:
            status = perform(library, verb, name, arguments)
        except Exception as problem:  # whatever it is, the test is to see it
            status, details = "CURATOR_ERROR", " " + urllib.parse.quote(repr(problem))
        send(f"{number} {status} {began:.3f} {now():.3f}{details}")


def serve(library):
    for line in sys.stdin:
        request = [urllib.parse.unquote(token) for token in line.split()]
        if request[1] not in WORKERS:
            WORKERS[request[1]] = queue.Queue()
            threading.Thread(target=work, args=(library, WORKERS[request[1]]), daemon=True).start()
        WORKERS[request[1]].put(request)
    for client in list(CLIENTS.values()):
        library.close(client)
