# SPDX-License-Identifier: Apache-2.0
"""What the tests of faults can ask for."""
import pytest

from support.follower import CutOffFollower


@pytest.fixture
def new_ensemble():
    ensembles = []

    def start(tick_ms, **options):
        ensembles.append(CutOffFollower(tick_ms, **options))
        return ensembles[-1].start()

    yield start
    for ensemble in ensembles:
        ensemble.remove()
