"""Angles of hinges in gear as PhysX takes them from quaternions: 2 arccos w in single precision."""

import numpy as np
import pytest
from usda import BODY, prim, stage

import fajin

RECORDED = (0.00069765, 0.00205830, 0.00219948, 0.00280654)
"""Angle of the pinion after steps of 1/60 s in PhysX (ovphysx 0.7.0): the second step catches up with an angle of 0."""
BODIES = (
    ("pinion", (0.5, 0.1, 0.5), 1, "vector3f physics:angularVelocity = (0, 60, 0)"),
    ("rack", (1, 0.1, 0.1), 2, ""),
)


def rack_and_pinion() -> list[str]:
    """Prims of a pinion on a hinge about Y that turns, and of a rack at rest on a slider along X."""
    prims = []
    for name, size, z, lines in BODIES:
        place = f"""double size = 1
    float physics:mass = 1
    double3 xformOp:translate = (0, 0, {z})
    float3 xformOp:scale = {size}
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    {lines}"""
        prims.append(prim("Cube", name, place, f"{BODY} PhysicsCollisionAPI PhysicsMassAPI"))
    for name, kind, end, axis, z in (("h", "Revolute", "pinion", "Y", 1), ("p", "Prismatic", "rack", "X", 2)):
        lines = f"""rel physics:body1 = </{end}>
    uniform token physics:axis = "{axis}"
    point3f physics:localPos0 = (0, 0, {z})"""
        prims.append(prim(f"Physics{kind}Joint", name, lines))
    parts = {"body0": "pinion", "body1": "rack", "hinge": "h", "prismatic": "p"}
    ends = "\n    ".join(f"rel physics:{name} = </{path}>" for name, path in parts.items())
    return [*prims, prim("PhysxPhysicsRackAndPinionJoint", "gear", f"{ends}\n    float physics:ratio = 57.3")]


def angles(tmp_path, precision: str) -> np.ndarray:
    """Angle of the pinion after each recorded step [rad]."""
    sim = fajin.Simulation(fajin.read(stage(tmp_path, *rack_and_pinion())), device="cpu", precision=precision)
    pinion, found = sim.link.index("/pinion"), []
    for _ in RECORDED:
        sim.step(1)
        turned = sim.link_pose[0, pinion, 3:].astype(float)
        found.append(2.0 * np.arctan2(turned[1], turned[3]))
    return np.array(found)


def test_a_small_angle_of_a_hinge_is_that_of_the_last_bit_of_w(tmp_path):
    """A pinion's angle of 7e-4 rad is 0 in the quaternion of the first step, and the row makes up for it."""
    eps = float(np.finfo(np.float32).eps)
    assert angles(tmp_path, "f32") == pytest.approx(np.array(RECORDED), abs=2.0 * eps)


def test_angles_are_exact_in_double_precision(tmp_path):
    """The pinion turns by the same angle in every step, but for its damping."""
    steps = np.diff(angles(tmp_path, "f64"), prepend=0.0)
    assert steps == pytest.approx(np.full(len(steps), steps[0]), rel=len(steps) * 0.05 / 60.0)
