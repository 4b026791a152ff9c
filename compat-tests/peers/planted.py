# SPDX-License-Identifier: Apache-2.0
"""A copy of the library whose nodes have a wrong name: with it a lock is held twice, or never granted."""
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).parents[2]
PLACE = "lib/locks/lock_driver.c"
RIGHT, WRONG = '#define MUTEX "lock-"', '#define MUTEX "luck-"'


def build(folder: str) -> str:
    """Builds the copy there; the build folder's path."""
    source = pathlib.Path(folder) / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns("build*", ".git", "__pycache__"))
    driver = source / PLACE
    text = driver.read_text(encoding="utf-8")
    assert text.count(RIGHT) == 1, f"{PLACE} has no line {RIGHT}"
    driver.write_text(text.replace(RIGHT, WRONG), encoding="utf-8")
    build_folder = os.path.join(folder, "build")
    for command in (["cmake", "-S", str(source), "-B", build_folder, "-DCURATOR_TESTS=ON", "--log-level=NOTICE"],
                    ["cmake", "--build", build_folder, "--target", "curator_peer"]):
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       env={**os.environ, "CMAKE_GENERATOR": "Ninja"})
    return build_folder
