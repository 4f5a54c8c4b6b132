"""Rows read the displacement of a free body as a sum, so that it does not lose the digits that a far position lacks."""

import numpy as np
import pytest
from usda import prim, stage

import fajin

EPS = float(np.finfo(np.float32).eps)
SPEED = 0.001  # [m/s]
FAR = 1024.0  # [m], where positions are 1.2e-4 m apart, more than the body moves in a substep
BODY = """double3 xformOp:translate = ({x:g}, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    vector3f physics:velocity = (-{speed:g}, 0, 0)
    float physics:mass = 1
    float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
    point3f physics:centerOfMass = (0, 0, 0)
    quatf physics:principalAxes = (1, 0, 0, 0)"""
SPRING = """rel physics:body1 = </body>
    point3f physics:localPos0 = ({x:g}, 0, 0)
    float drive:transX:physics:stiffness = 1000
    uniform token drive:transX:physics:type = "force\""""
SOFT = "float physxMaterial:compliantContactStiffness = 1000"
WALL = """double size = 2
    double3 xformOp:translate = ({x:g}, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    rel material:binding:physics = </soft>"""


def spring(x: float) -> list[str]:
    """A body on a spring that is at rest, between it and the world."""
    return [
        prim("Xform", "body", BODY.format(x=x, speed=SPEED), "PhysicsRigidBodyAPI PhysicsMassAPI"),
        prim("PhysicsJoint", "joint", SPRING.format(x=x), "PhysicsDriveAPI:transX"),
    ]


def cushion(x: float) -> list[str]:
    """A ball that begins on the surface of a soft wall."""
    ball = "double radius = 1\n    " + BODY.format(x=x, speed=SPEED) + "\n    rel material:binding:physics = </soft>"
    apis = "PhysicsRigidBodyAPI PhysicsMassAPI PhysicsCollisionAPI MaterialBindingAPI"
    return [
        prim("Material", "soft", SOFT, "PhysicsMaterialAPI PhysxMaterialAPI"),
        prim("Sphere", "body", ball, apis),
        prim("Cube", "wall", WALL.format(x=x - 2.0), "PhysicsCollisionAPI MaterialBindingAPI"),
    ]


@pytest.mark.parametrize("scene", [spring, cushion])
def test_a_spring_sees_motion_too_small_for_a_far_position(tmp_path, scene):
    """After a step of TGS the speed is the one that it has at the origin."""
    speeds = []
    for x in (0.0, FAR):
        folder = tmp_path / str(int(x))
        folder.mkdir()
        path = stage(folder, *scene(x), scene="float physics:gravityMagnitude = 0")
        sim = fajin.Simulation(fajin.read(path), device="cpu", dt=1.0 / 60.0)
        sim.step()
        speeds.append(float(sim.link_velocity[0, 0, 0]))
    assert abs(speeds[0]) < 0.99 * SPEED
    assert speeds[1] == pytest.approx(speeds[0], abs=16 * 8 * EPS * SPEED)
