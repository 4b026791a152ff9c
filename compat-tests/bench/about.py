# SPDX-License-Identifier: Apache-2.0
"""On what was measured: machine and versions, for the head of the report."""
import os
import platform
import re
import subprocess

import contenders
from support.programs import BUILD


def output(*command: str) -> str:
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def package(name: str) -> str:
    return output("dpkg-query", "-W", "-f", "${Version}", name)


def build() -> str:
    cache = {}
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
        for line in file:
            name, _, value = line.strip().partition("=")
            cache[name.partition(":")[0]] = value
    sanitized = cache.get("CURATOR_SANITIZE")
    return f"{cache.get('CMAKE_BUILD_TYPE')}{', with sanitizers: ' + sanitized if sanitized else ''}"


def processor() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*: (.*)", file.read())
    return found.group(1) if found else platform.machine()


def about(cluster, server_settings: str, warm_up: str, rounds: str) -> dict:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    curator = "of " + ":".join(contenders.OTHER_CURATOR) if contenders.OTHER_CURATOR else \
        package("libcurator-recipes-java")
    return {
        "machine": f"{os.cpu_count()} processors ({processor()}), {memory:.0f} GiB, Linux {platform.release()}; "
                   "servers and contenders share them, by way of loopback",
        "load when it began": f"{os.getloadavg()[0]:.2f}",
        "servers": f"{len(cluster.servers)} x ZooKeeper {package('libzookeeper-java')}, {server_settings}",
        "this library": f"{build()}, {output('cc', '--version').splitlines()[0]}, libzookeeper_mt "
                        f"{package('libzookeeper-mt2')}",
        "Curator": f"{curator}, {output('java', '-version').splitlines()[0]}",
        "kazoo": f"{package('python3-kazoo')}, Python {platform.python_version()}",
        "warm-up": warm_up,
        "rounds": rounds,
    }
