# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` puts into a prefix is all that a program elsewhere needs."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
pytestmark = pytest.mark.xdist_group("install")  # they share what is installed
HEADERS = sorted(header.name for header in (ROOT / "include/curator").iterdir())

PROGRAM = """
#include <curator/curator.h>
#include <stdio.h>

int main(void)
{
    curator_framework_options options = {0};
    curator_framework *client = NULL;
    options.connect_string = "127.0.0.1:1";
    if (curator_framework_open(&client, &options) != CURATOR_OK || curator_framework_close(client) != CURATOR_OK) {
        fprintf(stderr, "%s\\n", curator_last_error());
        return 1;
    }
    puts("opened and closed");
    return 0;
}
"""

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(elsewhere C)
find_package(curator 0.1 REQUIRED)
add_executable(shared program.c)
target_link_libraries(shared PRIVATE curator::curator)
add_executable(static program.c)
target_link_libraries(static PRIVATE curator::curator_static)
"""


def run(*command, **environment) -> str:
    """The command's output; nothing of this project is in its environment."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    done = subprocess.run([str(part) for part in command], env={**kept, **environment}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, f"{done.args}: {done.returncode}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """A plain build installed where it was not configured for: what --asan and its like built is for tests only."""
    build = tmp_path_factory.mktemp("build")
    prefix = tmp_path_factory.mktemp("prefix")
    run("cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DCURATOR_TESTS=OFF", "-DCURATOR_EXAMPLES=OFF",
        "-DCMAKE_INSTALL_PREFIX=/nowhere", "-DCMAKE_INSTALL_LIBDIR=lib")
    run("cmake", "--build", build)
    run("cmake", "--install", build, "--prefix", prefix)
    return prefix


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.c"
    path.write_text(PROGRAM)
    return path


def flags(prefix, *options) -> list:
    return run("pkg-config", *options, "--cflags", "--libs", "curator",
               PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig")).split()


def needed(path) -> list:
    """The names of the shared libraries that a program or library asks for."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", path))


def declared() -> set:
    """The functions that the public headers mark as exported."""
    text = "".join((ROOT / "include/curator" / header).read_text() for header in HEADERS)
    return set(re.findall(r"^CURATOR_API [^;(]*\b(\w+)\(", text, re.MULTILINE))


def defined(*nm) -> set:
    """The names that nm lists, without their version and kind."""
    lines = run("nm", "--defined-only", "--format=posix", *nm).splitlines()
    return {line.split()[0].split("@")[0] for line in lines if not line.endswith(":")}


@pytest.mark.parametrize("compiler, language", [("gcc", "c"), ("clang", "c"), ("g++", "c++"), ("clang++", "c++")])
def test_a_program_builds_by_pkg_config_alone(prefix, program, tmp_path, compiler, language):
    run(compiler, "-x", language, program, "-x", "none", "-o", tmp_path / "shared", *flags(prefix))
    assert "libcurator.so.0" in needed(tmp_path / "shared")
    assert run(tmp_path / "shared", LD_LIBRARY_PATH=str(prefix / "lib")) == "opened and closed\n"


def test_a_program_links_statically_by_pkg_config_alone(prefix, program, tmp_path):
    run("gcc", "-static", program, "-o", tmp_path / "static", *flags(prefix, "--static"))
    assert needed(tmp_path / "static") == []
    assert run(tmp_path / "static") == "opened and closed\n"


def test_a_program_builds_by_find_package_alone(prefix, program, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    run("cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    assert "libcurator.so.0" in needed(tmp_path / "build/shared")
    assert "libcurator.so.0" not in needed(tmp_path / "build/static")
    for name in ("shared", "static"):
        assert run(tmp_path / "build" / name) == "opened and closed\n"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("language, standard", [("c", "c11"), ("c++", "c++17")])
@pytest.mark.parametrize("header", HEADERS)
def test_a_header_compiles_alone_without_a_warning(prefix, tmp_path, header, compiler, language, standard):
    source = tmp_path / "source"
    source.write_text(f"#include <curator/{header}>\n#include <curator/{header}>\nextern int something;\n")
    run(compiler, "-x", language, f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
        f"-I{prefix}/include", source)


def test_curator_h_includes_every_header():
    text = (ROOT / "include/curator/curator.h").read_text()
    assert [header for header in HEADERS if f"<curator/{header}>" not in text] == ["api.h", "curator.h"]


def test_the_shared_library_exports_what_the_headers_declare_and_nothing_else(prefix):
    assert defined("--dynamic", prefix / "lib/libcurator.so") == declared()


def test_the_static_library_exports_what_the_headers_declare_and_nothing_else(prefix):
    assert defined("--extern-only", prefix / "lib/libcurator.a") == declared()


def test_the_shared_library_is_versioned(prefix):
    assert "[libcurator.so.0]" in run("readelf", "-dW", prefix / "lib/libcurator.so")
    assert os.readlink(prefix / "lib/libcurator.so") == "libcurator.so.0"
    assert os.readlink(prefix / "lib/libcurator.so.0") == "libcurator.so.0.1.0"


def test_the_shared_library_stays_when_it_is_unloaded(prefix):
    """X5: a look-up of a name may go on in it after everything is closed."""
    assert re.search(r"FLAGS_1\).*\bNODELETE\b", run("readelf", "-dW", prefix / "lib/libcurator.so"))
