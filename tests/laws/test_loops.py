"""Loops: a four-bar linkage turns as its closed form says, and its loop stays closed."""

from math import atan2, cos, hypot, pi, sin, sqrt

import numpy as np
import pytest
from one_joint import FREE

import fajin
from fajin.quaternion import rotate
from fajin.scene import Articulation, Axis, Drive, Joint, JointType, Link, Scene, SolverType

SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.3, 0.9, 0.7  # [m] the shortest and the longest are less than the others
SPEED = 2.0  # [rad/s] of the crank
AXIS = np.array((0.0, 0.0, 1.0))


def rocker_angle(crank: float) -> float:
    """Angle of the rocker at its ground pivot: the triangle of that pivot, the crank's end and the joint between."""
    x, y = GROUND - CRANK * cos(crank), -CRANK * sin(crank)
    diagonal = hypot(x, y)
    inner = (diagonal**2 + ROCKER**2 - COUPLER**2) / (2.0 * diagonal * ROCKER)
    return atan2(-y, -x) - np.arccos(inner)


def turned(angle: float) -> tuple:
    """The quaternion of a rotation about z."""
    return (0.0, 0.0, sin(angle / 2.0), cos(angle / 2.0))


def linkage(closing: JointType = JointType.REVOLUTE, iterations: int = 16) -> tuple[Articulation, Joint]:
    """Crank, coupler and rocker as a chain about z whose tip a joint holds to the base; the crank is driven."""
    crank = 1.0
    rocker = rocker_angle(crank)
    end = CRANK * np.array((cos(crank), sin(crank)))
    knee = np.array((GROUND, 0.0)) + ROCKER * np.array((cos(rocker), sin(rocker)))
    coupler = atan2(*(knee - end)[::-1])
    angles, lengths = (crank, coupler, rocker + pi), (CRANK, COUPLER, ROCKER)
    drive = Drive(damping=1e5, target_qd=SPEED)
    links, joints, before = [Link("/m/base")], [], 0.0
    for i, (name, length, angle) in enumerate(zip(("crank", "coupler", "rocker"), lengths, angles, strict=True)):
        moment = tuple(map(tuple, np.diag((0.001, 0.01, 0.01)).tolist()))
        links.append(Link(f"/m/{name}", com=(length / 2.0, 0.0, 0.0), inertia=moment, **FREE))
        axis = Axis("rotZ", q=angle - before, drive=None if i else drive)
        start = (lengths[i - 1] if i else 0.0, 0.0, 0.0)
        joints.append(
            Joint(
                f"/m/{name}_pin",
                JointType.REVOLUTE,
                links[-2].path,
                links[-1].path,
                (start, turned(0.0)),
                axis="Z",
                axes=(axis,),
            )
        )
        before = angle
    chain = Articulation(
        "/m", tuple(links), tuple(joints), fixed_base=True, position_iterations=iterations, velocity_iterations=1
    )
    axes = (
        (Axis("rotZ"),) if closing == JointType.REVOLUTE else tuple(Axis(token) for token in ("rotX", "rotY", "rotZ"))
    )
    frames = ((GROUND, 0.0, 0.0), turned(0.0)), ((ROCKER, 0.0, 0.0), turned(0.0))
    return chain, Joint("/m/ground_pin", closing, "/m/base", "/m/rocker", *frames, axis="Z", axes=axes)


def revolve(solver: SolverType, dt: float, turns: float = 1.0, **made) -> tuple:
    """The linkage over some turns of its crank: angle of the crank and the rocker, and the gap of the loop [m]."""
    chain, pin = linkage(**made)
    scene = Scene("linkage", (chain,), (0.0, 0.0, 0.0), dt, solver, joints=(pin,))
    recording = fajin.Simulation(scene, device="cpu", precision="f64", threads=1).run(seconds=turns * 2.0 * pi / SPEED)
    tip = recording.pose[:, 0, recording.link.index("/m/rocker")]
    angle = [atan2(*rotate(pose[3:], np.array((1.0, 0.0, 0.0)))[1::-1]) for pose in tip]
    gap = [
        np.linalg.norm(pose[:3] + rotate(pose[3:], np.array((ROCKER, 0.0, 0.0))) - (GROUND, 0.0, 0.0)) for pose in tip
    ]
    crank = np.unwrap(recording.q[:, 0, recording.dof.index("/m/crank_pin:rotZ")])
    return crank, np.array(angle) - pi, np.array(gap)


def apart(angle: np.ndarray, other: np.ndarray) -> float:
    """The largest difference of angles [rad]."""
    return float(np.abs((angle - other + pi) % (2.0 * pi) - pi).max())


@SOLVERS
@pytest.mark.parametrize("closing", [JointType.REVOLUTE, JointType.SPHERICAL], ids=lambda type: type.name)
def test_a_four_bar_linkage_turns_as_its_triangle_says(solver, closing):
    """Rocker angle = that of the closed form at the crank's angle, for a full turn, to the gap of the loop.

    The gap is what the pins' arcs leave of straight steps: at most SPEED² h² (sum of lengths), and it does not grow.
    """
    dt = 1.0 / 240.0
    crank, rocker, gap = revolve(solver, dt, 2.0, closing=closing)
    assert crank[-1] - crank[0] == pytest.approx(4.0 * pi, rel=0.01)
    reach = CRANK + COUPLER + ROCKER
    assert gap.max() <= (SPEED * dt) ** 2 * reach
    half = len(gap) // 2
    assert gap[half:].max() <= gap[:half].max() * (1.0 + SPEED * dt)
    law = np.array([rocker_angle(angle) for angle in crank])
    assert apart(rocker, law) <= gap.max() / (ROCKER * sin(0.3))


@SOLVERS
def test_the_gap_of_a_loop_is_of_second_order(solver):
    """Half the step, a quarter of the gap."""
    gaps = [revolve(solver, dt)[2].max() for dt in (1.0 / 120.0, 1.0 / 240.0)]
    assert gaps[1] / gaps[0] == pytest.approx(0.25, abs=0.08)


@SOLVERS
def test_an_open_loop_closes(solver):
    """A gap at the start goes by 1 − α a substep: at once under PGS, (1 − 1/√n)ⁿ of it is left after a step of TGS."""
    n, dt, gap = 16, 1.0 / 240.0, 0.01
    chain, pin = linkage(iterations=n)
    (place, turn) = pin.frame1
    pin = Joint(**(pin.__dict__ | {"frame1": ((place[0] - gap, 0.0, 0.0), turn)}))
    scene = Scene("linkage", (chain,), (0.0, 0.0, 0.0), dt, solver, joints=(pin,))
    recording = fajin.Simulation(scene, device="cpu", precision="f64", threads=1).run(steps=20)
    tip = recording.pose[:, 0, recording.link.index("/m/rocker")]
    gaps = [np.linalg.norm(p[:3] + rotate(p[3:], np.array((ROCKER - gap, 0.0, 0.0))) - (GROUND, 0.0, 0.0)) for p in tip]
    assert gaps[0] == pytest.approx(gap, rel=1e-9)
    arcs = (SPEED * dt) ** 2 * (CRANK + COUPLER + ROCKER)
    left = (1.0 - 1.0 / sqrt(n)) ** n if solver == SolverType.TGS else 0.0
    assert gaps[1] <= left * gap + arcs
    assert gaps[-1] <= arcs
