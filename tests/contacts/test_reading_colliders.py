"""Colliders are read as PhysX makes their shapes: kind, frame, sizes, offsets and material, in SI units."""

from math import inf

import numpy as np
import pytest
from usda import METRES, arm, body, prim, stage

import fajin
from fajin.quaternion import rotate
from fajin.scene import WORLD, CombineMode, ContactMaterial, ContactSettings, InvalidScene, ShapeKind
from fajin.scene.serialization import from_json, to_json

COLLIDES = "PhysicsCollisionAPI"
CENTIMETRES = METRES.replace("metersPerUnit = 1", "metersPerUnit = 0.01")
BOX = """point3f[] points = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (0, 0, 1), (2, 0, 1), (2, 1, 1), (0, 1, 1)]
int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]
int[] faceVertexIndices = [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7]"""
AT = "double3 xformOp:translate = (1, 2, 3)\ndouble3 xformOp:scale = ({})\nuniform token[] xformOpOrder = {}"
ORDER = '["xformOp:translate", "xformOp:scale"]'


def scaled(*factors):
    """A prim at (1, 2, 3), scaled."""
    return AT.format(", ".join(map(str, factors)), ORDER)


def one(folder, kind, lines="", apis="", on_link=True, **others):
    """The only collider of a scene: on a link, or in the world."""
    shape = prim(kind, "shape", lines, f"{COLLIDES} {apis}")
    scene = stage(folder, *((arm(link=shape),) if on_link else (arm(), shape)), **others)
    (found,) = fajin.read(scene).colliders
    return found


@pytest.mark.parametrize(
    ("kind", "lines", "expected"),
    [
        ("Sphere", "double radius = 3", {"radius": 12.0}),
        ("Cube", "double size = 3", {"half_extents": (3.0, 4.5, 6.0)}),
        (
            "Capsule",
            'double radius = 1\ndouble height = 3\nuniform token axis = "X"',
            {"radius": 4.0, "half_height": 3.0},
        ),
        (
            "Cylinder",
            'double radius = 1\ndouble height = 3\nuniform token axis = "Y"',
            {"radius": 4.0, "half_height": 4.5},
        ),
        ("Cone", "double radius = 1\ndouble height = 3", {"radius": 3.0, "half_height": 6.0}),
    ],
)
def test_sizes_contain_scale_and_unit(tmp_path, kind, lines, expected):
    """The largest scale on a sphere, the larger of both across an axis, all three on a box."""
    found = one(tmp_path, kind, f"{lines}\n{scaled(2, 3, -4)}", metadata=CENTIMETRES)
    for name, value in expected.items():
        assert getattr(found, name) == pytest.approx(0.01 * np.array(value))
    assert found.pose[0] == pytest.approx((0.01, 0.02, 0.03))


@pytest.mark.parametrize(
    ("kind", "axis", "direction"),
    [
        *((kind, axis, np.eye(3)[i]) for kind in ("Plane", "Cylinder", "Cone") for i, axis in enumerate("XYZ")),
        *(
            ("Capsule", axis, sign * np.eye(3)[i])
            for i, (axis, sign) in enumerate(zip("XYZ", (1, -1, -1), strict=True))
        ),
    ],
)
def test_shapes_extend_along_x_of_their_frame(tmp_path, kind, axis, direction):
    """The first end of a capsule is the negative one on Y and Z, of all others the positive one."""
    found = one(tmp_path, kind, f'uniform token axis = "{axis}"')
    np.testing.assert_allclose(rotate(np.array(found.pose[1]), np.array((1.0, 0.0, 0.0))), direction, atol=2e-7)


def test_a_frame_is_relative_to_the_authored_body(tmp_path):
    """Wherever the state of the joints puts the body; of a static collider it is that of the world."""
    moved = 'double3 xformOp:translate = (5, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
    shape = prim("Sphere", "shape", scaled(1, 1, 1), COLLIDES)
    scene = fajin.read(
        stage(tmp_path, arm(), body("free", f"{moved}\n{shape}"), prim("Xform", "ground", f"{moved}\n{shape}"))
    )
    free, ground = scene.colliders
    assert (free.body, ground.body) == ("/free", WORLD)
    assert free.pose[0] == pytest.approx((1.0, 2.0, 3.0))
    assert ground.pose[0] == pytest.approx((6.0, 2.0, 3.0))


@pytest.mark.parametrize("flag", ["physics:kinematicEnabled = 1", "physics:rigidBodyEnabled = 0"])
def test_colliders_of_bodies_that_do_not_move_are_static(tmp_path, flag):
    shape = prim("Cube", "shape", "", COLLIDES)
    (found,) = fajin.read(stage(tmp_path, arm(), body("crate", f"bool {flag}\n{shape}"))).colliders
    assert (found.path, found.body) == ("/crate/shape", WORLD)


MOVED = "double3 xformOp:translate.timeSamples = {0: (0, 0, 0), 48: (4, 0, 0)}\n"
LIFTED = 'uniform token[] xformOpOrder = ["xformOp:translate"]\n'


@pytest.mark.parametrize("kinematic", [False, True])
def test_time_samples_move_a_collider_as_a_kinematic_body(tmp_path, kinematic):
    """One of the world is its own body; below a kinematic body that an animated prim carries, that body moves."""
    shape = prim("Cube", "shape", "", COLLIDES)
    path = "/lift/crate" if kinematic else "/lift/shape"
    inside = body("crate", f"bool physics:kinematicEnabled = 1\n{shape}") if kinematic else shape
    scene = fajin.read(stage(tmp_path, arm(), prim("Xform", "lift", MOVED + LIFTED + inside)))
    (found,) = (articulation for articulation in scene.articulations if articulation.kinematic)
    assert (found.path, scene.colliders[0].body) == (path, path)
    assert scene.colliders[0].pose[0] == pytest.approx((0.0, 0.0, 0.0))
    (motion,) = scene.motions
    assert (motion.body, motion.times) == (path, (0.0, 2.0))
    assert [pose[0] for pose in motion.poses] == [(0.0, 0.0, 0.0), (4.0, 0.0, 0.0)]
    assert "collider-moves" not in {report.code for report in scene.reports}
    assert from_json(to_json(scene)) == scene


def test_motion_between_samples_that_is_not_linear_is_sampled(tmp_path):
    """A full turn in two samples of an angle has the poses between them."""
    turned = "double xformOp:rotateZ.timeSamples = {0: 0, 24: 360}\n" + LIFTED.replace("translate", "rotateZ")
    wheel = prim("Cube", "wheel", turned, COLLIDES)
    (motion,) = fajin.read(stage(tmp_path, arm(), wheel)).motions
    angle = np.unwrap([2.0 * np.arctan2(pose[1][2], pose[1][3]) for pose in motion.poses])
    assert np.abs(angle) == pytest.approx(2.0 * np.pi * np.array(motion.times), abs=1e-6)
    assert len(motion.times) > 30


def test_a_moving_collider_of_a_disabled_body_is_reported(tmp_path):
    """It keeps its pose at the start."""
    shape = prim("Cube", "shape", "", COLLIDES)
    lift = prim("Xform", "lift", MOVED + LIFTED + body("crate", f"bool physics:rigidBodyEnabled = 0\n{shape}"))
    scene = fajin.read(stage(tmp_path, arm(), lift))
    (report,) = (report for report in scene.reports if report.code == "collider-moves")
    assert (report.prim, report.related) == ("/lift/crate/shape", "/lift")
    assert scene.colliders[0].body == WORLD


def test_a_time_sample_that_is_not_finite_is_refused(tmp_path):
    """One line that names the prim."""
    broken = MOVED.replace("(4, 0, 0)", "(nan, 0, 0)")
    crate = prim("Cube", "crate", broken + LIFTED, COLLIDES)
    with pytest.raises(InvalidScene, match=r"/crate.*time code 48"):
        fajin.read(stage(tmp_path, arm(), crate))


def test_a_disabled_collider_does_not_collide(tmp_path):
    shape = prim("Cube", "shape", "bool physics:collisionEnabled = 0", COLLIDES)
    assert fajin.read(stage(tmp_path, arm(link=shape))).colliders == ()


OFFSET, REST = "float physxCollision:contactOffset = ", "float physxCollision:restOffset = "
MARGIN, GAP = "float newton:contactMargin = ", "float newton:contactGap = "
DEFAULT = 2.0 * 9.81 / 3600.0


@pytest.mark.parametrize(
    ("lines", "contact", "rest"),
    [
        ("", DEFAULT, 0.0),
        ("double size = 100", 2.0, 0.0),
        (f"{OFFSET}0.3", 0.3, 0.0),
        (f"{OFFSET}-1", DEFAULT, 0.0),
        (f"{OFFSET}-inf\n{REST}0.1", DEFAULT + 0.1, 0.1),
        (f"{REST}-0.1", DEFAULT, -0.1),
        (f"{OFFSET}0", 1e-4, 0.0),
        (f"{OFFSET}0.1\n{REST}0.2", 0.3 + 1e-4, 0.2),
        (f"{MARGIN}0.1", DEFAULT + 0.1, 0.1),
        (f"{MARGIN}0.1\n{GAP}0.2", 0.3, 0.1),
        (f"{MARGIN}0\n{GAP}0", 1e-4, 0.0),
        (f"{MARGIN}0.1\n{GAP}0.2\n{OFFSET}0.5\n{REST}0.05", 0.5, 0.05),
    ],
)
def test_offsets_are_authored_or_follow_from_gravity_rate_and_size(tmp_path, lines, contact, rest):
    size = "" if "size" in lines else "double size = 0.1\n"
    found = one(tmp_path, "Cube", size + lines, "PhysxCollisionAPI")
    assert (found.contact_offset, found.rest_offset) == pytest.approx((contact, rest), abs=1e-7)


def test_offsets_follow_the_rate_and_the_unit(tmp_path):
    """timeStepsPerSecond of the scene; the gravity of a file in centimetres; a plane has an offset of its own."""
    rate = "uint physxScene:timeStepsPerSecond = 30"
    found = one(tmp_path, "Sphere", "double radius = 1", metadata=CENTIMETRES, scene=rate)
    assert found.contact_offset == pytest.approx(4.0 * DEFAULT)
    assert one(tmp_path, "Plane", on_link=False, metadata=CENTIMETRES).contact_offset == 0.02


def test_offsets_do_not_follow_the_rate_of_newton(tmp_path):
    """It is that of the steps; read back from PhysX."""
    found = one(tmp_path, "Sphere", "double radius = 0.05", scene="int newton:timeStepsPerSecond = 500")
    assert found.contact_offset == pytest.approx(DEFAULT)


@pytest.mark.parametrize("value", ["inf", "nan"])
@pytest.mark.parametrize("offset", [OFFSET, REST])
def test_an_offset_that_is_not_finite_is_refused(tmp_path, offset, value):
    with pytest.raises(fajin.InvalidScene, match=offset.split()[1]):
        one(tmp_path, "Cube", f"{offset}{value}", "PhysxCollisionAPI")


def test_attributes_of_an_api_that_is_not_applied_are_not_read(tmp_path):
    assert one(tmp_path, "Cube", f"double size = 0.1\n{OFFSET}0.3").contact_offset == pytest.approx(DEFAULT)


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("Sphere", "double radius = -1"),
        ("Cube", "double size = 0"),
    ],
)
def test_a_shape_without_size_does_not_collide(tmp_path, kind, lines):
    scene = fajin.read(stage(tmp_path, arm(link=prim(kind, "shape", lines, COLLIDES))))
    assert scene.colliders == ()
    assert "shape-without-size" in {report.code for report in scene.reports}


def test_materials_are_bound_to_colliders_ancestors_or_the_scene(tmp_path):
    """Friction of a material without attributes is 0; without a material it is 0.5."""
    assert one(tmp_path, "Cube").material == ContactMaterial()
    lines = "float physics:dynamicFriction = 0.3\nfloat physxMaterial:compliantContactStiffness = 7"
    modes = '\nuniform token physxMaterial:restitutionCombineMode = "max"'
    stuff = prim("Material", "stuff", lines + modes, "PhysicsMaterialAPI PhysxMaterialAPI")
    bound = "rel material:binding:physics = </stuff>\n"
    link = bound + prim("Cube", "shape", "", COLLIDES)
    path = stage(tmp_path, arm(link=link).replace('"PhysicsMassAPI"', '"PhysicsMassAPI", "MaterialBindingAPI"'), stuff)
    (found,) = fajin.read(path).colliders
    assert found.material == ContactMaterial(
        0.0, pytest.approx(0.3), restitution_combine=CombineMode.MAX, stiffness=pytest.approx(7.0)
    )


@pytest.mark.parametrize("metadata", [METRES, CENTIMETRES])
def test_settings_have_the_same_defaults_in_any_unit_but_the_bounce(tmp_path, metadata):
    metres = 1.0 if metadata == METRES else 0.01
    scene = fajin.read(stage(tmp_path, arm(), metadata=metadata))
    assert scene.contacts == ContactSettings(1e-6 * metres)
    assert scene.articulations[0].links[0].max_depenetration_velocity == 3.0


@pytest.mark.parametrize(
    ("approximation", "moves", "kind"),
    [
        ("none", False, ShapeKind.TRIANGLE_MESH),
        ("meshSimplification", False, ShapeKind.TRIANGLE_MESH),
        ("none", True, ShapeKind.CONVEX_HULL),
        ("convexHull", False, ShapeKind.CONVEX_HULL),
        ("convexHull", True, ShapeKind.CONVEX_HULL),
        ("convexDecomposition", True, ShapeKind.CONVEX_HULL),
        ("boundingCube", True, ShapeKind.BOX),
        ("boundingSphere", False, ShapeKind.SPHERE),
    ],
)
def test_a_mesh_collides_as_its_approximation(tmp_path, approximation, moves, kind):
    lines = f'{BOX}\nuniform token physics:approximation = "{approximation}"\n{scaled(2, 2, 2)}'
    found = one(tmp_path, "Mesh", lines, "PhysicsMeshCollisionAPI", on_link=moves)
    assert found.kind is kind
    if kind is ShapeKind.BOX:
        assert (found.half_extents, found.pose[0]) == ((2.0, 1.0, 1.0), (3.0, 3.0, 4.0))
    elif kind is ShapeKind.SPHERE:
        assert found.radius == pytest.approx(6.0**0.5, rel=float(np.finfo(np.float32).eps))
    else:
        assert np.ptp(found.points, axis=0) == pytest.approx((4.0, 2.0, 2.0))


def test_a_filling_with_spheres_is_a_hull_of_each_part(tmp_path):
    """Reported, because PhysX takes spheres."""
    points = "point3f[] points = [(0,0,0), (1,0,0), (0,1,0), (0,0,1), (5,0,0), (6,0,0), (5,1,0), (5,0,1)]"
    faces = "0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 4, 6, 5, 4, 5, 7, 4, 7, 6, 5, 6, 7"
    lines = f"{points}\nint[] faceVertexCounts = [3, 3, 3, 3, 3, 3, 3, 3]\nint[] faceVertexIndices = [{faces}]\n"
    lines += 'uniform token physics:approximation = "sphereFill"'
    shape = prim("Mesh", "shape", lines, f"{COLLIDES} PhysicsMeshCollisionAPI")
    scene = fajin.read(stage(tmp_path, arm(link=shape)))
    assert [len(collider.points) for collider in scene.colliders] == [4, 4]
    assert scene.articulations[0].links[1].mass == pytest.approx(2000.0 / 6.0)
    assert "hull-of-parts" in {report.code for report in scene.reports}


def test_a_flat_mesh_with_two_sides_collides_as_a_box_of_2_cm(tmp_path):
    """Recorded: of a box without height too."""
    lines = BOX.replace("1)", "0)")
    scene = fajin.read(stage(tmp_path, arm(link=prim("Mesh", "shape", lines, COLLIDES))))
    assert np.ptp(scene.colliders[0].points, axis=0).min() == pytest.approx(0.02, rel=1e-6)
    assert "hull-without-volume" not in {report.code for report in scene.reports}


def test_colliders_survive_json(tmp_path):
    """As all of a scene: a job or a model file keeps them."""
    scene = fajin.read(stage(tmp_path, arm(link=prim("Mesh", "shape", BOX, COLLIDES))))
    assert from_json(to_json(scene)) == scene
    assert scene.colliders[0].contact_offset < inf
