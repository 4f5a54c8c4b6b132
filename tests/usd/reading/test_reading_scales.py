"""Mirrored, uneven and shearing scales of bodies, shapes and joints, and faces of meshes that are holes."""

import numpy as np
import pytest
from motions import apart, motion, poses, roundoff
from pxr import Gf, Usd, UsdGeom
from usda import MASS, arm, body, prim, stage

import fajin
from fajin.quaternion import rotate
from fajin.scene import ShapeKind
from fajin.usd.stage.transforms import orthogonal_axes, orthogonal_scale, shears

COLLIDES, MESH = "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"
EPS = float(np.finfo(np.float32).eps)
WEDGE = np.array([(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)], float)
FACES = "int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n"
MIRRORS = [(-1, 1, 1), (1, -2, 1), (1, 1, -0.5), (-1, -2, -3), (-2, -1, 1), (1, 2, 3)]


def ops(scale, turn=(10, 20, 30)):
    """Lines of an op that turns, and of one that scales first."""
    names = '["xformOp:rotateXYZ", "xformOp:scale"]'
    return (
        f"float3 xformOp:rotateXYZ = {turn}\nfloat3 xformOp:scale = {scale}\nuniform token[] xformOpOrder = {names}\n"
    )


def mesh(lines, name="shape"):
    points = ", ".join(str(tuple(point)) for point in WEDGE.tolist())
    return prim("Mesh", name, f"point3f[] points = [{points}]\n{FACES}{lines}", f"{COLLIDES} {MESH}")


def turned(scale, turn=(10, 20, 30)):
    """Vertices of the wedge in the world."""
    rotation = Gf.Rotation((1, 0, 0), turn[0]) * Gf.Rotation((0, 1, 0), turn[1]) * Gf.Rotation((0, 0, 1), turn[2])
    return WEDGE * scale @ np.array(Gf.Matrix3d(rotation))


def placed(collider):
    """Vertices of a collider in the frame that its pose is in."""
    position, rotation = collider.pose
    return rotate(np.array(rotation), np.array(collider.points)) + position


@pytest.mark.parametrize("scale", MIRRORS)
@pytest.mark.parametrize("approximation", ["none", "convexHull"])
def test_a_mirrored_mesh_stands_where_its_points_are(tmp_path, scale, approximation):
    lines = f'uniform token physics:approximation = "{approximation}"\n{ops(scale)}'
    scene = fajin.read(stage(tmp_path, body("ball"), mesh(lines)))
    (collider,) = scene.colliders
    assert collider.kind is (ShapeKind.TRIANGLE_MESH if approximation == "none" else ShapeKind.CONVEX_HULL)
    found, expected = placed(collider), turned(scale)
    apart = np.linalg.norm(found[:, None] - expected[None], axis=2)
    assert apart.min(axis=1) == pytest.approx(0.0, abs=8.0 * EPS)
    assert apart.min(axis=0) == pytest.approx(0.0, abs=8.0 * EPS)


@pytest.mark.parametrize("scale", MIRRORS)
@pytest.mark.parametrize("approximation", ["none", "convexHull"])
def test_faces_of_a_mirrored_mesh_look_outwards(tmp_path, scale, approximation):
    lines = f'uniform token physics:approximation = "{approximation}"\n{ops(scale)}'
    (collider,) = fajin.read(stage(tmp_path, body("ball"), mesh(lines))).colliders
    points = np.array(collider.points)
    for a, b, c in (face[:3] for face in collider.faces):
        normal = np.cross(points[b] - points[a], points[c] - points[a])
        assert normal @ (points.mean(axis=0) - points[a]) < 0.0


def test_a_shape_is_not_turned_by_the_shear_of_its_body(tmp_path):
    """UsdPhysics takes the transform from shape to body, whose translation the body's scale stretches."""
    cube = prim("Cube", "shape", "double size = 2\ndouble3 xformOp:translate = (1, 1, 1)\n" + ops((1, 1, 1)), COLLIDES)
    cube = cube.replace('["xformOp:rotateXYZ"', '["xformOp:translate", "xformOp:rotateXYZ"')
    link = prim("Xform", "link", ops((1, 1.5, 0.5), (0, 0, 90)) + cube, "PhysicsRigidBodyAPI")
    (collider,) = fajin.read(stage(tmp_path, link)).colliders
    position, rotation = collider.pose
    assert position == pytest.approx((1.0, 1.5, 0.5), abs=EPS)
    expected = Gf.Rotation((1, 0, 0), 10) * Gf.Rotation((0, 1, 0), 20) * Gf.Rotation((0, 0, 1), 30)
    assert rotate(np.array(rotation), np.eye(3)) == pytest.approx(np.array(Gf.Matrix3d(expected)), abs=2.0 * EPS)
    assert np.prod(collider.half_extents) == pytest.approx(0.75, rel=4.0 * EPS)


def test_a_joint_is_not_turned_by_the_shear_of_its_body(tmp_path):
    """Its body is named by a prim below that is turned in a body with different scales."""
    child = prim("Xform", "child", ops((1, 1, 1)))
    path = stage(tmp_path, arm(link="float physics:mass = 1\n" + ops((1, 1.5, 0.5), (0, 0, 0)) + child))
    text = path.read_text()
    assert "physics:body1 = </robot/link>" in text
    path.write_text(text.replace("physics:body1 = </robot/link>", "physics:body1 = </robot/link/child>"))
    joint = fajin.read(path).articulations[0].joints[-1]
    expected = Gf.Rotation((1, 0, 0), 10) * Gf.Rotation((0, 1, 0), 20) * Gf.Rotation((0, 0, 1), 30)
    turn = rotate(np.array(joint.frame1[1]), np.eye(3))
    assert turn == pytest.approx(np.array(Gf.Matrix3d(expected)), abs=2.0 * EPS)


@pytest.mark.parametrize("seed", range(5))
def test_the_scale_of_sheared_axes_keeps_their_volume_and_hand(seed):
    axes = np.random.default_rng(seed).normal(size=(3, 3))
    scale, volume = orthogonal_scale(axes), np.linalg.det(axes)
    assert scale.prod() == pytest.approx(volume, rel=1e-12)
    assert (np.sign(scale) == np.sign(volume)).all()
    assert abs(scale[0]) == pytest.approx(np.linalg.norm(axes[0]), rel=1e-15)
    across = orthogonal_axes(axes)
    assert across @ across.T == pytest.approx(np.diag(scale**2), abs=1e-13)


def test_axes_at_right_angles_keep_their_lengths():
    assert orthogonal_scale(np.diag((0.1, 2.0, 0.3))).tolist() == [0.1, 2.0, 0.3]
    turn = Gf.Matrix4d().SetRotate(Gf.Rotation((1, 1, 0), 40))
    assert shears(Gf.Matrix4d().SetScale(Gf.Vec3d(1, 2, 3)) * turn)
    assert not shears(Gf.Matrix4d().SetScale(Gf.Vec3d(-2, 2, 2)) * turn)


@pytest.mark.parametrize("scale", [(1, 2, 1), (0.5, 1.5, 3), (-1, 2, 0.5)])
def test_a_sheared_body_keeps_the_direction_of_x_and_moves_there_again(tmp_path, scale):
    """What is written of its motion is read as the same poses."""
    link = prim("Xform", "link", ops((1, 1, 1), (20, 30, 45)) + MASS, "PhysicsRigidBodyAPI PhysicsMassAPI")
    path = stage(tmp_path, prim("Xform", "robot", ops(scale, (0, 10, 0)) + link))
    opened = Usd.Stage.Open(str(path))
    matrix = UsdGeom.XformCache().GetLocalToWorldTransform(opened.GetPrimAtPath("/robot/link"))
    along = np.array(matrix.ExtractRotationMatrix())[0] * np.sign(matrix.GetDeterminant3())
    scene = fajin.read(path)
    (found,) = scene.articulations[0].links
    assert rotate(np.array(found.pose[1]), np.array((1.0, 0.0, 0.0))) == pytest.approx(
        along / np.linalg.norm(along), abs=1e-12
    )
    recording = motion(scene)
    fajin.write(recording, tmp_path / "moved.usda")
    found = poses(tmp_path / "moved.usda", recording, range(len(recording)))
    assert apart(found, recording.pose[:, 0]) <= roundoff(recording)


def test_holes_of_a_mesh_have_no_triangles(tmp_path):
    (whole,) = fajin.read(stage(tmp_path, body("ball"), mesh(""))).colliders
    (pierced,) = fajin.read(stage(tmp_path, body("ball"), mesh("int[] holeIndices = [1, 3]"))).colliders
    assert pierced.faces == tuple(whole.faces[i] for i in (0, 2))
