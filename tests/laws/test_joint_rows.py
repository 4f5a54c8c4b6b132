"""Drives, limits and distances of joints outside the trees, a body against the world: springs, bounds, bounces."""

from math import cos, sin, sqrt

import numpy as np
import pytest
from free_bodies import EPS, H, body, joint, poses, simulate, twists

from fajin.quaternion import multiply
from fajin.scene import WORLD, Axis, Distance, Drive, DriveType, JointType, LimitSpring, SolverType

SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
COUNTS = pytest.mark.parametrize("n", [1, 4, 16])
BOTH = pytest.mark.parametrize("token", ["transX", "rotX"])
MASS = 2.5  # [kg | kg·m²]
MOMENT = tuple(map(tuple, (MASS * np.eye(3)).tolist()))
SLACK = 0.025  # [m] by which a distance joint gives way


def held(axis: Axis, q: float = 0.0, qd: float = 0.0, **solver):
    """A body that can move along one axis of a joint to the world, at a position and a speed there."""
    direction = np.array((qd, 0.0, 0.0))
    turn = (sin(q / 2.0), 0.0, 0.0, cos(q / 2.0))
    along = axis.token.startswith("trans")
    place = ((q, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)) if along else ((0.0, 0.0, 0.0), turn)
    motion = {"velocity" if along else "angular_velocity": tuple(direction.tolist())}
    link = body("/a", mass=MASS, inertia=MOMENT, pose=place, **motion)
    hinge = joint(JointType.D6, {"/a": body("/a")}, (WORLD, "/a"), axes=(axis,))
    return simulate([link], [hinge], **solver)


def state(sim, token: str) -> tuple[float, float]:
    """Position and speed along the axis."""
    at, twist = poses(sim)[0], twists(sim)[0]
    return (at[0], twist[3]) if token == "transX" else (2.0 * np.arctan2(at[3], at[6]), twist[0])


@SOLVERS
@COUNTS
@pytest.mark.parametrize("type", [DriveType.FORCE, DriveType.ACCELERATION], ids=lambda type: type.name)
def test_a_drive_is_an_implicit_spring(solver, n, type):
    """v ← (v + r δ (k (q* − q) + d v*))/(1 + a r), a = δ (δ k + d), q ← q + δ v; r = 1/m, and 1 for accelerations.

    Iterations of PGS change nothing: the impulse stays where it is.
    """
    k, d, target, speed, q, v = 400.0, 7.0, 0.3, -0.2, 0.1, 1.5
    drive = Drive(type, k, d, target_q=target, target_qd=speed)
    sim = held(Axis("transX", drive=drive), q, v, solver=solver, n=n)
    r = 1.0 if type == DriveType.ACCELERATION else 1.0 / MASS
    for _ in range(3):
        sim.step()
        delta = H / n if solver else H
        for _ in range(n if solver else 1):
            v = (v + r * delta * (k * (target - q) + d * speed)) / (1.0 + r * delta * (delta * k + d))
            q += delta * v
        assert np.abs(np.subtract(state(sim, "transX"), (q, v))).max() <= 256 * n * EPS


@SOLVERS
@COUNTS
def test_a_drive_of_rotation_turns_by_the_sine_of_the_half_angle(solver, n):
    """The same spring with 2 sin((θ* − θ)/2) for θ* − θ at the start of the step, less what was turned since."""
    k, d, target, q, v = 60.0, 2.0, 0.8, 0.1, 1.5
    sim = held(Axis("rotX", drive=Drive(DriveType.FORCE, k, d, target_q=target)), q, v, solver=solver, n=n)
    for _ in range(3):
        sim.step()
        delta, start, error = H / n if solver else H, q, 2.0 * sin((target - q) / 2.0)
        for _ in range(n if solver else 1):
            pull = k * (error - (q - start))
            v = (v + delta * pull / MASS) / (1.0 + delta * (delta * k + d) / MASS)
            q += delta * v
        assert np.abs(np.subtract(state(sim, "rotX"), (q, v))).max() <= 256 * n * EPS


@SOLVERS
@COUNTS
@BOTH
def test_a_drive_gives_its_maximum_force_at_most(solver, n, token):
    """m Δv = max_force h."""
    most = 3.0
    sim = held(Axis(token, drive=Drive(stiffness=1e6, max_force=most, target_q=1.0)), solver=solver, n=n)
    sim.step()
    assert state(sim, token)[1] == pytest.approx(most * H / MASS, rel=64 * n * EPS)


@COUNTS
@BOTH
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_limit_stops_what_would_pass_it_and_nothing_else(n, token, sign):
    """A body that would pass its limit is there after a step of PGS and at rest after two; one that leaves flies on.

    TGS takes 1/√n of the gap a substep at most, and comes to rest before it.
    """
    limit, gap = 0.2, 0.004
    for solver in SolverType:
        for speed, stopped in ((gap / H * 6.0, True), (gap / H * 0.5, False), (-1.0, False)):
            sim = held(Axis(token, -limit, limit), sign * (limit - gap), sign * speed, solver=solver, n=n, velocity=1)
            sim.step()
            q, v = state(sim, token)
            if stopped:
                left = 0.0 if solver == SolverType.PGS else gap * (1.0 - 1.0 / sqrt(n)) ** n
                assert 0.0 <= limit - sign * q + 64 * EPS <= left + 128 * EPS
                sim.step()
                q, v = state(sim, token)
                assert 0.0 <= limit - sign * q + 64 * EPS <= left + 128 * EPS
                assert sign * v <= left / H + 64 * EPS
            else:
                assert abs(q - sign * (limit - gap + speed * H)) <= 64 * n * EPS
                assert abs(v - sign * speed) <= 64 * EPS


@BOTH
@pytest.mark.parametrize(("threshold", "bounces"), [(0.0, True), (1.4, True), (1.6, False)])
def test_a_limit_bounces_above_its_threshold(token, threshold, bounces):
    """v ← −e v of what moves into its limit faster than the threshold [rad/s | m/s]; slower, it stops."""
    e, speed, limit = 0.6, 1.5, 0.2
    spring = LimitSpring(restitution=e, bounce_threshold=threshold)
    sim = held(Axis(token, -limit, limit, limit=spring), limit + 1e-6, speed, velocity=1)
    sim.step()
    assert state(sim, token)[1] == pytest.approx(-e * speed if bounces else 0.0, abs=256 * EPS)


@SOLVERS
@COUNTS
@BOTH
def test_a_soft_limit_is_a_spring_beyond_the_limit(solver, n, token):
    """v ← (v − δ k (q − limit)/m)/(1 + a/m), a = δ (δ k + d), beyond the limit; on the way back it damps, too.

    Whether it acts is decided at the start of a step.
    """
    k, d, limit, beyond = 300.0, 4.0, 0.2, 0.01
    axis = Axis(token, -limit, limit, limit=LimitSpring(k, d))
    for v in (0.5, -3.0):
        q = limit + beyond
        sim = held(axis, q, v, solver=solver, n=n)
        sim.step()
        delta = H / n if solver else H
        for _ in range(n if solver else 1):
            v = (v - delta * k * (q - limit) / MASS) / (1.0 + delta * (delta * k + d) / MASS)
            q += delta * v
        assert np.abs(np.subtract(state(sim, token), (q, v))).max() <= 256 * n * EPS
    sim = held(axis, limit - beyond, 0.5, solver=solver, n=n)
    sim.step()
    assert state(sim, token)[1] == pytest.approx(0.5, rel=8 * EPS)


def away(distance: Distance, x: float, v: float, **solver):
    """A body at a distance from the world's origin, with a speed away from it."""
    link = body("/a", mass=MASS, inertia=MOMENT, pose=((x, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)), velocity=(v, 0.0, 0.0))
    tie = joint(JointType.DISTANCE, {"/a": body("/a")}, (WORLD, "/a"), distance=distance)
    return simulate([link], [tie], **solver)


@pytest.mark.parametrize(("x", "v"), [(0.3, 0.0), (0.49, 3.0), (0.49, 0.1), (0.1, -1.0), (0.08, 0.5), (0.52, -0.5)])
def test_a_distance_between_its_bounds_is_free(x, v):
    """min ≤ |x| ≤ max, or on the way back to it: nothing acts that does not lead beyond the slack in the step."""
    sim = away(Distance(0.1, 0.5), x, v)
    sim.step()
    assert twists(sim)[0, 3] == pytest.approx(v, abs=4 * EPS)


def test_a_distance_in_its_slack_loses_its_speed_after_the_step():
    """max < |x| < max + 0.025 m: the step is made, but the velocity iteration leaves no speed that leads out."""
    sim = away(Distance(0.1, 0.5), 0.51, 0.5)
    sim.step()
    assert poses(sim)[0, 0] == pytest.approx(0.51 + 0.5 * H, abs=4 * EPS)
    assert abs(twists(sim)[0, 3]) <= 16 * EPS


@pytest.mark.parametrize(
    ("x", "v", "end"), [(0.52, 3.0, 0.5 + SLACK), (0.08, -3.0, 0.1 - SLACK), (0.6, 0.0, 0.5 + SLACK)]
)
def test_a_distance_ends_a_little_beyond_its_bounds(x, v, end):
    """PGS: |x| = max + 0.025 m after a step that would pass it or started beyond, |x| = min − 0.025 m likewise."""
    sim = away(Distance(0.1, 0.5), x, v)
    sim.step()
    assert poses(sim)[0, 0] == pytest.approx(end, abs=16 * EPS)


@SOLVERS
@COUNTS
def test_a_distance_spring_acts_beyond_the_slack(solver, n):
    """v ← (v − δ k (|x| − max − 0.025 m)/m)/(1 + a/m), a = δ (δ k + d)."""
    k, d, x, v = 200.0, 3.0, 0.7, 0.4
    sim = away(Distance(-1.0, 0.5, True, k, d), x, v, solver=solver, n=n)
    sim.step()
    delta = H / n if solver else H
    for _ in range(n if solver else 1):
        v = (v - delta * k * (x - 0.5 - SLACK) / MASS) / (1.0 + delta * (delta * k + d) / MASS)
        x += delta * v
    assert np.abs(np.subtract((poses(sim)[0, 0], twists(sim)[0, 3]), (x, v))).max() <= 64 * n * EPS


@pytest.mark.parametrize("azimuth", [0.0, 0.7, 2.0, 4.0])
def test_a_cone_stops_the_swing_at_its_half_angle(azimuth):
    """A round cone: the x axis of body 1 stops at its angle from that of body 0, in the direction it came from."""
    half, start, rate = 0.5, 0.49, 5.0
    axis = np.array((0.0, cos(azimuth), sin(azimuth)))
    turn = (*(sin(start / 2.0) * axis).tolist(), cos(start / 2.0))
    link = body("/a", pose=((0.0, 0.0, 0.0), turn), angular_velocity=tuple((rate * axis).tolist()))
    cone = tuple(Axis(token, -half, half) for token in ("rotY", "rotZ"))
    ball = joint(JointType.SPHERICAL, {"/a": body("/a")}, (WORLD, "/a"), axes=(Axis("rotX"), *cone))
    sim = simulate([link], [ball])
    sim.step(2)
    at = poses(sim)[0, 3:]
    newton = 5e-3 * half  # its search for the nearest point of the ellipse stops at 1e-4 of the equation
    assert 2.0 * np.arcsin(np.linalg.norm(at[:3])) == pytest.approx(half, abs=newton)
    assert np.abs(np.cross(at[:3], axis)).max() <= newton
    assert np.abs(twists(sim)).max() <= newton / H


@pytest.mark.parametrize("rate", [-20.0, 20.0])
@pytest.mark.parametrize("azimuth", [0.4, 0.8, 2.5, 4.0])
def test_an_elliptic_cone_lets_the_swing_run_along_its_edge(azimuth, rate):
    """(y/b)² + (z/c)² = 1 of the swing angles y, z: a turn along that edge, either way, meets no row."""
    wide, narrow = 0.8, 0.3

    def swing(phi: float) -> np.ndarray:
        """The swing at the edge (x, y, z, w): tan of a quarter of each angle is a stereographic coordinate."""
        r = np.tan(np.array((wide * cos(phi), narrow * sin(phi))) / 4.0)
        return np.array((0.0, *(2.0 * r), 1.0 - r @ r)) / (1.0 + r @ r)

    turn, step = swing(azimuth), 1e-6
    change = (swing(azimuth + step) - swing(azimuth - step)) / (2.0 * step)
    along = 2.0 * multiply(change, turn * (-1.0, -1.0, -1.0, 1.0))[:3]
    spin = rate * along / np.linalg.norm(along)
    pose = ((0.0, 0.0, 0.0), tuple(turn.tolist()))
    link = body("/a", mass=MASS, inertia=MOMENT, pose=pose, angular_velocity=tuple(spin.tolist()))
    cone = (Axis("rotY", -wide, wide), Axis("rotZ", -narrow, narrow))
    ball = joint(JointType.SPHERICAL, {"/a": body("/a")}, (WORLD, "/a"), axes=(Axis("rotX"), *cone))
    sim = simulate([link], [ball])
    sim.step()
    newton = 5e-3 * wide  # as above: its search for the edge stops early
    slant = (wide / 4.0) ** 2  # PhysX takes the gradient in angles for that in their tangents
    assert np.abs(twists(sim)[0, :3] - spin).max() <= abs(rate) * slant + newton / H
