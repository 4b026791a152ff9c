# SPDX-License-Identifier: Apache-2.0
"""When a call that has a deadline returns."""
import pytest


@pytest.fixture
def in_vain(lateness, record_property):
    """in_vain(mutex, 500): an acquire that must time out at its deadline, not earlier and not later."""

    def acquire(mutex, timeout_ms, meanwhile=lambda: None, **options):
        with lateness() as late:
            call = mutex.begin("acquire_for", timeout_ms, **options)
            meanwhile()
            call.wait(expect=None)
        after = call.elapsed - timeout_ms
        measured = f"{after:.1f} ms after its deadline; others were up to {late.worst_ms:.1f} ms late"
        record_property("measured", measured)
        print(measured)
        assert call.status == "CURATOR_TIMED_OUT", call
        assert timeout_ms <= call.elapsed <= timeout_ms + late.allowed_ms(), measured
        return call

    return acquire
