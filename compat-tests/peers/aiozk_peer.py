# SPDX-License-Identifier: Apache-2.0
"""Aiozk's lock, made by the code that docs/compatibility.md offers to copy, in the file of the second argument."""
import asyncio
import runpy
import sys
import threading

from aiozk import ZKClient
from aiozk.exc import TimeoutError as LockTimeout
from python_peer import serve


class Aiozk:
    """Its locks run on one event loop; the threads of the protocol wait for it."""

    def __init__(self, offered):
        self.offered = offered
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def open(self, connect, session_seconds):
        async def start():
            client = ZKClient(connect, session_timeout=session_seconds)
            await client.start()
            return client

        return self.run(start())

    def mutex(self, client, path):
        async def make():
            return self.offered["curator_lock"](client, path)

        return self.run(make())

    def acquire(self, lock, seconds):
        try:
            self.run(lock.acquire(timeout=seconds))
            return lock.locked()
        except LockTimeout:
            return False

    def release(self, lock):
        self.run(lock.release())

    def close(self, client):
        self.run(client.close())


serve(Aiozk(runpy.run_path(sys.argv[2])))
