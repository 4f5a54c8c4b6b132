"""Rows of 1D constraints between free bodies. Equations of the 1D constraint seed: C = 0 by J v + b = v_T."""

from math import cos, sin, sqrt

import numpy as np
import pytest
from free_bodies import (
    EPS,
    H,
    authored,
    body,
    centre,
    inertia,
    joint,
    mass_matrix,
    pose,
    poses,
    projected,
    simulate,
    twists,
)

from fajin.quaternion import multiply, rotate
from fajin.scene import IDENTITY, WORLD, Axis, JointType, SolverType

SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
SEEDS = pytest.mark.parametrize("seed", range(4))
TOKENS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")


def axes(*free: str) -> tuple[Axis, ...]:
    """Axes of a D6 joint that move without bounds."""
    return tuple(Axis(token) for token in TOKENS if token in free)


def pair(seed: int) -> tuple:
    """Two random bodies by path, a random place for a joint."""
    rng = np.random.default_rng(seed)
    links = {path: body(path, rng) for path in ("/a", "/b")}
    return links, pose(rng), rng


def jacobian(links, place: tuple, locked: list[str]) -> np.ndarray:
    """Rows of eqs. 41-45 of the locked axes of a joint frame: {κ0, μ0, −κ1, −μ1}, angular before linear."""
    Q, rows = rotate(np.array(place[1]), np.eye(3)), []
    for token in locked:
        a = Q["XYZ".index(token[-1])]
        row = []
        for sign, link in zip((1.0, -1.0), links, strict=True):
            arm = np.subtract(place[0], centre(link))
            row += [sign * a, np.zeros(3)] if token.startswith("rot") else [sign * np.cross(arm, a), sign * a]
        rows.append(np.concatenate(row))
    return np.array(rows)


@SOLVERS
@SEEDS
def test_a_spherical_joint_has_the_response_of_its_bodies(solver, seed):
    """Eqs. 15-31: Δv = M⁻¹ Jᵀ λ', λ' = −(J M⁻¹ Jᵀ)⁻¹ J v, J M⁻¹ Jᵀ = 1/m0 + 1/m1 + R0 I0⁻¹ R0ᵀ + R1 I1⁻¹ R1ᵀ."""
    links, place, _ = pair(seed)
    sim = simulate(
        links.values(),
        [joint(JointType.SPHERICAL, links, ("/a", "/b"), place, axes=axes("rotX", "rotY", "rotZ"))],
        solver,
    )
    v = authored(links.values()).reshape(2, 6)
    arms = [np.subtract(place[0], centre(link)) for link in links.values()]
    response, rate = np.zeros((3, 3)), np.zeros(3)
    for sign, link, arm, (*spin, x, y, z) in zip((1.0, -1.0), links.values(), arms, v, strict=True):
        R = np.cross(np.eye(3), arm)  # R ω = ω × arm, a row for each axis of the world
        response += np.eye(3) / link.mass + R.T @ np.linalg.inv(inertia(link)) @ R
        rate += sign * (np.array((x, y, z)) + np.cross(spin, arm))
    impulse = -np.linalg.solve(response, rate)
    sim.step()
    for sign, link, arm, before, after in zip((1.0, -1.0), links.values(), arms, v, twists(sim), strict=True):
        assert np.abs(after[3:] - before[3:] - sign * impulse / link.mass).max() <= 256 * EPS
        turned = np.linalg.solve(inertia(link), np.cross(arm, sign * impulse))
        assert np.abs(after[:3] - before[:3] - turned).max() <= 2048 * EPS


@SOLVERS
@SEEDS
def test_an_angular_joint_shares_the_angular_momentum(solver, seed):
    """Eqs. 32-34: J M⁻¹ Jᵀ = I0⁻¹ + I1⁻¹, so both spin at (I0 + I1)⁻¹ (I0 ω0 + I1 ω1); nothing pushes them."""
    links, place, _ = pair(seed)
    sim = simulate(links.values(), [joint(JointType.D6, links, ("/a", "/b"), place, axes=axes(*TOKENS[:3]))], solver)
    tensors = [inertia(link) for link in links.values()]
    spin = np.linalg.solve(
        sum(tensors), sum(I @ link.angular_velocity for I, link in zip(tensors, links.values(), strict=True))
    )
    sim.step()
    for link, after in zip(links.values(), twists(sim), strict=True):
        assert np.abs(after[:3] - spin).max() <= 256 * EPS
        assert np.abs(after[3:] - link.velocity).max() <= 8 * EPS


@SOLVERS
@pytest.mark.parametrize("token", TOKENS)
def test_one_locked_axis_is_one_row(solver, token):
    """Eqs. 35-50: λ' = −J v/r along an axis of the joint frame of body 0, r = J M⁻¹ Jᵀ."""
    links, place, _ = pair(7)
    free = [other for other in TOKENS if other != token]
    sim = simulate(links.values(), [joint(JointType.D6, links, ("/a", "/b"), place, axes=axes(*free))], solver)
    sim.step()
    law = projected(mass_matrix(links.values()), jacobian(links.values(), place, [token]), authored(links.values()))
    assert np.abs(twists(sim).ravel() - law).max() <= 1024 * EPS


@SEEDS
@pytest.mark.parametrize("ends", [("/a", "/b"), ("/a", WORLD), (WORLD, "/a")], ids=["pair", "to_world", "from_world"])
def test_any_locked_axes_of_a_d6_joint_hold_at_once(seed, ends):
    """Eqs. 17-22 for all rows: one iteration of PGS solves them, for each is M⁻¹-orthogonal to those before it."""
    links, place, rng = pair(seed)
    links = {path: link for path, link in links.items() if path in ends}
    locked = [token for token in TOKENS if rng.random() < 0.6] or ["transX"]
    locked = locked if len({"rotX", "rotY", "rotZ"} - set(locked)) != 2 else [*locked, "rotX", "rotY", "rotZ"]
    locked = [token for token in TOKENS if token in locked]
    sim = simulate(links.values(), [joint(JointType.D6, links, ends, place, axes=axes(*(set(TOKENS) - set(locked))))])
    sim.step()
    M, J = mass_matrix(links.values()), jacobian((*links.values(), body("/world"))[:2], place, locked)
    law = projected(M, J[:, : len(M)], authored(links.values()))
    assert np.abs(twists(sim).ravel() - law).max() <= 1e4 * EPS


@pytest.mark.parametrize("n", [1, 4, 16])
@pytest.mark.parametrize("token", TOKENS)
def test_a_gap_closes_by_the_baumgarte_multiplier(n, token):
    """Eqs. 10-13: b = α C/δ with α = 1 under PGS, the whole gap in a step, and 1/√n under TGS, that share a substep.

    The velocity iteration forgets it: no speed is left.
    """
    gap, angular = 0.02, token.startswith("rot")
    start = np.zeros(3)
    start["XYZ".index(token[-1])] = gap
    frame = (tuple(start.tolist()), IDENTITY[1])
    if angular:
        frame = (IDENTITY[0], (*np.sin(start / 2.0).tolist(), np.cos(gap / 2.0)))
    held = joint(JointType.D6, {"/a": body("/a")}, (WORLD, "/a"), axes=axes(*(set(TOKENS) - {token})))
    for solver, left in ((SolverType.PGS, 0.0), (SolverType.TGS, (1.0 - 1.0 / sqrt(n)) ** n)):
        sim = simulate([body("/a", pose=frame)], [held], solver, n, velocity=1)
        sim.step()
        at = poses(sim)[0]
        now = 2.0 * np.arcsin(at[3:6]) if angular else at[:3]
        order = gap**3 if angular else 0.0  # a row of rotation aims at the sine of the half angle
        assert abs(now @ start / gap - left * gap) <= 16 * n * EPS + order
        assert np.abs(twists(sim)).max() <= 64 * EPS / H


@SEEDS
def test_a_row_is_the_chain_rule_of_its_constraint(seed):
    """Eqs. 5-14, 67-72: J = ∂C/∂s S, S = diag(E, Q), takes the error away in a step: J v = −C/h, C = Im(q̄_A q_B).

    A body that keeps two angles to the world: ω of the step, by the pose it left, against J of the appendix.
    """
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    turn = (*(sin(0.5) * axis / np.linalg.norm(axis)).tolist(), cos(0.5))  # a radian: it goes back within half a turn
    link = body("/a", rng, com=(0.0, 0.0, 0.0), pose=((0.0, 0.0, 0.0), turn))
    lock = joint(JointType.D6, {"/a": body("/a")}, (WORLD, "/a"), axes=axes(*TOKENS[:3], "rotZ"))
    sim = simulate([link], [lock])
    x, y, z, w = q = np.array(turn)
    Q = 0.5 * np.array([[w, z, -y], [-z, w, x], [y, -x, w], [-x, -y, -z]])  # q̇ = Q ω; eq. 70 lacks the ½
    J = np.eye(2, 4) @ Q  # of C = (x, y)
    sim.step()
    turned = multiply(poses(sim)[0, 3:], q * (-1.0, -1.0, -1.0, 1.0))
    angle = 2.0 * np.arctan2(np.linalg.norm(turned[:3]), turned[3])
    spin = turned[:3] / np.linalg.norm(turned[:3]) * angle / H
    assert np.abs(J @ spin + q[:2] / H).max() <= 4096 * EPS / H
