# SPDX-License-Identifier: Apache-2.0
"""What the fuzzers have found worth keeping holds in every build; compat-tests/fuzz/run looks for more."""
import os

import pytest

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


@pytest.mark.parametrize("target", sorted(os.listdir(CORPUS)))
def test_the_kept_corpus_holds(run_scenario, target):
    folder = os.path.join(CORPUS, target)
    inputs = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    assert f"{len(inputs)} inputs" in run_scenario(f"{target}_replay", *inputs)
