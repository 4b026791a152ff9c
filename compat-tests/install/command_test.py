# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` puts into a prefix of the command curator-lock, and that it works there."""
import re
import shutil
import subprocess

import pytest

from support.programs import ROOT

MAN_PAGE = f"{ROOT}/tools/curator-lock.1"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    build, prefix = tmp_path_factory.mktemp("build"), tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DCURATOR_TESTS=OFF", "-DCURATOR_EXAMPLES=OFF",
                    "-DCMAKE_INSTALL_LIBDIR=lib"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build], check=True, stdout=subprocess.DEVNULL)
    for component in ("tools", "runtime"):
        subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--component", component], check=True,
                       stdout=subprocess.DEVNULL)
    return prefix


def test_it_runs_where_it_is_installed_with_its_page_and_completions(prefix):
    done = subprocess.run([prefix / "bin/curator-lock", "--version"], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"curator-lock \d+\.\d+\.\d+\n", done.stdout)
    for file in ("share/man/man1/curator-lock.1", "share/bash-completion/completions/curator-lock",
                 "share/zsh/vendor-completions/_curator-lock"):
        assert (prefix / file).is_file()


def help_options(prefix) -> set:
    text = subprocess.run([prefix / "bin/curator-lock", "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"--([a-z][a-z-]+)", text))


def test_page_help_and_completions_know_the_same_options(prefix):
    options = help_options(prefix)
    assert len(options) > 20
    with open(MAN_PAGE, encoding="utf-8") as page:
        assert options - {"help", "version"} <= set(re.findall(r"(?:Fl|,) -([a-z][a-z-]+)", page.read()))
    for completion in ("completion.bash", "completion.zsh"):
        with open(f"{ROOT}/tools/{completion}", encoding="utf-8") as file:
            assert options <= set(re.findall(r"--([a-z][a-z-]+)", file.read()))


def test_the_page_is_formatted_without_a_warning():
    done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Z", MAN_PAGE], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize("words, index, completed", [
    (["curator-lock", "h"], 1, {"hold"}), (["curator-lock", "--on-lost", "t"], 2, {"term"}),
    (["curator-lock", "--session"], 1, {"--session-timeout"}), (["curator-lock", "list", "--f"], 2, {"--format"})])
def test_bash_completes(words, index, completed):
    assert shutil.which("bash")
    script = f"source {ROOT}/tools/completion.bash; COMP_WORDS=({' '.join(words)}); COMP_CWORD={index}; " \
             "_curator_lock; printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == completed
