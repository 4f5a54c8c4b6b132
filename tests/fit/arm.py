"""An arm of two links that swing under gravity, and logs of its motion with known parameters."""

import numpy as np

import fajin
from fajin.fit import MotionLog
from fajin.fit.parameters import FitParameter
from fajin.fit.piece import Piece
from fajin.fit.rollout import Rollout
from fajin.model.model import compile
from fajin.scene import Articulation, Axis, Drive, Friction, Joint, JointType, Link, Scene, SolverType

DT = 1.0 / 500.0
GAINS = {"stiffness": 300.0, "damping": 20.0}


def arm(
    drive: dict | None = None, dt: float = DT, gravity: float = -9.81, solver: SolverType = SolverType.PGS, **axis
) -> Scene:
    """A scene of the arm: links of 0.5 m and 2 kg and 1 kg, drives of `GAINS`."""
    sizes = {"max_force": 100.0} | GAINS | (drive or {})
    links, joints = [Link("/arm/base")], []
    for i, mass in enumerate((2.0, 1.0)):
        moments = tuple(tuple(0.02 * mass if a == b else 0.0 for b in range(3)) for a in range(3))
        path = f"/arm/link{i}"
        links.append(Link(path, mass=mass, com=(0.25, 0.0, 0.0), inertia=moments, angular_damping=0.0))
        frame0 = ((0.5 if i else 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
        axes = (Axis("rotY", drive=Drive(**sizes), friction=Friction(), **axis),)
        joints.append(
            Joint(f"/arm/joint{i}", JointType.REVOLUTE, links[i].path, path, frame0=frame0, axis="Y", axes=axes)
        )
    robot = Articulation(
        "/arm", tuple(links), tuple(joints), fixed_base=True, position_iterations=4, velocity_iterations=1
    )
    return Scene("arm", (robot,), gravity=(0.0, 0.0, gravity), dt=dt, solver=solver)


def fourier(seconds: float, period: float = DT, seed: int = 0, size: float = 0.5, joints: int = 2) -> tuple:
    """Times and targets (T, D) of random Fourier series that start smoothly at 0."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(seconds / period) + 1) * period
    target = np.zeros((len(time), joints))
    for j in range(joints):
        for k in range(1, 6):
            a, b = rng.normal(size=2) / k**0.5
            target[:, j] += a * np.sin(2 * np.pi * 0.4 * k * time) + b * (np.cos(2 * np.pi * 0.4 * k * time) - 1.0)
    target *= size / np.abs(target).max(0)
    ramp = np.clip(time / 0.5, 0.0, 1.0)
    return time, target * (ramp**3 * (10 - 15 * ramp + 6 * ramp**2))[:, None]


def record(
    scene: Scene, truth: dict[str, float], motion: tuple, sigma: float = 0.0, seed: int = 1, effort: bool = False
) -> MotionLog:
    """A log of the arm with parameters by name, "joint0:armature" or "delay", and noise on the positions."""
    model = compile(scene)
    time, target = motion
    blank = MotionLog("log", "", time, model.dof, tuple(range(len(model.dof))), target, target)
    parameters = [_parameter(model, name) for name in truth]
    rollout = Rollout(model, parameters, threads=1)
    zero = np.zeros(len(model.dof))
    values = np.array([list(truth.values())])
    bias = np.zeros(len(model.dof))
    for p, value in zip(parameters, values[0], strict=True):
        if p.quantity == "bias":
            bias[p.column] = value
    q, efforts = rollout.simulate(values, [Piece(blank, bias + target[0], zero)], effort=True)
    q = q[0, 0] + bias
    noisy = q + sigma * np.random.default_rng(seed).normal(size=q.shape)
    rough = 0.01 * np.random.default_rng(seed + 1).normal(size=q.shape)
    said = {"effort": efforts[0, 0] + rough} if effort else {}
    return MotionLog("log", "", time, model.dof, blank.column, noisy, target, **said)


def _parameter(model, name: str) -> FitParameter:
    owner, _, quantity = name.rpartition(":")
    short = [path.partition(":")[0].rpartition("/")[2] for path in model.dof]
    links = [path.rpartition("/")[2] for path in model.link if path]
    column = -1 if not owner else short.index(owner) if owner in short else links.index(owner)
    return FitParameter(name, quantity, column, 0.0, 1.0, -np.inf, np.inf, "")


def dofs() -> tuple[str, ...]:
    """Names of the arm's degrees of freedom."""
    return compile(arm()).dof


__all__ = ["DT", "arm", "dofs", "fajin", "fourier", "record"]

USD = """#usda 1.0
(
    defaultPrim = "arm"
    metersPerUnit = {metres}
    kilogramsPerUnit = {kilograms}
    upAxis = "Z"
)
def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"])
{{
    uniform token physxScene:solverType = "PGS"
    uint physxScene:timeStepsPerSecond = 500
}}
def Xform "arm" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{{
    def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {{
        float physics:mass = {mass}
        float3 physics:diagonalInertia = ({moment}, {moment}, {moment})
    }}
    def PhysicsFixedJoint "anchor"
    {{
        rel physics:body1 = </arm/base>
    }}
{links}
}}
"""
LINK = """
    def Xform "link{i}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {{
        double3 xformOp:translate = ({at}, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        float physics:mass = {mass}
        point3f physics:centerOfMass = ({com}, 0, 0)
        float3 physics:diagonalInertia = ({moment}, {moment}, {half})
    }}
    def PhysicsRevoluteJoint "joint{i}" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
    {{
        rel physics:body0 = </arm/{parent}>
        rel physics:body1 = </arm/link{i}>
        uniform token physics:axis = "Y"
        point3f physics:localPos0 = ({pivot}, 0, 0)
        float drive:angular:physics:stiffness = {stiffness}
        float drive:angular:physics:damping = {damping}
        float drive:angular:physics:maxForce = {effort}
    }}
"""


def write_arm(path, metres: float = 1.0, kilograms: float = 1.0) -> None:
    """Write the arm of `fit.arm` in a stage's units."""
    torque = kilograms * metres**2
    links = "".join(
        LINK.format(
            i=i, at=0.5 * i / metres, com=0.25 / metres, mass=mass / kilograms, moment=0.02 * mass / torque,
            half=0.01 * mass / torque, parent=f"link{i - 1}" if i else "base", pivot=(0.5 if i else 0.0) / metres,
            stiffness=np.radians(300.0) / torque, damping=np.radians(20.0) / torque, effort=100.0 / torque,
        )
        for i, mass in enumerate((2.0, 1.0))
    )  # fmt: skip
    path.write_text(
        USD.format(metres=metres, kilograms=kilograms, mass=1.0 / kilograms, moment=0.1 / torque, links=links)
    )
