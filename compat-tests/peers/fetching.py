# SPDX-License-Identifier: Apache-2.0
"""
What a row needs from a package registry, by the registry's ordinary client, and where it is kept. Each need is a class
with `registry`, `what` (for the announcement), `ready()` and `fetch()`.
"""
import hashlib
import os
import pathlib
import shutil
import subprocess
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).parent
DEFAULT_CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "libcurator-peers"
FETCH_SECONDS = 600
CLASS_PATH_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath"
# One logger that writes to standard error; the ones that come with ZooKeeper write to standard output.
LOGGER = ("org.slf4j:slf4j-api:1.7.36", "org.slf4j:slf4j-simple:1.7.36")
OTHER_LOGGERS = ("ch.qos.logback:*", "org.slf4j:slf4j-log4j12", "org.slf4j:slf4j-reload4j", "org.slf4j:slf4j-api")


class NotFetched(Exception):
    """The registry's client failed or is missing; the text has its last lines."""


def run(command: list, what: str, cwd=None, **environment):
    """Runs a registry's client, or a compiler, to its end."""
    if shutil.which(command[0]) is None:
        raise NotFetched(f"{what}: {command[0]} is not installed")
    try:
        done = subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=FETCH_SECONDS, check=False)
    except subprocess.TimeoutExpired as late:
        raise NotFetched(f"{what}: {command[0]} did not end in {FETCH_SECONDS} s") from late
    if done.returncode != 0:
        raise NotFetched(f"{what}: {' '.join(command)}\n" + done.stdout.decode("utf-8", "replace")[-2000:])


class Need:
    cache = DEFAULT_CACHE  # of all needs
    registry = what = ""

    def folder(self) -> pathlib.Path:
        """Its place in the cache: another one whenever what it is made of changes."""
        kind = type(self).__name__.lower()
        digest = hashlib.sha256("\n".join(self.parts()).encode()).hexdigest()[:16]
        return self.cache / kind / f"{self.name}-{digest}"

    def ready(self) -> bool:
        return (self.folder() / "ready").exists()

    def fetch(self):
        """Starts again after an attempt that was broken off."""
        folder = self.folder()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.fetch_into(folder)
        (folder / "ready").touch()


class Maven(Need):
    """Artifacts `group:artifact:version` with all that they need; and a Java source of ours, compiled with them."""

    registry = "Maven Central"

    def __init__(self, name: str, *coordinates: str, source: str = ""):
        self.name = name
        self.coordinates = coordinates
        self.source = HERE.parent / source if source else None
        self.what = ", ".join(coordinates)

    def parts(self) -> list:
        return [*self.coordinates, *LOGGER, self.source.read_text(encoding="utf-8") if self.source else ""]

    def pom(self) -> str:
        def dependency(coordinate, excluded=()):
            group, artifact, version = map(escape, coordinate.split(":"))
            pairs = (one.split(":") for one in excluded)
            exclusions = "".join(f"<exclusion><groupId>{group_id}</groupId><artifactId>{artifact_id}</artifactId>"
                                 "</exclusion>" for group_id, artifact_id in pairs)
            return (f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
                    f"<version>{version}</version><exclusions>{exclusions}</exclusions></dependency>")

        dependencies = [dependency(one) for one in LOGGER] + [dependency(one, OTHER_LOGGERS)
                                                             for one in self.coordinates]
        return ("<project><modelVersion>4.0.0</modelVersion><groupId>peers</groupId><artifactId>peers</artifactId>"
                f"<version>1</version><dependencies>{''.join(dependencies)}</dependencies></project>")

    def fetch_into(self, folder):
        (folder / "pom.xml").write_text(self.pom(), encoding="utf-8")
        run(["mvn", "-q", "-B", "-f", str(folder / "pom.xml"), f"-Dmaven.repo.local={self.cache / 'maven-repository'}",
             CLASS_PATH_GOAL, f"-Dmdep.outputFile={folder / 'class-path'}"], self.what)
        if self.source:
            run(["javac", "-nowarn", "-proc:none", "-cp", self.jars(), "-d", str(folder / "classes"),
                 str(self.source)], f"{self.source.name} with {self.what}")

    def jars(self) -> str:
        return (self.folder() / "class-path").read_text(encoding="utf-8").strip()

    def class_path(self) -> str:
        return f"{self.folder() / 'classes'}:{self.jars()}" if self.source else self.jars()

    def version_of(self, artifact: str) -> str:
        """Of an artifact that came along, from its file's name."""
        for jar in self.jars().split(":"):
            name = os.path.basename(jar)
            if name.startswith(artifact + "-") and name[len(artifact) + 1].isdigit():
                return name[len(artifact) + 1:-len(".jar")]
        return "unknown"


class PyPI(Need):
    """Packages `name==version` with what they need, in a folder for PYTHONPATH."""

    registry = "PyPI"

    def __init__(self, name: str, *packages: str):
        self.name = name
        self.packages = packages
        self.what = ", ".join(packages)

    def parts(self) -> list:
        return list(self.packages)

    def fetch_into(self, folder):
        environment = folder / "pip"  # Debian's Python comes without pip, and refuses to install into itself
        run(["/usr/bin/python3", "-m", "venv", str(environment)], self.what)
        run([str(environment / "bin" / "pip"), "install", "-q", "--target", str(folder / "packages"), *self.packages],
            self.what)

    def python_path(self) -> str:
        return str(self.folder() / "packages")


class Program(Need):
    """A program of ours in another language, compiled with a package; a copy of its folder, and one file more."""

    def __init__(self, name: str, what: str, source: str, **files: str):
        self.name = name
        self.what = what
        self.source = HERE / source
        self.files = files

    def parts(self) -> list:
        texts = [path.read_text(encoding="utf-8") for path in sorted(self.source.rglob("*")) if path.is_file()]
        return [*texts, *self.files.values()]

    def fetch_into(self, folder):
        copy = folder / "source"
        shutil.copytree(self.source, copy)
        for name, text in self.files.items():
            (copy / name).write_text(text, encoding="utf-8")
        self.build(folder, copy)

    def program(self) -> str:
        return str(self.folder() / "peer")


class GoProgram(Program):
    registry = "Go modules"

    def build(self, folder, source):
        run(["go", "build", "-o", str(folder / "peer"), "."], self.what, cwd=source)


class RustProgram(Program):
    registry = "crates"

    def build(self, folder, source):
        target = self.cache / "cargo-target"
        run(["cargo", "build", "--quiet", "--locked", "--target-dir", str(target)], self.what, cwd=source)
        shutil.copy(target / "debug" / "peer", folder / "peer")
