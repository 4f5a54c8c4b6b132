"""The smallest machines: one link on one joint that nothing else moves, so that every law has a closed form.

A *slider* is a mass on a prismatic joint, a *wheel* a round body turning about its centre, a *pendulum* a wheel off its
axis. A fixed base has no softness, and a wheel has none at all: nothing moves its centre. A slider's is `CFM`/mass.
"""

import numpy as np

import fajin
from fajin.scene import Articulation, Axis, Joint, JointType, Link, Scene, SolverType

CFM = 0.025
"""Softness of a row per linear response of its links, in a stage in metres."""

SLIDER_LEAK = CFM / (1.0 + CFM)
"""cfm / (r + cfm): share of a speed error that one visit of a slider's soft row leaves."""


def slider(mass: float = 1.0, **axis) -> Articulation:
    """A mass on a rail along z [kg]; `axis` are fields of its `Axis`."""
    return _machine(JointType.PRISMATIC, Axis("transZ", **axis), Link("/m/link", mass=mass, **FREE))


def wheel(inertia: float = 1.0, **axis) -> Articulation:
    """A round body of that moment [kg·m²] on an axle along z through its centre."""
    moment = tuple(map(tuple, (inertia * np.eye(3)).tolist()))
    return _machine(JointType.REVOLUTE, Axis("rotZ", **axis), Link("/m/link", inertia=moment, **FREE))


def simulate(machine: Articulation, precision: str = "f64", dt: float = 0.01, **scene) -> fajin.Simulation:
    """A simulation of the machine, without gravity unless `scene` has some; PGS unless it says otherwise."""
    settings = {"gravity": (0.0, 0.0, 0.0), "solver": SolverType.PGS, "dt": dt} | scene
    return fajin.Simulation(Scene("machine", (machine,), **settings), device="cpu", precision=precision, threads=1)


FREE = {"angular_damping": 0.0, "max_angular_velocity": np.inf}


def _machine(type: JointType, axis: Axis, link: Link) -> Articulation:
    joint = Joint("/m/joint", type, "/m/base", link.path, axis=axis.token[-1], axes=(axis,))
    return Articulation("/m", (Link("/m/base"), link), (joint,), fixed_base=True)
