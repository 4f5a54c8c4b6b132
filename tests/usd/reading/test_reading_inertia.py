"""Inertia that cannot be, or that moments, tensor and colliders each say: which counts, and what is told."""

import numpy as np
import pytest
from mass_stages import CUBE, MOVED, collider, link

import fajin

MASS = "float physics:mass = 2\n"


@pytest.mark.parametrize(
    ("tensor", "said"),
    [
        ("[1, 1, 1, 2, 0, 0]", "principal moments are positive"),
        ("[-1, 2, 3, 0, 0, 0]", "principal moments are positive"),
        ("[0, 1, 1, 0, 0, 0]", "principal moments are positive"),
        ("[1, 2, 3]", "six numbers"),
        ("[inf, 1, 1, 0, 0, 0]", "not finite"),
        ("[nan, 1, 1, 0, 0, 0]", "not finite"),
        ("[0, 0, 0, 0, 0, 0]", ""),
    ],
)
def test_a_tensor_that_no_body_has_is_not_authored(tmp_path, tensor, said):
    """The colliders' inertia counts, or that of a ball, as in PhysX; one line says so, but of zeros."""
    lines = f"{MASS}double[] newton:inertia = {tensor}\n"
    for more, moment in (("", 0.4 * 2.0 * 0.1**2), (collider("box"), 2.0 / 6.0)):
        body, reports = link(tmp_path, lines + more)
        assert np.array(body.inertia) == pytest.approx(moment * np.eye(3))
        told = [report.reason for report in reports if report.attribute == "newton:inertia"]
        assert len(told) == bool(said)
        assert all(said in reason and "as not authored, as in PhysX" in reason for reason in told)
    findings = fajin.check.check(tmp_path / "scene.usda")
    assert not [finding for finding in findings if finding.severity is fajin.check.Severity.ERROR]


@pytest.mark.parametrize(
    ("moments", "tensor", "told"),
    [
        ("(1, 2, 3)", "[1, 2, 3, 0, 0, 0]", "physics:diagonalInertia takes precedence"),
        ("(1, 2, 3)", "[3, 1, 2, 0, 0, 0]", "physics:diagonalInertia takes precedence"),  # they have no axes
        ("(1, 2, 3)", "[1, 2, 4, 0, 0, 0]", "differs from"),
        (
            "(1, 2, 3)\nquatf physics:principalAxes = (1, 0, 0, 1)",
            "[2, 1, 3, 0, 0, 0]",
            "diagonalInertia takes precedence",
        ),
        ("(1, 2, 3)\nquatf physics:principalAxes = (1, 0, 0, 1)", "[1, 2, 3, 0, 0, 0]", "differs from"),
    ],
)
@pytest.mark.parametrize("metres", [1.0, 0.01])
def test_moments_come_before_a_tensor_and_another_one_is_told(tmp_path, moments, tensor, told, metres):
    """PhysX reads no tensor: what disagrees with the moments is no trifle."""
    lines = f"{MASS}float3 physics:diagonalInertia = {moments}\ndouble[] newton:inertia = {tensor}"
    body, reports = link(tmp_path, lines, f'metersPerUnit = {metres}\n    upAxis = "Z"')
    assert sorted(np.linalg.eigvalsh(body.inertia)) == pytest.approx([metres**2, 2 * metres**2, 3 * metres**2])
    (reason,) = (report.reason for report in reports if report.attribute == "newton:inertia")
    assert told in reason


@pytest.mark.parametrize("moments", ["(-1, -2, -3)", "(-1, -1, 0)", "(0, -1, 0)"])
def test_moments_without_a_positive_one_are_not_authored(tmp_path, moments):
    """As in PhysX: the inertia is that of the colliders, or of a ball; one line says so."""
    for more, moment in (("", 0.4 * 2.0 * 0.1**2), (collider("box"), 2.0 / 6.0)):
        body, reports = link(tmp_path, f"{MASS}float3 physics:diagonalInertia = {moments}\n{more}")
        assert np.array(body.inertia) == pytest.approx(moment * np.eye(3))
        told = [report.reason for report in reports if "no moment is above 0" in report.reason]
        assert len(told) == 1
    (finding,) = (f for f in fajin.check.check(tmp_path / "scene.usda") if f.rule == "inertia-not-physical")
    assert "no moment is above 0" in finding.message
    assert finding.edits == ()


def test_a_collider_says_its_own_centre_and_moments(tmp_path):
    """Its moments, about its centre, in its axes; the shape's inertia moved there where it says none."""
    own = "float physics:mass = 6\npoint3f physics:centerOfMass = (1, 0, 0)\n"
    moved = MOVED.format("(0, 2, 0)")
    body, reports = link(tmp_path, collider("box", lines=f"{CUBE}\n{own}{moved}"))
    assert (body.mass, body.com) == (6.0, (1.0, 2.0, 0.0))
    assert np.diag(body.inertia) == pytest.approx((1.0, 7.0, 7.0))
    assert not reports
    own += "float3 physics:diagonalInertia = (1, 2, 2.5)\n"
    body, reports = link(tmp_path, collider("box", lines=f"{CUBE}\n{own}{moved}"))
    assert np.diag(body.inertia) == pytest.approx((1.0, 2.0, 2.5))
    assert not reports


@pytest.mark.parametrize(
    ("kind", "lines", "attribute", "said"),
    [
        ("Capsule", 'uniform token axis = "Z"\nfloat3 physics:diagonalInertia = (1, 2, 2)', "diagonalInertia", "along"),
        ("Cylinder", 'uniform token axis = "Y"\npoint3f physics:centerOfMass = (1, 0, 0)', "centerOfMass", "along"),
        ("Cube", "float3 physics:diagonalInertia = (-1, -2, -2)", "diagonalInertia", "no moment is above 0"),
        ("Cube", "float3 physics:diagonalInertia = (1, -2, 2)", "diagonalInertia", "added with its sign"),
        ("Cube", "quatf physics:principalAxes = (0, 1, 0, 0)", "principalAxes", "has no effect without"),
        (
            *("Cube", "quatf physics:principalAxes = (1, 0, 0, 0)\nfloat3 physics:diagonalInertia = (1, 2, 2)"),
            *("principalAxes", "one side of the tensor"),
        ),
    ],
)
def test_what_a_collider_says_and_physx_takes_otherwise_is_told(tmp_path, kind, lines, attribute, said):
    """One line each."""
    _, reports = link(tmp_path, collider("shape", kind, lines))
    told = [report for report in reports if report.prim == "/body/shape"]
    assert [(report.attribute, said in report.reason) for report in told] == [(f"physics:{attribute}", True)]


def test_a_body_that_says_all_leaves_nothing_to_its_colliders(tmp_path):
    """Theirs is reported as unused, and for this reason only then."""
    all_of_it = MASS + "point3f physics:centerOfMass = (0, 0, 0)\nfloat3 physics:diagonalInertia = (1, 2, 3)\n"
    own = collider("box", lines=CUBE + "\nfloat3 physics:diagonalInertia = (1, 1, 1)")
    body, reports = link(tmp_path, all_of_it + own)
    assert np.diag(body.inertia) == pytest.approx((1.0, 2.0, 3.0))
    (told,) = (report for report in reports if report.prim == "/body/box")
    assert told.attribute == "physics:diagonalInertia"
    assert "body authors mass, centre and moments itself" in told.reason
