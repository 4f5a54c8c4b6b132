"""Commands that are killed at random moments; `python tests/sandbox/kills.py` does it more often."""

import os

import pytest
from sandbox.kills import COMMANDS, main


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kills_leave_nothing_half_and_lose_nothing():
    """Of commands, workers and readers."""
    counts = main(9, 3, list(COMMANDS))
    assert counts["failures"] == 0, counts
