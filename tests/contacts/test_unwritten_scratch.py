"""A step reads of its scratch only what the launch has written: what other launches or worlds left moves nothing."""

import numpy as np
import pytest
from paths import SCENES
from pit import box_in_a_pit

import fajin

READ = ("q", "qd", "link_pose", "link_velocity")


def motion(scene: fajin.Scene, left: float) -> list[np.ndarray]:
    """The state after four steps, in scratch full of a number."""
    sim = fajin.Simulation(scene, device="cpu")
    sim._state.scratch()[...] = left
    sim.step(4)
    return [np.array(getattr(sim, name)) for name in READ]


@pytest.mark.parametrize("name", ["box in a pit", *sorted(path.stem for path in SCENES.glob("*.usda"))])
def test_what_scratch_holds_before_a_launch_moves_nothing(tmp_path, name):
    """To the bit: zeros, what is not a number, and one that is larger than any."""
    scene = fajin.read(box_in_a_pit(tmp_path) if name == "box in a pit" else SCENES / f"{name}.usda")
    expected = motion(scene, 0.0)
    for left in (np.nan, 1e9):
        for found, zeros in zip(motion(scene, left), expected, strict=True):
            np.testing.assert_array_equal(found, zeros)
