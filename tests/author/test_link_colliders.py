"""Colliders that a description lacks, or has with corners: `fajin.author.link_colliders` and `wheel_cylinders`."""

import numpy as np
import pytest
from pxr import Usd
from usda import MASS, arm, prim, stage

from fajin.author.link_colliders import colliders_from_visuals
from fajin.author.wheel_cylinders import author_cylinders, wheel_cylinders
from fajin.conversion.drive_layer import carried_robot
from fajin.scene import ShapeKind
from fajin.usd.read.reader import read_stage

TETRAHEDRON = """point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]"""
MESH, GUIDE = prim("Mesh", "shell", TETRAHEDRON), prim("Sphere", "ball", 'uniform token purpose = "guide"')
RADIUS, WIDTH, CORNERS = 0.1, 0.04, 12


def opened(folder, *prims: str) -> Usd.Stage:
    """A stage in a folder."""
    return Usd.Stage.Open(str(stage(folder, *prims)))


@pytest.mark.parametrize(
    ("shapes", "kinds"), [(MESH, [ShapeKind.CONVEX_HULL]), (MESH + GUIDE, [ShapeKind.SPHERE]), (MASS, [])]
)
def test_a_link_without_colliders_gets_its_shapes(tmp_path, shapes, kinds):
    """Meshes as hulls; shapes that nobody sees come before them."""
    made = opened(tmp_path, arm(link=f"{MASS}\n{shapes}"))
    assert colliders_from_visuals(made) == ["/robot/link"] * len(kinds)
    assert [one.kind for one in read_stage(made).colliders] == kinds


def test_a_link_with_a_collider_keeps_it(tmp_path):
    own = prim("Cube", "box", "double size = 1", "PhysicsCollisionAPI")
    made = opened(tmp_path, arm(link=f"{MASS}\n{MESH}{own}"))
    assert colliders_from_visuals(made) == []
    assert [one.kind for one in read_stage(made).colliders] == [ShapeKind.BOX]


def test_shapes_of_an_instance_become_colliders(tmp_path):
    shared = "instanceable = true\n    prepend references = </shapes>"
    link = f'{MASS}\ndef Xform "look" (\n    {shared}\n)\n{{\n}}'
    made = opened(tmp_path, prim("Xform", "shapes", MESH), arm(link=link))
    assert colliders_from_visuals(made) == ["/robot/link"]
    assert [one.path for one in read_stage(made).colliders] == ["/robot/link/look/shell"]


def test_shapes_of_an_instance_in_an_instance_become_colliders(tmp_path):
    """Both instances above a shape become prims of their own, the outer one first."""
    inner = "instanceable = true\n    prepend references = </shapes>"
    outer = prim("Xform", "parts", f'def Xform "part" (\n    {inner}\n)\n{{\n}}')
    look = f'def Xform "look" (\n    {inner.replace("shapes", "parts")}\n)\n{{\n}}'
    made = opened(tmp_path, prim("Xform", "shapes", MESH), outer, arm(link=f"{MASS}\n{look}"))
    assert colliders_from_visuals(made) == ["/robot/link"]
    assert [one.path for one in read_stage(made).colliders] == ["/robot/link/look/part/shell"]


def test_a_wheel_of_a_mesh_rolls_on_a_cylinder(tmp_path):
    """About the joint's axis, y, as wide as the tread, with the corners' radius."""
    angle = np.arange(CORNERS) * 2.0 * np.pi / CORNERS
    rim = [(RADIUS * np.cos(a), y, RADIUS * np.sin(a)) for y in (0.0, WIDTH) for a in angle]
    sides = [x for i in range(CORNERS) for x in (i, (i + 1) % CORNERS, CORNERS + (i + 1) % CORNERS, CORNERS + i)]
    points = ", ".join(f"({x:.9g}, {y:.9g}, {z:.9g})" for x, y, z in rim)
    lines = f"""point3f[] points = [{points}]
    int[] faceVertexCounts = {[4] * CORNERS}
    int[] faceVertexIndices = {sides}
    uniform token physics:approximation = "convexHull\""""
    link = f"{MASS}\n{prim('Mesh', 'rim', lines, 'PhysicsCollisionAPI PhysicsMeshCollisionAPI')}"
    robot = arm('uniform token physics:axis = "Y"', link=link).replace("rel physics:body1 = </robot/base>", "")
    made = opened(tmp_path, robot.replace('def PhysicsFixedJoint "anchor"', 'def Scope "anchor"'))
    carried = carried_robot(made, False)
    assert carried
    cylinders = wheel_cylinders(made, carried)
    assert author_cylinders(made, cylinders) == ["/robot/link"]
    (wheel,) = read_stage(made).colliders
    assert wheel.kind is ShapeKind.CYLINDER
    assert (wheel.radius, wheel.half_height) == pytest.approx((RADIUS, WIDTH / 2.0), rel=1e-6)
    assert wheel.pose[0] == pytest.approx((0.0, WIDTH / 2.0, 0.0), abs=1e-7)
