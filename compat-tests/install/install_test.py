# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` puts into a prefix is all that a program elsewhere needs."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
# They share what is installed; and building takes its time on a busy machine.
pytestmark = [pytest.mark.xdist_group("install"), pytest.mark.timeout(900)]
HEADERS = sorted(header.name for header in (ROOT / "include/curator").glob("*.h"))
CPP_HEADERS = sorted(header.name for header in (ROOT / "include/curator").glob("*.hpp"))
API = (ROOT / "include/curator/api.h").read_text()
VERSION = ".".join(re.findall(r"^#define CURATOR_VERSION_\w+ (\d+)$", API, re.MULTILINE))

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

CPP_PROGRAM = """
#include <cstdio>
#include <curator/curator.hpp>

int main()
{
    curator::framework client("127.0.0.1:1");
    curator::shared_mutex mutex(client, "/lock");
    std::puts(client.close() == CURATOR_OK ? "opened and closed" : curator_last_error());
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

CPP_PROJECT = PROJECT.replace("elsewhere C", "elsewhere CXX").replace("program.c", "program.cpp") + """
foreach(program shared static)
    target_compile_features(${program} PRIVATE cxx_std_17)
endforeach()
"""


def run(*command, **environment) -> str:
    """The command's output; nothing of this project is in its environment."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    done = subprocess.run([str(part) for part in command], env={**kept, **environment}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, f"{done.args}: {done.returncode}\n{done.stdout}"
    return done.stdout


def configure(source, build, *options) -> str:
    return run("cmake", "-G", "Ninja", "-S", source, "-B", build, *options)


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """A plain build, to be installed elsewhere than configured: what --asan and its like built is for tests only."""
    build = tmp_path_factory.mktemp("build")
    configure(ROOT, build, "-DCURATOR_TESTS=OFF", "-DCURATOR_EXAMPLES=OFF", "-DCMAKE_INSTALL_PREFIX=/nowhere",
              "-DCMAKE_INSTALL_LIBDIR=lib")
    run("cmake", "--build", build)
    return build


@pytest.fixture(scope="module")
def prefix(build, tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", build, "--prefix", prefix)
    return prefix


def installed(build, prefix, component) -> set:
    """The files that a component consists of, links included."""
    run("cmake", "--install", build, "--prefix", prefix, "--component", component)
    return {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_symlink() or path.is_file()}


def without_system_libraries() -> str:
    """An option with which CMake does not see the ZooKeeper client that is installed."""
    folder = os.path.dirname(os.path.realpath(run("gcc", "-print-file-name=libzookeeper_mt.so").strip()))
    return f"-DCMAKE_IGNORE_PATH=/usr/include;{folder};{folder.removeprefix('/usr')}"


@pytest.fixture(scope="module")
def other_names(tmp_path_factory):
    """Options with which CMake sees only a ZooKeeper client by the names that vcpkg and Conan use."""
    folder = tmp_path_factory.mktemp("other_names")
    for name in ("include", "lib"):
        (folder / name).mkdir()
    for header in ("zookeeper", "uthash.h", "utlist.h", "zlib.h"):
        (folder / "include" / header).symlink_to(f"/usr/include/{header}")
    (folder / "lib/libz.so").symlink_to(os.path.realpath(run("gcc", "-print-file-name=libz.so").strip()))
    library = run("gcc", "-print-file-name=libzookeeper_mt.a").strip()
    (folder / "lib/libzookeeper.a").symlink_to(os.path.realpath(library))
    run("ar", "qc", folder / "lib/libhashtable.a")
    return [without_system_libraries(), f"-DCMAKE_PREFIX_PATH={folder}"]


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


def test_a_cplusplus_program_builds_by_find_package_alone(prefix, tmp_path):
    (tmp_path / "program.cpp").write_text(CPP_PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(CPP_PROJECT)
    run("cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    for name in ("shared", "static"):
        assert run(tmp_path / "build" / name) == "opened and closed\n"


def test_a_program_builds_with_the_project_inside_its_own(tmp_path, program):
    """Its build type stays as it was, and what it installs is not overwritten."""
    inside = PROJECT.replace("find_package(curator 0.1 REQUIRED)",
                             f'include(GNUInstallDirs)\nadd_subdirectory("{ROOT}" curator)')
    (tmp_path / "CMakeLists.txt").write_text(inside)
    (tmp_path / "LICENSE").write_text("another one\n")
    configure(tmp_path, tmp_path / "build")
    assert "CMAKE_BUILD_TYPE:STRING=\n" in (tmp_path / "build/CMakeCache.txt").read_text()
    run("cmake", "--build", tmp_path / "build")
    for name in ("shared", "static"):
        assert run(tmp_path / "build" / name) == "opened and closed\n"
    files = installed(tmp_path / "build", tmp_path / "prefix", "runtime")
    assert "share/doc/curator/LICENSE" in files
    assert not any(file.startswith("share/doc/elsewhere") for file in files)


def test_the_shared_library_needs_no_zookeeper_client_to_build_with_and_the_archive_says_so(prefix, program, tmp_path):
    nothing = [without_system_libraries(), f"-DCMAKE_PREFIX_PATH={prefix}"]
    (tmp_path / "CMakeLists.txt").write_text("\n".join(PROJECT.splitlines()[:-2]))
    configure(tmp_path, tmp_path / "build", *nothing)
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build/shared") == "opened and closed\n"
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    with pytest.raises(AssertionError, match="needs_the_ZooKeeper_C_client_libzookeeper_mt_which_is_not_found"):
        configure(tmp_path, tmp_path / "static", *nothing)


def test_the_zookeeper_client_is_found_by_the_name_that_vcpkg_and_conan_use(prefix, program, tmp_path, other_names):
    assert "libzookeeper.a" in configure(ROOT, tmp_path / "ours", "-DCURATOR_TESTS=OFF", "-DCURATOR_EXAMPLES=OFF",
                                         *other_names)
    assert re.search("^Libs.private: -lzookeeper -lhashtable ", (tmp_path / "ours/lib/curator.pc").read_text(), re.M)
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    configure(tmp_path, tmp_path / "build", *other_names, f"-Dcurator_DIR={prefix}/lib/cmake/curator")
    run("cmake", "--build", tmp_path / "build", "--target", "static")
    assert not any("zookeeper" in name for name in needed(tmp_path / "build/static"))
    assert run(tmp_path / "build/static") == "opened and closed\n"


def test_a_build_without_the_zookeeper_client_says_what_to_install(tmp_path):
    with pytest.raises(AssertionError, match=r"libzookeeper_mt\) is missing"):
        configure(ROOT, tmp_path / "build", without_system_libraries())


def test_each_component_has_its_files(build, tmp_path):
    runtime = installed(build, tmp_path / "runtime", "runtime")
    development = installed(build, tmp_path / "development", "development")
    assert runtime == {"lib/libcurator.so.0", f"lib/libcurator.so.{VERSION}", "share/doc/curator/LICENSE",
                       "share/doc/curator/NOTICE"}
    assert development >= {"lib/libcurator.so", "lib/libcurator.a", "lib/pkgconfig/curator.pc",
                           "lib/cmake/curator/curatorConfig.cmake", "lib/cmake/curator/curatorConfigVersion.cmake"}
    assert {f"include/curator/{header}" for header in HEADERS + CPP_HEADERS} <= development
    tools = installed(build, tmp_path / "tools", "tools")
    assert tools >= {"bin/curator-lock", "share/man/man1/curator-lock.1"}
    assert not runtime & development and not tools & (runtime | development)
    run("cmake", "--install", build, "--prefix", tmp_path / "whole")
    whole = {str(path.relative_to(tmp_path / "whole")) for path in (tmp_path / "whole").rglob("*") if not path.is_dir()}
    assert runtime | development | tools == whole


def test_a_build_of_the_reference_without_doxygen_says_what_to_install(tmp_path):
    with pytest.raises(AssertionError, match="apt-get install doxygen"):
        configure(ROOT, tmp_path / "build", "-DCURATOR_TESTS=OFF", "-DCURATOR_EXAMPLES=OFF", "-DCURATOR_DOCS=ON",
                  "-DCMAKE_DISABLE_FIND_PACKAGE_Doxygen=ON")


if shutil.which("doxygen"):  # which is not among what the tests install; CI does
    def test_the_reference_has_a_man_page_for_each_function(tmp_path):
        configure(ROOT, tmp_path / "build", "-DCURATOR_TESTS=OFF", "-DCURATOR_EXAMPLES=OFF", "-DCURATOR_DOCS=ON")
        run("cmake", "--build", tmp_path / "build", "--target", "docs")
        files = installed(tmp_path / "build", tmp_path / "prefix", "documentation")
        assert {f"share/man/man3/{name}.3" for name in declared() | {"libcurator", "curator_mutex"}} <= files
        assert "share/doc/curator/html/index.html" in files
        for name in declared():
            text = (tmp_path / f"prefix/share/man/man3/{name}.3").read_text()
            assert f"\n.SH NAME\n{name} \\- " in text


def test_an_option_of_a_newer_library_is_refused_only_where_it_is_used(prefix, program, tmp_path):
    """Compiled with headers whose options have taken a member from the reserved space."""
    include = tmp_path / "include"
    shutil.copytree(prefix / "include", include)
    header = include / "curator/framework.h"
    slots = int(re.search(r"uint64_t reserved\[(\d+)\];", header.read_text()).group(1))
    newer = f"const char *newest;\n    uint64_t reserved[{slots - 1}];"
    header.write_text(header.read_text().replace(f"uint64_t reserved[{slots}];", newer))
    libraries = [flag for flag in flags(prefix) if not flag.startswith("-I")]

    def run_compiled(text) -> str:
        (tmp_path / "program.c").write_text(text)
        run("gcc", f"-I{include}", program, "-o", tmp_path / "program", *libraries)
        return run(tmp_path / "program", LD_LIBRARY_PATH=str(prefix / "lib"))

    assert run_compiled(PROGRAM) == "opened and closed\n"
    with pytest.raises(AssertionError, match=f"options.reserved is not zero.*version {VERSION}"):
        run_compiled(PROGRAM.replace("client = NULL;", 'client = NULL;\n    options.newest = "";'))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("language, standard", [("c", "c11"), ("c++", "c++17")])
@pytest.mark.parametrize("header", HEADERS)
def test_a_header_compiles_alone_without_a_warning(prefix, tmp_path, header, compiler, language, standard):
    source = tmp_path / "source"
    source.write_text(f"#include <curator/{header}>\n#include <curator/{header}>\nextern int something;\n")
    run(compiler, "-x", language, f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
        f"-I{prefix}/include", source)


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("options", [["-std=c++17"], ["-std=c++20"], ["-std=c++17", "-fno-rtti"]], ids=" ".join)
@pytest.mark.parametrize("header", CPP_HEADERS)
def test_a_cplusplus_header_compiles_alone_without_a_warning(prefix, tmp_path, header, compiler, options):
    """That it stands in the prefix must not make it a system header, whose warnings are not shown."""
    source = tmp_path / "source.cpp"
    source.write_text(f"#include <curator/{header}>\n#include <curator/{header}>\nextern int something;\n")
    run(compiler, *options, "-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only",
        f"-I{prefix}/include", source)


def test_curator_hpp_includes_every_header():
    text = "".join((ROOT / "include/curator" / header).read_text() for header in CPP_HEADERS)
    assert [header for header in CPP_HEADERS if f"#include <curator/{header}>" not in text] == ["curator.hpp"]


def test_curator_h_includes_every_header():
    text = (ROOT / "include/curator/curator.h").read_text()
    assert [header for header in HEADERS if f"#include <curator/{header}>" not in text] == ["curator.h"]


def test_the_shared_library_exports_what_the_headers_declare_and_nothing_else(prefix):
    assert defined("--dynamic", prefix / "lib/libcurator.so") == declared()


def test_the_static_library_exports_what_the_headers_declare_and_nothing_else(prefix):
    assert defined("--extern-only", prefix / "lib/libcurator.a") == declared()


def test_the_shared_library_is_versioned(prefix):
    assert "[libcurator.so.0]" in run("readelf", "-dW", prefix / "lib/libcurator.so")
    assert os.readlink(prefix / "lib/libcurator.so") == "libcurator.so.0"
    assert os.readlink(prefix / "lib/libcurator.so.0") == f"libcurator.so.{VERSION}"
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
    packaged = run("pkg-config", "--modversion", "curator", PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    assert packaged.strip() == VERSION


def test_the_shared_library_stays_when_it_is_unloaded(prefix):
    """X5: a look-up of a name may go on in it after everything is closed."""
    assert re.search(r"FLAGS_1\).*\bNODELETE\b", run("readelf", "-dW", prefix / "lib/libcurator.so"))
