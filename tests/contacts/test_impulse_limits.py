"""Bodies with a largest contact impulse, and bodies on which contacts do not act."""

from dataclasses import replace

import numpy as np
import pytest
from bodies_on_ground import G, H, ball, ground
from usda import prim, stage

import fajin
from fajin.scene import Scene

R, MASS = 0.05, 2.0  # [m], [kg]
WEIGHT = MASS * G * H
"""Impulse [N·s] that holds the ball for a step."""
RIGID, SOLID = "PhysicsRigidBodyAPI PhysxRigidBodyAPI", "PhysicsCollisionAPI"


def drop(limit: float, tgs: int, steps: int, worlds: int = 1, precision: str = "f64") -> fajin.Simulation:
    """A ball that lies on the ground and has a largest impulse."""
    body, shape = ball("ball", R, MASS, (0.0, 0.0, R))
    link = replace(body.links[0], max_contact_impulse=limit)
    made = Scene("", (replace(body, links=(link,)),), (0.0, 0.0, -G), H, tgs, colliders=(ground(), shape))
    sim = fajin.Simulation(made, worlds, "cpu", precision, threads=1, sleeping=False)
    sim.step(steps)
    return sim


@pytest.mark.parametrize("tgs", [0, 1])
@pytest.mark.parametrize("share", [0.25, 0.5, 0.99])
def test_a_ground_gives_no_more_than_the_largest_impulse(tgs, share):
    """v = (share − 1) g t: the ball sinks."""
    steps = 12
    speed = drop(share * WEIGHT, tgs, steps).root_velocity[0, 0, 2]
    assert speed == pytest.approx((share - 1.0) * G * steps * H, rel=1e-9)


@pytest.mark.parametrize("tgs", [0, 1])
def test_a_larger_limit_has_no_effect(tgs):
    assert np.array_equal(drop(10.0 * WEIGHT, tgs, 30).root_pose, drop(np.inf, tgs, 30).root_pose)


def test_worlds_have_limits_of_their_own():
    """In a pack, whose kernel tests share in single precision: four roundings a step."""
    sim = drop(0.5 * WEIGHT, 1, 0, worlds=2, precision="f32")
    sim.contact_max_impulse[1] = 0.25 * WEIGHT
    sim.step(12)
    assert sim.root_velocity[:, 0, 2] == pytest.approx([-0.5 * G * 12 * H, -0.75 * G * 12 * H], rel=4 * 12 * 2.0**-23)


def test_a_limit_that_no_body_has_is_refused():
    with pytest.raises(ValueError, match="author physxRigidBody:maxContactImpulse on a body"):
        drop(np.inf, 1, 0).contact_max_impulse = 1.0


def test_an_impulse_is_read_in_stage_units(tmp_path):
    cube = prim("Cube", "body", "float physxRigidBody:maxContactImpulse = 50", f"{RIGID} {SOLID}")
    metadata = 'metersPerUnit = 0.01\n    kilogramsPerUnit = 1\n    upAxis = "Z"'
    scene = fajin.read(stage(tmp_path, cube, metadata=metadata))
    assert scene.articulations[0].links[0].max_contact_impulse == pytest.approx(0.5)


@pytest.mark.parametrize("acts", [True, False])
def test_shapes_of_a_body_without_solved_contacts_are_not_solid(tmp_path, acts):
    """They keep their mass."""
    shapes = "".join(prim("Cube", name, "double size = 1", SOLID) for name in "ab")
    lines = f"bool physxRigidBody:solveContact = {int(acts)}\n{shapes}"
    other = prim("Cube", "other", "double size = 1", f"{RIGID} {SOLID}")
    scene = fajin.read(stage(tmp_path, prim("Xform", "body", lines, RIGID), other))
    assert [collider.path for collider in scene.colliders] == ["/body/a", "/body/b"] * acts + ["/other"]
    assert [report.code for report in scene.reports].count("contacts-not-solved") == (not acts)
    assert {a.links[0].mass for a in scene.articulations} == {1000.0, 2000.0}


def test_a_body_without_solved_contacts_is_not_told_to_have_no_collider(tmp_path):
    """It has one, and its own finding says that it is not solid."""
    ground = prim("Plane", "ground", 'uniform token axis = "Z"', SOLID)
    cube = prim("Cube", "body", "double size = 1\nbool physxRigidBody:solveContact = 0", f"{RIGID} {SOLID}")
    rules = {finding.rule for finding in fajin.check.check(stage(tmp_path, ground, cube))}
    assert ("falls-through" in rules, "unused-attribute" in rules) == (False, True)
