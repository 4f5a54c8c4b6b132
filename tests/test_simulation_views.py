"""Quantities of a simulation as arrays by world and joint."""

import numpy as np
import pytest
from planar_arm import arm, simulation
from random_tree import random_tree

from fajin.scene import Drive


@pytest.mark.parametrize("name", ["elbow", "/arm/elbow", "elbow:rotZ", "/arm/elbow:rotZ", 1, -2])
def test_a_column_has_many_names(name):
    """Joint, path, axis or index."""
    sim = simulation(arm(drive=Drive(stiffness=1.0)), 3)
    sim.target_q[:, name] = (0.1, 0.2, 0.3)
    sim.target_q[1, name] = 0.7
    assert np.array_equal(sim.target_q, [[0, 0.1, 0], [0, 0.7, 0], [0, 0.3, 0]])
    assert np.array_equal(sim.target_q[:, name], (0.1, 0.7, 0.3))
    assert sim.target_q[1, name] == 0.7


def test_views_take_lists_slices_and_masks():
    """As NumPy does; the rest stays."""
    sim = simulation(arm(), 4)
    sim.effort[:, ["finger", "shoulder"]] = (1.0, 2.0)
    assert np.array_equal(sim.effort[2], (2.0, 0.0, 1.0))
    sim.effort[1:3] = 5.0
    sim.effort[[True, False, False, False]] = -1.0
    sim.effort[[0, 3], [1, 2]] = 9.0
    assert np.array_equal(sim.effort, [[-1, 9, -1], [5, 5, 5], [5, 5, 5], [2, 0, 9]])
    assert sim.effort.shape == (4, 3)
    assert len(sim.effort) == 4
    assert np.array_equal(np.asarray(sim.effort) + 1.0, sim.effort[:] + 1.0)
    assert "effort" in repr(sim.effort)


def test_setting_a_quantity_broadcasts():
    """A number, a row, or all."""
    sim = simulation(arm(), 2)
    for value in (0.3, (0.1, 0.2, 0.3), np.arange(6.0).reshape(2, 3)):
        sim.q = value
        assert np.array_equal(sim.q, np.broadcast_to(value, (2, 3)))
        sim.stiffness = value
        assert np.array_equal(sim.stiffness, np.broadcast_to(value, (2, 3)))
    with pytest.raises(ValueError, match="broadcast"):
        sim.q = (1.0, 2.0)


def test_what_is_read_is_a_copy():
    """Writing into it changes nothing."""
    sim = simulation(arm())
    sim.q[:][0, 0] = 1.0
    np.asarray(sim.stiffness)[0, 0] = 1.0
    sim.step()
    assert sim.q[0, 0] == 0.0
    assert sim.stiffness[0, 0] == 0.0


def test_unknown_and_ambiguous_names_say_what_there_is():
    """KeyError with the names."""
    sim = simulation(arm())
    with pytest.raises(KeyError, match=r"no degree of freedom 'wrist'.*/arm/shoulder:rotZ"):
        sim.q[:, "wrist"] = 0.0
    ball = simulation(random_tree(0, ("spherical",)))
    with pytest.raises(KeyError, match=r"spherical1.*rotX.*rotY.*give the full one"):
        ball.q[:, "spherical1"] = 0.0
    ball.q[:, "spherical1:rotY"] = 0.25
    assert np.array_equal(ball.q[:, "/tree/spherical1:rotY"], [0.25])
