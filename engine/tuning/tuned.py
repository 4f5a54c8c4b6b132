"""Joints of a robot with the gains that give each its wanted motion."""

from dataclasses import dataclass, replace

import numpy as np

from ..model.model import compile
from ..scene import Axis, DriveType, Scene, invalid_pattern
from ..selection import match_columns
from ..tables.topology import TABLES
from .effective_inertia import InertiaProbe
from .gains import Untunable, gains
from .plant import Gains, Plant, oscillation
from .worst_pose import extreme_poses

POSES = 128  # number of poses evaluated at once in the search for extreme poses


@dataclass(frozen=True)
class TuningSpec:
    """The wanted motion of joints: natural frequency [rad/s], damping ratio, pose and treatment of other joints."""

    natural_frequency: float
    damping_ratio: float
    worst: bool = False  # in the pose of largest inertia, else in the initial pose
    held: bool = True  # with the other joints held, else with them free
    type: DriveType | None = None  # None: the drive's own type; force for a joint without drive


@dataclass(frozen=True)
class TunedJoint:
    """One degree of freedom with its gains."""

    name: str  # "/robot/elbow:rotZ"
    robot: int  # its articulation in the scene
    axis: Axis
    plant: Plant
    gains: Gains
    pose: dict[str, float]  # pose in which it was tuned, by degree of freedom [rad | m]
    lightest: Plant  # in the pose of least inertia if tuned with `worst`, else `plant`

    @property
    def wanted(self) -> tuple[float, float]:
        """Natural frequency [rad/s] and damping ratio in the tuned pose."""
        return oscillation(self.plant, self.gains)

    @property
    def at_lightest(self) -> tuple[float, float]:
        """Natural frequency [rad/s] and damping ratio in the pose of least inertia."""
        return oscillation(self.lightest, self.gains)


def tune(scene: Scene, pattern: str, wish: TuningSpec) -> list[TunedJoint]:
    """Return the gains of all degrees of freedom that match a regular expression, at the scene's step and solver.

    Args:
        scene: a scene; it is not changed.
        pattern: matches "/arm/elbow:rotZ", "/arm/elbow", "elbow" or "elbow:rotZ".
        wish: the wanted motion.

    Raises:
        InvalidScene: no degree of freedom of an articulation matches, or a mimic follower does.
        Untunable: no gains give that motion at the scene's step; the message names the joint.
    """
    axes = {
        f"{joint.path}:{axis.token}": (index, axis)
        for index, robot in enumerate(scene.articulations)
        for joint in robot.joints
        for axis in joint.axes
    }
    try:
        chosen = [list(axes)[i] for i in match_columns(pattern, list(axes), "dof")]
    except KeyError as error:
        raise invalid_pattern(pattern, error) from None
    found = []
    for index in sorted({axes[name][0] for name in chosen}):
        names = [name for name in chosen if axes[name][0] == index]
        found += _tune_robot(scene, index, {name: axes[name][1] for name in names}, wish)
    return found


def alone(scene: Scene, robot: int) -> Scene:
    """Return the scene of one articulation, without time samples; the whole scene if maximal joints may connect it."""
    if scene.joints:
        return replace(scene, signals=())
    return replace(scene, articulations=(scene.articulations[robot],), signals=())


def _tune_robot(scene: Scene, index: int, axes: dict[str, Axis], wish: TuningSpec) -> list[TunedJoint]:
    names, path = list(axes), scene.articulations[index].path
    iterations = _iterations(scene, path)
    scene = alone(scene, index)
    scales = InertiaProbe(scene, path, POSES if wish.worst else 1, wish.held)
    start = np.asarray(scales.sim.q)[:1, scales.columns]
    heavy = light = np.repeat(start, len(names), 0)
    if wish.worst:
        light, heavy = extreme_poses(scales, names)
    plants = [
        [_plant(scales, name, axes[name], pose, wish.type, iterations) for name, pose in zip(names, poses, strict=True)]
        for poses in (heavy, light)
    ]
    result = []
    for k, (name, plant, lightest) in enumerate(zip(names, *plants, strict=True)):
        try:
            found = gains(plant, wish.natural_frequency, wish.damping_ratio)
        except Untunable as error:
            raise Untunable(f"{name}: {error}") from None
        pose = dict(zip(scales.dof, heavy[k].tolist(), strict=True))
        result.append(TunedJoint(name, index, axes[name], plant, found, pose, lightest))
    return result


def _plant(
    scales: InertiaProbe,
    name: str,
    axis: Axis,
    pose: np.ndarray,
    wanted: DriveType | None,
    iterations: tuple[int, int],
) -> Plant:
    """Return the plant of a degree of freedom in a pose, for a wanted type of drive or the present one."""
    load = scales.weigh([name], pose[None]).at((0, 0))
    present = axis.drive.type if axis.drive and axis.drive.type != DriveType.NONE else DriveType.FORCE
    plant = Plant(scales.sim.dt, float(load.inertia), wanted or present, scales.sim.scene.solver, iterations)
    known = {name: float(getattr(load, name)) for name in ("free_inertia", "softness", "drag")}
    return replace(plant, viscous=axis.friction.viscous, **known)


def _iterations(scene: Scene, path: str) -> tuple[int, int]:
    """Return the position and velocity iterations of an articulation within its whole scene."""
    tables, at = compile(scene).tables, TABLES["ISLANDS"]
    articulation = [robot.path for robot in scene.articulations].index(path)
    members = tables["MEMBERS"][:, 0]
    island = next(
        row for row in tables["ISLANDS"] if articulation in members[row[at["MEMBER"]] : row[at["MEMBER_END"]]]
    )
    return int(island[at["POSITION_ITERATIONS"]]), int(island[at["VELOCITY_ITERATIONS"]])
