"""Free rigid bodies: the momentum of a spin, the fall of each solver, damping and speed limits, in float64."""

from math import tau

import numpy as np
import pytest

import fajin
from fajin.quaternion import conjugate, multiply, rotate
from fajin.scene import Articulation, Link, Scene, SolverType

EPS = float(np.finfo(np.float64).eps)
INERTIA = np.array(((0.02, 0.004, 0.0), (0.004, 0.05, 0.003), (0.0, 0.003, 0.06)))
SPIN = (1.0, 3.0, -2.0)
ITERATIONS = 5
EACH_SOLVER = pytest.mark.parametrize(
    ("solver", "every", "substeps"),
    [(SolverType.PGS, True, 1), (SolverType.TGS, True, ITERATIONS), (SolverType.TGS, False, 1)],
    ids=["pgs", "tgs", "tgs_forces_at_once"],
)


def fly(steps: int, h: float, solver=SolverType.PGS, every=True, gravity=(0.0, 0.0, 0.0), **body):
    """Poses (T + 1, 7) of a body that is thrown."""
    link = Link("/body", inertia=tuple(map(tuple, INERTIA)), **{"angular_damping": 0.0} | body)
    thrown = Articulation("/body", (link,), (), position_iterations=ITERATIONS, free=True)
    scene = Scene("", (thrown,), gravity, solver=solver, external_forces_every_iteration=every)
    return fajin.Simulation(scene, device="cpu", precision="f64", dt=h).run(steps=steps).pose[:, 0, 0]


def velocities(poses: np.ndarray, h: float) -> np.ndarray:
    """(T, 3) what moved the frame from each pose to the next [m/s]."""
    return np.diff(poses[:, :3], axis=0) / h


def spins(poses: np.ndarray, h: float) -> np.ndarray:
    """(T, 3) angular velocity that turned each pose into the next, world [rad/s]."""
    turns = np.array([multiply(b, conjugate(a)) for a, b in zip(poses[:-1, 3:], poses[1:, 3:], strict=True)])
    sine = np.linalg.norm(turns[:, :3], axis=1)
    angle = 2.0 * np.arctan2(sine, turns[:, 3])
    return turns[:, :3] * (angle / np.maximum(sine, EPS) / h)[:, None]


def momenta(poses: np.ndarray, h: float) -> np.ndarray:
    """(T, 3) angular momentum of each step, world [kg·m²/s]."""
    pairs = zip(poses[:-1, 3:], spins(poses, h), strict=True)
    return np.array([rotate(q, INERTIA @ rotate(conjugate(q), w)) for q, w in pairs])


@EACH_SOLVER
def test_a_free_spin_keeps_the_length_of_its_momentum(solver, every, substeps):
    """|L| after any number of steps is that of the throw, while ω wanders."""
    h, steps = 0.01, 300
    poses = fly(steps, h, solver, every, angular_velocity=SPIN)
    length = np.linalg.norm(INERTIA @ SPIN)
    lost = np.abs(np.linalg.norm(momenta(poses, h), axis=1) - length) / length
    assert lost.max() <= 8 * EPS * steps / h  # a difference of poses over h
    assert np.ptp(spins(poses, h), axis=0).min() > 1.0


def test_the_momentum_of_a_free_spin_turns_by_the_order_of_the_step():
    """The direction of L in the world, which nothing holds, errs half as much at half the step."""
    start = INERTIA @ SPIN
    errors = [np.linalg.norm(momenta(fly(n, 1.0 / n, angular_velocity=SPIN), 1.0 / n)[-1] - start) for n in (200, 400)]
    assert errors[0] < 0.05 * np.linalg.norm(start)
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)


def test_without_gyroscopic_torque_the_angular_velocity_stays():
    """ω is that of the throw at every step."""
    h = 0.01
    poses = fly(100, h, angular_velocity=SPIN, gyroscopic=False)
    assert np.abs(spins(poses, h) - SPIN).max() <= 100 * EPS / h


@EACH_SOLVER
def test_a_free_body_falls_in_closed_form(solver, every, substeps):
    """After n substeps of δ: x = x0 + v0 n δ + g δ² n (n + 1) / 2; of the centre of mass, while the body spins."""
    h, steps, com = 0.02, 50, np.array((0.1, 0.2, -0.3))
    v0, g = np.array((1.0, -2.0, 3.0)), np.array((0.5, 0.0, -9.81))
    poses = fly(steps, h, solver, every, tuple(g), com=tuple(com), velocity=tuple(v0), angular_velocity=SPIN)
    centre = np.array([p[:3] + rotate(p[3:], com) for p in poses])
    n, delta = substeps * np.arange(steps + 1)[:, None], h / substeps
    law = com + v0 * n * delta + g * delta**2 * n * (n + 1) / 2
    assert np.abs(centre - law).max() <= 4 * EPS * substeps * steps * np.abs(law).max()


def test_gravity_may_be_switched_off():
    """A body without gravity flies straight on."""
    poses = fly(10, 0.1, gravity=(0.0, 0.0, -9.81), velocity=(1.0, 0.0, 0.0), disable_gravity=True)
    assert poses[-1, :3] == pytest.approx((1.0, 0.0, 0.0), abs=20 * EPS)


@EACH_SOLVER
def test_damping_takes_a_share_of_both_velocities(solver, every, substeps):
    """v_n = (1 − c h)ⁿ v0 and ω_n = (1 − c' h)ⁿ ω0: once a step, whatever its substeps."""
    h, c, d, n = 0.02, 2.0, 5.0, np.arange(1, 51)[:, None]
    damping = {"linear_damping": c, "angular_damping": d, "gyroscopic": False}
    poses = fly(50, h, solver, every, velocity=SPIN, angular_velocity=SPIN, **damping)
    assert np.abs(velocities(poses, h) - (1 - c * h) ** n * SPIN).max() <= 100 * EPS / h
    assert np.abs(spins(poses, h) - (1 - d * h) ** n * SPIN).max() <= 100 * EPS / h


@pytest.mark.parametrize("share", [1.0, 3.0])
def test_damping_stops_and_does_not_turn_round(share):
    """c h ≥ 1 stops a body within a step."""
    h = 0.02
    damping = {"linear_damping": share / h, "angular_damping": share / h}
    poses = fly(3, h, velocity=SPIN, angular_velocity=SPIN, **damping)
    assert (poses == poses[0]).all()


@EACH_SOLVER
def test_gravity_comes_before_damping_unless_it_is_spread(solver, every, substeps):
    """At once: v ← (v + g h)(1 − c h). Spread over the substeps: v ← v (1 − c h) + g h."""
    h, c, g = 0.02, 2.0, -9.81
    poses = fly(400, h, solver, every, (0.0, 0.0, g), linear_damping=c)
    spread = substeps > 1
    end = g * h / (c * h) * (1.0 if spread else 1.0 - c * h)  # fixed point of either
    mean = end - g * h * (substeps - 1) / (2 * substeps) if spread else end  # over the substeps of the step
    assert velocities(poses, h)[-1, 2] == pytest.approx(mean, rel=1e-6)


@EACH_SOLVER
def test_a_falling_body_holds_its_speed_limit(solver, every, substeps):
    """|v| ≤ limit, direction kept; gravity that is spread comes after it and exceeds it by up to g h."""
    h, limit, g = 0.02, 2.0, -9.81
    poses = fly(100, h, solver, every, (0.0, 0.0, g), velocity=(3.0, 4.0, 0.0), max_linear_velocity=limit)
    v = velocities(poses, h)
    excess = -g * h * (substeps + 1) / (2 * substeps) if substeps > 1 else 0.0  # mean over the substeps
    assert np.linalg.norm(v[-1]) == pytest.approx(limit + excess, rel=1e-3)
    assert v[0, 0] / v[0, 1] == pytest.approx(0.75)
    assert np.hypot(*v[0, :2]) == pytest.approx(limit, rel=1e-2)


def test_a_spinning_body_holds_its_speed_limit():
    """|ω| ≤ limit, direction kept; below the limit nothing happens."""
    h, limit = 0.001, 2.0
    fast, slow = (
        spins(fly(5, h, angular_velocity=w, gyroscopic=False, max_angular_velocity=limit), h)
        for w in ((0.0, 6.0, 8.0), (0.0, 1.2, 1.6 - 1e-3))
    )
    assert np.abs(fast - (0.0, 1.2, 1.6)).max() <= 100 * EPS / h
    assert np.abs(slow - (0.0, 1.2, 1.6 - 1e-3)).max() <= 100 * EPS / h


def test_a_body_at_rest_stays_at_rest():
    """No forces, no speed, limits of 0: nothing is divided by nothing."""
    poses = fly(5, 0.01, max_linear_velocity=0.0, max_angular_velocity=0.0)
    assert (poses == poses[0]).all()


def test_the_scale_of_an_inertia_does_not_matter_to_a_spin():
    """A grain tumbles as a ship does, in float32 as well."""
    poses = []
    for scale in (1.0, 1e-16):
        inertia = tuple(map(tuple, scale * INERTIA))
        link = Link("/body", inertia=inertia, angular_velocity=SPIN, angular_damping=0.0)
        scene = Scene("", (Articulation("/body", (link,), (), free=True),), solver=SolverType.PGS)
        poses.append(fajin.Simulation(scene, device="cpu", dt=0.01).run(steps=100).pose[-1, 0, 0])
    assert np.abs(poses[1] - poses[0]).max() <= 1e3 * np.finfo(np.float32).eps


def test_bodies_and_robots_fly_in_any_number_of_worlds():
    """A body's motion is bitwise the same alone, beside another and in every world."""
    alone = fly(30, 0.01, SolverType.TGS, gravity=(0.0, 0.0, -9.81), angular_velocity=(0.0, tau, 1.0))
    links = [
        Link(f"/{name}", inertia=tuple(map(tuple, INERTIA)), angular_velocity=w, angular_damping=0.0)
        for name, w in (("other", SPIN), ("body", (0.0, tau, 1.0)))
    ]
    other = Articulation("/other", tuple(links[:1]), (), position_iterations=ITERATIONS)
    body = Articulation("/body", tuple(links[1:]), (), position_iterations=ITERATIONS, free=True)
    scene = Scene("", (other, body), (0.0, 0.0, -9.81), external_forces_every_iteration=True)
    poses = fajin.Simulation(scene, worlds=11, device="cpu", precision="f64", dt=0.01).run(steps=30).pose
    assert (poses[:, :, 1] == alone[:, None]).all()


def test_a_free_body_has_no_joints():
    """A joint on one is refused."""
    joint = fajin.scene.Joint("/hinge", fajin.scene.JointType.FIXED, "", "/body")
    scene = Scene("", (Articulation("/body", (Link("/body"),), (joint,), free=True),))
    with pytest.raises(fajin.InvalidScene, match="must be without joints, as a free body"):
        fajin.Simulation(scene, device="cpu")


def test_tgs_keeps_a_spin_as_the_root_of_its_energy():
    """To the bit: ω' = R I^-½ Rᵀ (R I^½ Rᵀ ω) in single precision, of 32 bodies; PGS keeps ω."""
    rng = np.random.default_rng(0)
    turns = rng.normal(size=(32, 4)).astype(np.float32)
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    spins = rng.normal(size=(32, 3)).astype(np.float32) * 3.0
    moments = np.float32(0.3), np.float32(0.5), np.float32(0.7)
    inertia = tuple(tuple(float(x) for x in row) for row in np.diag(moments))
    links = [
        Link(
            f"/b{i}", inertia=inertia, pose=((2.0 * i, 0.0, 0.0), tuple(q.tolist())), angular_damping=0.0,
            angular_velocity=tuple(v.tolist()), max_angular_velocity=np.inf, gyroscopic=False,
        )
        for i, (q, v) in enumerate(zip(turns, spins, strict=True))
    ]  # fmt: skip
    found = {}
    for solver in SolverType:
        bodies = tuple(Articulation(link.path, (link,), (), free=True) for link in links)
        scene = Scene("", bodies, (0.0, 0.0, 0.0), solver=solver)
        sim = fajin.Simulation(scene, device="cpu", threads=1)
        quaternions, before = sim.root_pose[0, :, 3:], sim.root_velocity[0, :, 3:]
        sim.step()
        found[solver] = before, sim.root_velocity[0, :, 3:]
    assert np.array_equal(*found[SolverType.PGS])
    before, after = found[SolverType.TGS]
    expected = np.array([spin_in_tgs(q, v, moments) for q, v in zip(quaternions, before, strict=True)])
    assert np.array_equal(after, expected)
    assert (after != before).any()


def spin_in_tgs(q: np.ndarray, spin: np.ndarray, moments: tuple) -> np.ndarray:
    """Return the angular velocity of a body after it was transformed to its root of energy and back, float32."""
    x, y, z, w = q
    two, one = np.float32(2.0), np.float32(1.0)
    real = two * w * w - one
    columns = np.array(
        [
            [x * (two * x) + real, y * (two * x) + two * z * w, z * (two * x) - two * y * w],
            [x * (two * y) - two * z * w, y * (two * y) + real, z * (two * y) + two * x * w],
            [x * (two * z) + two * y * w, y * (two * z) - two * x * w, z * (two * z) + real],
        ]
    )
    inverse = [np.sqrt(one / moment) for moment in moments]
    for roots in ([one / root for root in inverse], inverse):
        a, b, c = (root * column for root, column in zip(roots, columns, strict=True))
        matrix = [
            [a[i] * columns[0][j] + b[i] * columns[1][j] + c[i] * columns[2][j] for j in range(3)] for i in range(3)
        ]
        for i, j in ((1, 0), (2, 0), (2, 1)):
            matrix[i][j] = matrix[j][i]
        spin = np.array([row[0] * spin[0] + row[1] * spin[1] + row[2] * spin[2] for row in matrix])
    return spin
