"""Inertia of joints from recursions: that of the dense mass matrix, in a time proportional to the number of joints."""

from time import process_time

import numpy as np
import pytest

import fajin
from fajin.model.joint_responses import tree_bodies, unit_responses
from fajin.model.mass_matrix import diagonal_inertia, effective_inertia, mass_matrix
from fajin.scene import Articulation, Axis, Joint, JointType, Link, Scene

OFFSET = ((0.1, 0.2, 0.3), (0.0, 0.0, 0.0, 1.0))


@pytest.mark.parametrize("name", ["anymal_c", "spherical", "gripper_mimic", "floating_chain", "tendon_finger"])
def test_recursions_give_the_numbers_of_the_matrix(scenes, name):
    """M_kk, and 1 / (M⁻¹)_kk."""
    scene = fajin.read(scenes / f"{name}.usda")
    model = fajin.compile(scene)
    whole, free = diagonal_inertia(scene), effective_inertia(scene)
    for row in model.tables["ARTICULATIONS"]:
        M, dofs = mass_matrix(model, tree_bodies(model, int(row[0]), int(row[1])))
        names, first = [model.dof[dof] for dof in dofs], len(M) - len(dofs)
        np.testing.assert_allclose([whole[n] for n in names], np.diag(M)[first:], rtol=1e-12)
        np.testing.assert_allclose([free[n] for n in names], 1.0 / np.diag(np.linalg.inv(M))[first:], rtol=1e-9)


def test_dependent_joints_are_found(scenes):
    """A joint behind which nothing has mass has no response of its own."""
    model = fajin.compile(fajin.read(scenes / "pendulum.usda"))
    row = model.tables["ARTICULATIONS"][0]
    for name in ("MASS", "INERTIA", "ARMATURE"):
        model.parameters[name][...] = 0.0
    assert unit_responses(model, tree_bodies(model, int(row[0]), int(row[1]))) is None


def chain(count: int, star: bool) -> Scene:
    """A chain of joints, or a star."""
    links = tuple(Link(f"/r/l{i}") for i in range(count + 1))
    joints = tuple(
        Joint(f"/r/j{i}", JointType.REVOLUTE, f"/r/l{0 if star else i}", f"/r/l{i + 1}", OFFSET, axes=(Axis("rotX"),))
        for i in range(count)
    )
    return Scene("chain", (Articulation("/r", links, joints, fixed_base=True),))


@pytest.mark.slow
@pytest.mark.parametrize("star", [False, True])
def test_cost_grows_as_the_number_of_joints(star):
    """Four times the joints take at most eight times the time; with the square of their number it were sixteen."""
    seconds = {}
    for count in (500, 2_000):
        scene = chain(count, star)
        began = process_time()
        assert len(effective_inertia(scene)) == count
        seconds[count] = process_time() - began
    assert seconds[2_000] < 8.0 * seconds[500], seconds
