"""Joints push their bodies alike, also in momocity variables. Equations of the 1D constraint seed."""

from math import sqrt

import numpy as np
import pytest
from free_bodies import EPS, H, authored, body, centre, inertia, joint, momentum, pose, poses, simulate, twists

import fajin
from fajin.quaternion import multiply, rotate
from fajin.scene import Articulation, Axis, Distance, Drive, Joint, JointType, LimitSpring, Link, Scene, SolverType

SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
SEEDS = pytest.mark.parametrize("seed", range(3))
DRIVE = Drive(stiffness=50.0, damping=2.0, target_q=0.3, target_qd=-1.0)
SOFT = LimitSpring(30.0, 1.0)
TURNS = tuple(Axis(token) for token in ("rotX", "rotY", "rotZ"))
KINDS = {
    "fixed": (JointType.FIXED, ()),
    "revolute": (JointType.REVOLUTE, (Axis("rotX", drive=DRIVE),)),
    "prismatic": (JointType.PRISMATIC, (Axis("transX", -0.001, 0.001),)),
    "spherical": (JointType.SPHERICAL, TURNS),
    "cone": (JointType.SPHERICAL, (Axis("rotX"), *(Axis(token, -1e-4, 1e-4) for token in ("rotY", "rotZ")))),
    "d6": (JointType.D6, (Axis("transY", drive=DRIVE), Axis("rotX", -0.001, 0.001, limit=SOFT), Axis("rotZ"))),
    "bounce": (JointType.PRISMATIC, (Axis("transX", -0.001, 0.0, limit=LimitSpring(restitution=0.7)),)),
}


@SOLVERS
@SEEDS
@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("kind", [*KINDS, "distance"])
def test_a_joint_between_bodies_keeps_their_momentum(kind, n, seed, solver):
    """Eqs. 16, 41-49: λ on body 0 is −λ on body 1, along one line: P stays, and L where no body moves meanwhile."""
    rng = np.random.default_rng(seed)
    links = {path: body(path, rng) for path in ("/a", "/b")}
    if kind == "distance":
        bounds = {"distance": Distance(-1.0, 0.05, True, 100.0, 1.0)}
        far = pose(rng)
        held = joint(JointType.DISTANCE, links, ("/a", "/b"), pose(rng), **bounds)
        held = Joint(**(held.__dict__ | {"frame1": joint(JointType.DISTANCE, links, ("/a", "/b"), far).frame1}))
    else:
        type, axes = KINDS[kind]
        held = joint(type, links, ("/a", "/b"), pose(rng), axes=axes)
    sim = simulate(links.values(), [held], solver, n)
    before = authored(links.values()).reshape(2, 6)
    sim.step()
    after = twists(sim)
    assert np.abs(after - before).max() > 1e-3
    for i, (was, now) in enumerate(zip(momentum(links.values(), before), momentum(links.values(), after), strict=True)):
        if i == 0 or n == 1 or solver == SolverType.PGS:
            assert np.abs(now - was).max() <= 4096 * n * EPS


TIES = [("/arm/2", "/ball"), ("/arm/0", "/arm/2"), ("/arm/1", "/arm/2"), ("/ball", "/arm/0")]


@SOLVERS
@SEEDS
@pytest.mark.parametrize("tie", TIES, ids=lambda tie: "-".join(path.rpartition("/")[2] for path in tie))
@pytest.mark.parametrize("type", [JointType.SPHERICAL, JointType.FIXED], ids=lambda type: type.name)
def test_a_joint_on_links_keeps_the_momentum_of_all(type, tie, seed, solver):
    """Σ m c moves on a straight line at one speed: floating arm and free body, bound to each other or to themselves."""
    rng = np.random.default_rng(seed)
    links = [body(f"/arm/{i}", rng) for i in range(3)]
    hinges = [
        Joint(f"/arm/j{i}", JointType.REVOLUTE, f"/arm/{i - 1}", f"/arm/{i}", pose(rng, 0.3), pose(rng, 0.3),
              axes=(Axis("rotX", qd=rng.uniform(-1.0, 1.0)),))
        for i in (1, 2)
    ]  # fmt: skip
    counts = {"position_iterations": 4, "velocity_iterations": 1}
    arm, ball = Articulation("/arm", tuple(links), tuple(hinges), **counts), body("/ball", rng)
    scene = Scene("arm", (arm, Articulation("/ball", (ball,), (), free=True, **counts)), (0.0, 0.0, 0.0), H, solver)
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1)
    frames = {path: Link(path, (tuple(at[:3]), tuple(at[3:]))) for path, at in zip(sim.link, poses(sim), strict=True)}
    axes = TURNS if type == JointType.SPHERICAL else ()
    scene = Scene(**(scene.__dict__ | {"joints": (joint(type, frames, tie, pose(rng), axes=axes),)}))
    recording = fajin.Simulation(scene, device="cpu", precision="f64", threads=1).run(steps=4)
    mass = np.array([link.mass for link in (*links, ball)])
    at = [
        [centre(link, frame[recording.link.index(link.path)]) for link in (*links, ball)]
        for frame in recording.pose[:, 0]
    ]
    course = np.einsum("l,tlk->tk", mass, np.array(at))
    assert np.abs(np.diff(course, 2, axis=0)).max() <= 256 * EPS * mass.sum()
    assert np.abs(recording.qd[1, 0] - recording.qd[0, 0]).max() > 1e-3


def root_of(matrix: np.ndarray) -> np.ndarray:
    """I^(1/2) of a symmetric matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return vectors @ np.diag(np.sqrt(values)) @ vectors.T


def in_momocity(links, place: tuple, solver: SolverType, n: int) -> np.ndarray:
    """Velocities after a step of a spherical joint, by eqs. 54-62 and 66: ω as I^(1/2) ω, κ as I^(-1/2) κ.

    Rows along the axes of the joint frame, each M⁻¹-orthogonal to those before it; α = 1/√n; levers follow the bodies.
    """
    roots = [root_of(inertia(link)) for link in links]
    v = np.array([link.velocity for link in links])
    spin = np.array([root @ link.angular_velocity for root, link in zip(roots, links, strict=True)])  # eqs. 57-59
    arms = [np.subtract(place[0], centre(link)) for link in links]
    rows = []
    for axis in rotate(np.array(place[1]), np.eye(3)):
        row = [axis, *(np.linalg.solve(root, np.cross(arm, axis)) for root, arm in zip(roots, arms, strict=True))]
        for other in rows:
            row = [
                a - respond(links, row, other) / respond(links, other, other) * b
                for a, b in zip(row, other, strict=True)
            ]
        rows.append(row)  # eqs. 54-56
    turns = [np.array((0.0, 0.0, 0.0, 1.0)) for _ in links]
    moved, delta = np.zeros((2, 3)), H / n if solver else H
    for _ in range(n if solver else 1):
        levers = [rotate(turn, arm) for turn, arm in zip(turns, arms, strict=True)]
        for axis, *row in rows:
            if solver:
                row = [
                    np.linalg.solve(root, np.cross(arm, axis)) for root, arm in zip(roots, levers, strict=True)
                ]  # eq. 66
            ends = moved[0] + levers[0] - arms[0] - moved[1] - levers[1] + arms[1]
            bias = axis @ ends / sqrt(n) / delta if solver else 0.0
            rate = axis @ (v[0] - v[1]) + row[0] @ spin[0] - row[1] @ spin[1]
            impulse = -(bias + rate) / respond(links, [axis, *row], [axis, *row])
            for k, sign in ((0, 1.0), (1, -1.0)):
                v[k] += sign * impulse / links[k].mass * axis
                spin[k] += sign * impulse * row[k]  # eqs. 60-61
        for k, root in enumerate(roots):
            moved[k] += delta * v[k]
            omega = np.linalg.solve(root, spin[k])
            angle = np.linalg.norm(omega) * delta
            turn = (*(np.sin(angle / 2.0) * omega / np.linalg.norm(omega)), np.cos(angle / 2.0))
            turns[k] = multiply(np.array(turn), turns[k])
    return np.array([(*np.linalg.solve(root, w), *u) for root, w, u in zip(roots, spin, v, strict=True)])


def respond(links, row: list, other: list) -> float:
    """J M⁻¹ Jᵀ of two rows in momocity variables: the inertias have gone into them, eq. 62."""
    linear = row[0] @ other[0] * sum(1.0 / link.mass for link in links)
    return linear + row[1] @ other[1] + row[2] @ other[2]


@SOLVERS
@SEEDS
@pytest.mark.parametrize("n", [1, 2, 8])
def test_momocity_and_velocity_are_two_names_of_one_motion(n, seed, solver):
    """Eqs. 51-66: a step in momocity variables leaves the velocities that the engine finds without them."""
    rng = np.random.default_rng(seed)
    links = [body(path, rng) for path in ("/a", "/b")]
    place = pose(rng)
    held = joint(JointType.SPHERICAL, {link.path: link for link in links}, ("/a", "/b"), place, axes=TURNS)
    sim = simulate(links, [held], solver, n)
    sim.step()
    assert np.abs(twists(sim) - in_momocity(links, place, solver, n)).max() <= 4096 * n * EPS
