"""Mass, centre of mass and inertia: what is authored, else what the colliders weigh, else PhysX's stand-ins."""

from math import pi

import numpy as np
import pytest
from mass_stages import COLLIDER, CUBE, MOVED, RIGID, collider, link
from usda import prim

from fajin.usd.read.principal_moments import diagonalize, rotated_tensor


@pytest.mark.parametrize(
    ("kind", "lines", "volume", "moments"),
    [
        ("Cube", "double size = 2", 8.0, (2 / 3, 2 / 3, 2 / 3)),
        ("Sphere", "double radius = 2", 32 / 3 * pi, (1.6, 1.6, 1.6)),
        ("Cylinder", 'double radius = 1\ndouble height = 3\nuniform token axis = "Y"', 3 * pi, (1.0, 0.5, 1.0)),
    ],
)
def test_a_solid_has_its_volume_and_moments(tmp_path, kind, lines, volume, moments):
    """m = ρ V with ρ = 1000 kg/m³; I/m of box, ball and cylinder. `parity/test_mass` has those of cones."""
    body, _ = link(tmp_path, collider("shape", kind, lines))
    assert body.mass == pytest.approx(1000 * volume)
    assert np.diag(body.inertia) / body.mass == pytest.approx(moments)


def test_a_capsule_is_a_cylinder_and_a_ball(tmp_path):
    """Its inertia along the axis is that of both; with height 0 it is a ball."""
    rod = pi * 1.0**2 * 2.0
    ball = 4 / 3 * pi
    body, _ = link(
        tmp_path, collider("shape", "Capsule", 'double radius = 1\ndouble height = 2\nuniform token axis = "X"')
    )
    assert body.mass == pytest.approx(1000 * (rod + ball))
    assert body.inertia[0][0] == pytest.approx(1000 * (0.5 * rod + 0.4 * ball))
    round_one, _ = link(tmp_path, collider("shape", "Capsule", "double radius = 1\ndouble height = 0"))
    assert np.diag(round_one.inertia) == pytest.approx(400 * ball)


@pytest.mark.parametrize("mirror", [1, -1])
def test_a_mesh_weighs_what_it_encloses(tmp_path, mirror):
    """A box as a mesh is a box, wherever it lies and whichever way its faces wind."""
    points = [(x, y, z) for x in (1, 3) for y in (2, 3) for z in (0, 4)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    indices = [index for face in faces for index in face[::mirror]]
    lines = f"point3f[] points = {points}\nint[] faceVertexCounts = {[4] * 6}\nint[] faceVertexIndices = {indices}"
    body, _ = link(tmp_path, collider("shape", "Mesh", lines))
    assert body.mass == pytest.approx(8000)
    assert body.com == pytest.approx((2.0, 2.5, 2.0))
    assert np.array(body.inertia) == pytest.approx(8000 / 12 * np.diag((1 + 16, 4 + 16, 4 + 1)), abs=1e-6)


def test_colliders_add_up_about_their_common_centre(tmp_path):
    """Two cubes 2 m apart: Steiner's m d² about each; those of a nested body are not counted."""
    inner = prim("Xform", "inner", collider("box"), RIGID)
    two = [collider(n, lines=CUBE + "\n" + MOVED.format(at)) for n, at in (("a", "(1, 0, 0)"), ("b", "(3, 0, 0)"))]
    scene = link(tmp_path, "\n".join([*two, inner]))[0]
    assert scene.mass == pytest.approx(2000)
    assert scene.com == pytest.approx((2.0, 0.0, 0.0))
    assert np.diag(scene.inertia) == pytest.approx((2000 / 6, 2000 / 6 + 2000, 2000 / 6 + 2000))


@pytest.mark.parametrize(
    ("own", "body", "material", "density"),
    [(2, 3, 5, 2), (0, 3, 5, 3), (0, 0, 5, 5), (0, 0, 0, 1000)],
)
def test_the_first_density_counts(tmp_path, own, body, material, density):
    """Collider before body before material before 1000 kg/m³."""
    stuff = prim("Material", "stuff", f"float physics:density = {material}", "PhysicsMaterialAPI")
    lines = f"{CUBE}\nfloat physics:density = {own}\nrel material:binding:physics = </stuff>"
    shape = prim("Cube", "box", lines, COLLIDER + " MaterialBindingAPI")
    assert link(tmp_path, f"float physics:density = {body}\n{shape}", more=stuff)[0].mass == pytest.approx(density)


def test_an_authored_mass_scales_the_inertia_of_the_colliders(tmp_path):
    """I = I_colliders · m / m_colliders; a disabled collider weighs as well."""
    lines = "float physics:mass = 6\n" + collider("box", lines=CUBE + "\nbool physics:collisionEnabled = 0")
    body, _ = link(tmp_path, lines)
    assert body.mass == 6.0
    assert np.diag(body.inertia) == pytest.approx((1.0, 1.0, 1.0))


def test_an_authored_centre_of_mass_moves_the_inertia_of_the_colliders(tmp_path):
    """I about the authored point: Steiner once more."""
    body, _ = link(tmp_path, "point3f physics:centerOfMass = (1, 0, 0)\n" + collider("box"))
    assert body.com == (1.0, 0.0, 0.0)
    assert np.diag(body.inertia) == pytest.approx((1000 / 6, 1000 / 6 + 1000, 1000 / 6 + 1000))


@pytest.mark.parametrize("metres", [1.0, 0.01])
def test_a_body_without_anything_weighs_one_unit_and_has_a_small_balls_inertia(tmp_path, metres):
    """1 mass unit, 0.4 m (0.1 m)²; with an authored mass only the inertia is made up. Both are told."""
    metadata = f'metersPerUnit = {metres}\n    upAxis = "Z"'
    body, reports = link(tmp_path, "", metadata)
    assert (body.mass, body.inertia[1][1]) == (1.0, pytest.approx(0.004))
    assert {"physics:mass", "physics:diagonalInertia"} <= {report.attribute for report in reports}
    body, reports = link(tmp_path, "float physics:mass = 3", metadata)
    assert (body.mass, body.inertia[1][1]) == (3.0, pytest.approx(0.012))
    assert "physics:mass" not in {report.attribute for report in reports}


def test_principal_axes_turn_the_inertia(tmp_path):
    """I = R diag R^T: a quarter turn about z exchanges x and y."""
    lines = """float physics:mass = 1
        float3 physics:diagonalInertia = (1, 2, 3)
        quatf physics:principalAxes = (1, 0, 0, 1)"""
    assert np.array(link(tmp_path, lines)[0].inertia) == pytest.approx(np.diag((2.0, 1.0, 3.0)), abs=1e-12)


def test_newtons_inertia_is_read_where_no_diagonal_is(tmp_path):
    """Ixx, Iyy, Izz, Ixy, Ixz, Iyz."""
    tensor = "double[] newton:inertia = [4, 5, 6, 1, 2, 3]"
    body, _ = link(tmp_path, f"float physics:mass = 1\n{tensor}")
    assert body.inertia == ((4.0, 1.0, 2.0), (1.0, 5.0, 3.0), (2.0, 3.0, 6.0))
    body, reports = link(tmp_path, f"float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 1)\n{tensor}")
    assert body.inertia[0] == (1.0, 0.0, 0.0)
    assert "newton:inertia" in {report.attribute for report in reports}


@pytest.mark.parametrize(("moments", "used"), [((1, 0, 1), (1, 1, 1)), ((-2, 3, 4), (2, 3, 4))])
def test_moments_that_cannot_be_are_replaced_and_told(tmp_path, moments, used):
    """A zero moment makes all 1, a negative one counts as positive: so does PhysX."""
    body, reports = link(tmp_path, f"float physics:mass = 1\nfloat3 physics:diagonalInertia = {moments}")
    assert tuple(np.diag(body.inertia)) == used
    assert "physics:diagonalInertia" in {report.attribute for report in reports}


TILTED = """double size = 0.1
        quatd xformOp:orient = (0.9, 0.1, 0.3, -0.3)
        double3 xformOp:scale = (1, 2, 3)
        uniform token[] xformOpOrder = ["xformOp:orient", "xformOp:scale"]"""
PARTS = {  # recorded from PhysX (ovphysx 0.7): Ixx, Ixy, Ixz, Iyy, Iyz, Izz [g·m²]
    "float3 physics:diagonalInertia = (0.01, 0.02, 0.025)": (17.056, 2.208, 5.76, 18.344, -4.32, 19.6),
    "quatf physics:principalAxes = (0.8, 0.6, 0, 0)": (21.6667, 0.0, 0.0, 8.9867, 2.24, 16.0133),
}


@pytest.mark.parametrize("part", PARTS)
def test_half_an_inertia_is_completed_from_the_colliders(tmp_path, part):
    """Authored moments on the colliders' axes, or the colliders' moments on authored axes; the former is told."""
    body, reports = link(tmp_path, f"float physics:mass = 2\n{part}\n" + collider("box", lines=TILTED))
    found = 1e3 * np.array(body.inertia)[np.triu_indices(3)]
    assert found == pytest.approx(PARTS[part], abs=5e-4)
    assert ("physics:principalAxes" in {report.attribute for report in reports}) == ("diagonal" in part)


def test_moments_without_axes_stay_on_those_of_the_link_where_the_colliders_have_none(tmp_path):
    """PhysX takes the axes that round-off gives a cube."""
    moments = "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 2, 3)\n"
    body, reports = link(tmp_path, moments + collider("box", lines=TILTED.replace("(1, 2, 3)", "(1, 1, 1)")))
    assert np.array(body.inertia) == pytest.approx(np.diag((1.0, 2.0, 3.0)))
    assert "physics:principalAxes" in {report.attribute for report in reports}


@pytest.mark.parametrize("seed", range(5))
def test_moments_on_their_axes_are_the_tensor(seed):
    """R diag Rᵀ = I, for any I; a diagonal one keeps its order."""
    square = np.random.default_rng(seed).normal(size=(3, 3))
    moments, axes = diagonalize(square @ square.T)
    assert rotated_tensor(np.diag(moments), axes) == pytest.approx(
        square @ square.T, abs=1e-5 * np.abs(square).max() ** 2
    )
    assert diagonalize(np.diag((2.0, 1.0, 3.0)))[0].tolist() == [2.0, 1.0, 3.0]


@pytest.mark.parametrize(("product", "turns"), [(0.9e-6, False), (1.1e-6, True)])
def test_axes_turn_only_for_products_above_round_off(product, turns):
    """That is a millionth of the difference of two moments, as in PhysX: below it the axes are exactly those given."""
    moments, axes = diagonalize(np.array([[2.0, product, 0.0], [product, 1.0, 0.0], [0.0, 0.0, 4.0]]))
    assert (axes != (0.0, 0.0, 0.0, 1.0)) == turns
    assert moments == pytest.approx((2.0, 1.0, 4.0))
