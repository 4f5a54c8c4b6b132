"""What a joint feels when it is pushed: 1 / (M⁻¹)_kk in closed form."""

from math import cos, radians

import pytest
from usda import ROOT, body, joint, stage

import fajin
from fajin.model.mass_matrix import effective_inertia

SLIDER, HINGE = "PhysicsPrismaticJoint", "PhysicsRevoluteJoint"


def ball(mass: float, moment: float, com: tuple = (0, 0, 0)) -> str:
    """Mass properties of a round body."""
    return f"""float physics:mass = {mass}
        point3f physics:centerOfMass = {com}
        float3 physics:diagonalInertia = ({moment}, {moment}, {moment})"""


def inertia(folder, *parts: str) -> dict[str, float]:
    """Effective inertias of a scene by joint name."""
    scene = fajin.read(stage(folder, *parts))
    return {name.split("/")[1].split(":")[0]: value for name, value in effective_inertia(scene).items()}


def test_a_pendulum_is_its_inertia_about_the_hinge(tmp_path):
    """I + m l²; the armature adds."""
    armature = joint("j", HINGE, "", "/rod", "float newton:armature = 0.5", "NewtonJointAPI")
    assert inertia(tmp_path, body("rod", ball(2, 0.1, (0, 3, 0)), ROOT), armature)["j"] == pytest.approx(0.1 + 18 + 0.5)


@pytest.mark.parametrize("kind", [SLIDER, HINGE])
def test_two_free_bodies_feel_their_reduced_mass(tmp_path, kind):
    """m₁ m₂ / (m₁ + m₂) along a slider, I₁ I₂ / (I₁ + I₂) about a hinge through both centres."""
    parts = body("a", ball(2, 2), ROOT), body("b", ball(3, 3)), joint("j", kind, "/a", "/b")
    assert inertia(tmp_path, *parts)["j"] == pytest.approx(6 / 5)


@pytest.mark.parametrize("angle", [0.0, 60.0, 90.0, 180.0])
def test_a_double_pendulum_feels_what_its_free_second_link_leaves(tmp_path, angle):
    """M₁₁ - M₁₂² / M₂₂ with the textbook M of two point-like links of length 1, bent by an angle."""
    m1, m2, c = 2.0, 3.0, cos(radians(angle))
    small = 1e-3  # moment of each link about its centre
    M22 = m2 + small
    M12 = m2 * (1 + c) + small
    M11 = m1 + m2 * (2 + 2 * c) + 2 * small
    state = f"float state:angular:physics:position = {angle}\npoint3f physics:localPos0 = (0, 1, 0)"
    parts = (
        body("a", ball(m1, small, (0, 1, 0)), ROOT),
        body("b", ball(m2, small, (0, 1, 0))),
        joint("j", HINGE, "", "/a"),
        joint("k", HINGE, "/a", "/b", state, "PhysicsJointStateAPI:angular"),
    )
    found = inertia(tmp_path, *parts)
    assert found["j"] == pytest.approx(M11 - M12**2 / M22, rel=1e-6)
    assert found["k"] == pytest.approx(M22 - M12**2 / M11, rel=1e-6)
