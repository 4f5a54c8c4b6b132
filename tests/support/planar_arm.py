"""An arm in a plane: two hinges and a slider, whose motion can be written down."""

from one_joint import FREE

import fajin
from fajin.scene import Articulation, Axis, Joint, JointType, Link, Scene, SolverType


def arm(**axis) -> Scene:
    """Two links in a row on hinges "shoulder" and "elbow" about z and a slider "finger" along x; no gravity."""
    here, along = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    parts = (Link(f"/arm/{name}", com=(0.5, 0.0, 0.0), **FREE) for name in ("upper", "lower", "tip"))
    tip = (1.0, 0.0, 0.0), along
    joints = (
        Joint("/arm/shoulder", JointType.REVOLUTE, "/arm/base", "/arm/upper", axes=(Axis("rotZ", **axis),)),
        Joint("/arm/elbow", JointType.REVOLUTE, "/arm/upper", "/arm/lower", frame0=tip, axes=(Axis("rotZ", **axis),)),
        Joint("/arm/finger", JointType.PRISMATIC, "/arm/lower", "/arm/tip", frame0=tip, axes=(Axis("transX", **axis),)),
    )
    robot = Articulation("/arm", (Link("/arm/base"), *parts), joints, fixed_base=True)
    return Scene("arm", (robot,), gravity=here, solver=SolverType.PGS)


def simulation(scene: Scene, worlds: int = 1, **options) -> fajin.Simulation:
    """On the CPU, in double precision."""
    return fajin.Simulation(scene, worlds, **({"device": "cpu", "precision": "f64", "threads": 1} | options))
