"""Bodies in contact fall asleep and wake in the steps in which they do in PhysX."""

import numpy as np
import pytest
from paths import RECORDINGS
from recorded import recordings

from parity import EARLY, simulate

RECORDED = recordings(RECORDINGS / "contact_sleep")


@pytest.mark.parametrize("recorded", RECORDED.values(), ids=RECORDED)
def test_bodies_sleep_when_they_do_in_physx(recorded):
    """Every body stands still in the same steps; positions are within 2e-5 m of PhysX's for 60 steps, then 2e-3 m."""
    motion = simulate(recorded)
    seen, expected = still(motion), still(recorded)
    assert expected.any()
    for i, (mine, physx) in enumerate(zip(seen.T, expected.T, strict=True)):
        assert intervals(mine) == intervals(physx), i
    error = np.abs(motion.flight[..., :3] - recorded.flight[..., :3])
    assert error[: EARLY + 1].max() < 2e-5
    assert error.max() < 2e-3


def still(motion) -> np.ndarray:
    """Which joints and free bodies have no velocity at all after each step, (T, D + B)."""
    return np.concatenate([motion.qd == 0.0, ~motion.flight[..., 7:].any(-1)], 1)[1:]


def intervals(asleep: np.ndarray) -> list[tuple[int, int]]:
    """First and last steps of the times in which something stands still."""
    changes = np.flatnonzero(np.diff(np.concatenate([[False], asleep, [False]])))
    return [(int(first) + 1, int(end)) for first, end in changes.reshape(-1, 2)]
