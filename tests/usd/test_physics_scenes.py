"""Several physics scenes that differ in the strength of gravity are one simulation."""

import numpy as np
import pytest
from usda import body, prim, stage

import fajin

BOX = "PhysicsRigidBodyAPI PhysicsMassAPI PhysicsCollisionAPI"


def scenes(folder, *prims: str, moon: str = "float physics:gravityMagnitude = 1.6"):
    """A stage with a physics scene of the Earth and one of the Moon, whose path comes first."""
    return stage(folder, prim("PhysicsScene", "moon", moon, "PhysxSceneAPI"), *prims)


def box(name: str, owner: str = "", height: float = 0.0, lines: str = "") -> str:
    """A box of 1 kg, of a physics scene."""
    owned = f"rel physics:simulationOwner = </{owner}>" if owner else ""
    place = f'double3 xformOp:translate = (0, 0, {height})\nuniform token[] xformOpOrder = ["xformOp:translate"]'
    return prim("Cube", name, f"float physics:mass = 1\n{owned}\n{place}\n{lines}", BOX)


def fallen(path, steps: int = 30) -> dict[str, float]:
    """Height of each body after some steps, and no diagnostic but that a body stands still."""
    scene = fajin.read(path)
    assert {report.code for report in scene.reports} <= {"body-does-not-move"}
    sim = fajin.Simulation(scene, device="cpu")
    sim.step(steps)
    return dict(zip(sim.link, sim.link_pose[0, :, 2].tolist(), strict=True))


def test_every_body_falls_in_its_scene_and_without_one_in_the_first_by_path(tmp_path):
    """The depths are in the ratio of the gravities."""
    found = fallen(
        scenes(tmp_path, box("a", "physics"), box("b", "moon"), box("c").replace("(0, 0, 0.0)", "(9, 0, 0)"))
    )
    ratio = found["/a"] / found["/b"]
    assert ratio == pytest.approx(9.81 / 1.6, rel=1e-5)
    assert found["/c"] == found["/b"]


def test_what_two_scenes_simulate_does_not_touch(tmp_path):
    """A box of the Moon lies on a floor of the Moon, one of the Earth falls through both."""
    floor = prim("Cube", "floor", "rel physics:simulationOwner = </moon>", "PhysicsCollisionAPI")
    found = fallen(scenes(tmp_path, floor, box("a", "physics", 2.0), box("b", "moon", 2.0)), 60)
    assert found["/b"] == pytest.approx(2.0, abs=1e-3)
    assert found["/a"] < -1.0


@pytest.mark.parametrize("kinematic", [False, True], ids=["static", "kinematic"])
def test_what_stands_still_is_in_every_scene_that_it_names(tmp_path, kinematic):
    """Boxes of both scenes lie on a floor of both."""
    lines, schemas = "rel physics:simulationOwner = [</moon>, </physics>]", "PhysicsCollisionAPI"
    if kinematic:
        lines, schemas = f"{lines}\nbool physics:kinematicEnabled = 1", f"{schemas} PhysicsRigidBodyAPI"
    floor = prim("Cube", "floor", lines, schemas)
    found = fallen(scenes(tmp_path, floor, box("a", "physics", 2.0), box("b", "moon", 2.0)), 60)
    assert found["/a"] == pytest.approx(2.0, abs=1e-3)
    assert found["/b"] == pytest.approx(2.0, abs=1e-3)


def test_a_joint_between_scenes_does_not_act(tmp_path):
    joint = prim("PhysicsFixedJoint", "joint", "rel physics:body0 = </a>\nrel physics:body1 = </b>")
    scene = fajin.read(scenes(tmp_path, box("a", "physics"), box("b", "moon", 5.0), joint))
    assert not scene.joints
    assert [(report.code, report.prim) for report in scene.reports] == [("joint-between-scenes", "/joint")]


@pytest.mark.parametrize(
    "moon",
    ["vector3f physics:gravityDirection = (1, 0, 0)", "float physxScene:bounceThreshold = 0.5"],
    ids=["direction", "threshold"],
)
def test_scenes_that_differ_otherwise_are_reported_and_the_first_has_all(tmp_path, moon):
    scene = fajin.read(scenes(tmp_path, box("a", "physics"), box("b", "moon"), moon=moon))
    assert {report.code for report in scene.reports} == {"second-scene", "physics-scene-owner"}
    assert np.array_equal(scene.gravity, (9.81, 0.0, 0.0) if "Direction" in moon else (0.0, 0.0, -9.81))
    assert {collider.simulations for collider in scene.colliders} == {()}


@pytest.mark.parametrize(("direction", "reported"), [((0, 3, -4), True), ((0, 0, -1), False), ((0.6, 0, 0.8), False)])
def test_a_direction_of_gravity_is_made_a_unit_vector_and_reported(tmp_path, direction, reported):
    """PhysX multiplies gravity by its length."""
    scene = fajin.read(stage(tmp_path, body("a"), scene=f"vector3f physics:gravityDirection = {direction}"))
    assert scene.gravity == pytest.approx(9.81 * np.array(direction) / np.linalg.norm(direction))
    assert ("gravity-direction" in {report.code for report in scene.reports}) == reported


@pytest.mark.parametrize(("named", "gravity"), [("", 1.6), ("physics", 9.81)])
def test_the_scene_that_a_collider_names_decides_on_its_contact_offset(tmp_path, named, gravity):
    """2 g/rate², also if its body names another one."""
    owned = f"rel physics:simulationOwner = </{named}>\n" if named else ""
    small = prim("Cube", "small", f"{owned}double size = 0.01", "PhysicsCollisionAPI")
    of_earth = body("a", f"rel physics:simulationOwner = </physics>\n{small}")
    (collider,) = fajin.read(scenes(tmp_path, of_earth)).colliders
    assert collider.contact_offset == pytest.approx(2.0 * gravity / 60.0**2)
