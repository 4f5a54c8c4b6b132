"""Axes that follow others: masses on rails and wheels, without gravity."""

from dataclasses import replace

import numpy as np
import pytest
from one_joint import FREE

import fajin
from fajin.scene import Articulation, Axis, Drive, Joint, JointType, Link, Mimic, Scene, SolverType

EPS = np.finfo(np.float64).eps
H = 0.01
SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
SLIDE, TURN = JointType.PRISMATIC, JointType.REVOLUTE


def body(i: int, type: JointType, mass: float, axis: Axis, on: str = "/m/base") -> tuple[Link, Joint]:
    """A mass on a rail along z [kg], or a wheel about z [kg·m²], on another link."""
    moment = tuple(map(tuple, (mass * np.eye(3)).tolist()))
    link = Link(f"/m/link{i}", mass=mass, inertia=moment, **FREE)
    return link, Joint(f"/m/j{i}", type, on, link.path, axis="Z", axes=(axis,))


def follow(gearing: float, *rest: float, reference: str = "") -> Mimic:
    """A mimic joint with one reference; `rest` = offset, natural frequency, damping ratio."""
    return Mimic(((reference, gearing),), *rest)


def pair(mimic: Mimic, masses=(1.0, 1.0), types=(SLIDE, SLIDE), chain=False, **state) -> Articulation:
    """Axis A that follows axis B, with `q` and `qd` of both; in a chain B stands on A, else each on the base."""
    q, qd = state.get("q", (0.0, 0.0)), state.get("qd", (0.0, 0.0))
    tokens = ["transZ" if type == SLIDE else "rotZ" for type in types]
    ((_, gearing),) = mimic.references
    bound = (replace(mimic, references=((f"/m/j1:{tokens[1]}", gearing),)), None)
    axes = [Axis(token, q=a, qd=v, mimic=m) for token, a, v, m in zip(tokens, q, qd, bound, strict=True)]
    on = ("/m/base", "/m/link0" if chain else "/m/base")
    bodies, joints = zip(*(body(i, types[i], masses[i], axes[i], on[i]) for i in (0, 1)), strict=True)
    return Articulation("/m", (Link("/m/base"), *bodies), joints, fixed_base=True)


def simulate(machine: Articulation, solver: SolverType, n: int = 1, velocity: int = 0, dt: float = H):
    """The machine in float64 without gravity; n position iterations."""
    machine = replace(machine, position_iterations=n, velocity_iterations=velocity)
    scene = Scene("machine", (machine,), (0.0, 0.0, 0.0), dt, solver)
    return fajin.Simulation(scene, device="cpu", precision="f64", threads=1)


def errors(sim: fajin.Simulation, q=None) -> np.ndarray:
    """C of every mimic joint, in order of its follower; of `q` by degree of freedom, or of the state now."""
    q = dict(zip(sim.dof, sim.q[0] if q is None else q, strict=True))
    axes = [(f"{j.path}:{a.token}", a.mimic) for j in sim.scene.articulations[0].joints for a in j.axes if a.mimic]
    return np.array([q[own] + sum(gearing * q[name] for name, gearing in m.references) + m.offset for own, m in axes])


LENGTH, TARGET, STIFFNESS, SPEED = 0.05, 0.8, 2.0, 1.0


def finger(masses: tuple[float, ...], first_limit: float) -> Articulation:
    """Rods one on the tip of the other; the first is driven, the others turn as far as it, no faster than SPEED."""
    links, joints = [Link("/m/base")], []
    for i, mass in enumerate(masses):
        moment = tuple(map(tuple, (mass * LENGTH**2 / 12 * np.eye(3)).tolist()))
        links.append(Link(f"/m/link{i}", mass=mass, com=(LENGTH / 2, 0.0, 0.0), inertia=moment, **FREE))
        axis = Axis("rotZ", -2.0, 2.0, max_velocity=SPEED, mimic=follow(-1.0, reference="/m/j0:rotZ"))
        if i == 0:
            drive = Drive(stiffness=STIFFNESS, damping=0.06, target_q=TARGET)
            axis = replace(axis, mimic=None, max_velocity=first_limit, drive=drive)
        tip = ((LENGTH if i else 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
        joints.append(Joint(f"/m/j{i}", TURN, links[-2].path, links[-1].path, tip, axis="Z", axes=(axis,)))
    return Articulation("/m", tuple(links), tuple(joints), fixed_base=True)
