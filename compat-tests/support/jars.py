# SPDX-License-Identifier: Apache-2.0
"""
The class path of the real ZooKeeper and the real Curator: those that Debian installs, unless the matrix of peers names
others in the environment. Run as a program, prints the one that the Java peer is compiled with.
"""
import os
import shutil

JARS = "/usr/share/java"

# jar -> Debian package that brings it
SERVER = {
    "zookeeper": "libzookeeper-java",
    "zookeeper-jute": "libzookeeper-java",
    "slf4j-api": "libslf4j-java",
    "slf4j-simple": "libslf4j-java",
    "netty-handler": "libnetty-java",
    "netty-transport": "libnetty-java",
    "netty-buffer": "libnetty-java",
    "netty-common": "libnetty-java",
    "metrics-core": "libdropwizard-metrics-java",
    "snappy-java": "libsnappy-java",
    "commons-cli": "libcommons-cli-java",
    "commons-io": "libcommons-io-java",
}
CURATOR = {
    "curator-client": "libcurator-client-java",
    "curator-framework": "libcurator-framework-java",
    "curator-recipes": "libcurator-recipes-java",
    "guava": "libguava-java",
    "jackson-databind": "libjackson2-databind-java",
    "jackson-core": "libjackson2-core-java",
    "jackson-annotations": "libjackson2-annotations-java",
}


class MissingPart(Exception):
    """Something these tests need is not installed; the text says how to install it."""

    def __init__(self, what: str, package: str):
        super().__init__(f"missing {what}: apt-get install {package}")


def class_path(jars: dict) -> str:
    paths = []
    for name, package in jars.items():
        path = os.path.join(JARS, name + ".jar")
        if not os.path.exists(path):
            raise MissingPart(path, package)
        paths.append(path)
    return ":".join(paths)


def server_class_path() -> str:
    return os.environ.get("CURATOR_SERVER_CLASS_PATH") or class_path(SERVER)


def curator_class_path() -> str:
    return class_path({**SERVER, **CURATOR})


def java() -> list:
    """The command that starts a small JVM fast."""
    if shutil.which("java") is None:
        raise MissingPart("java", "default-jdk-headless")
    return ["java", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-XX:-UsePerfData"]


if __name__ == "__main__":
    print(curator_class_path())
