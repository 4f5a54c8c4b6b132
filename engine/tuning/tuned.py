"""The joints of a robot, each with the gains that give it the motion that is wanted."""

from dataclasses import dataclass, replace

import numpy as np

from ..model.compilation import compile
from ..scene import Axis, DriveType, InvalidScene, Scene
from ..selection import match_columns
from ..tables.topology import TABLES
from .effective_inertia import InertiaProbe
from .gains import Untunable, gains
from .plant import Gains, Plant, oscillation
from .worst_pose import extreme_poses

POSES = 128  # weighed at once where the heaviest is looked for


@dataclass(frozen=True)
class TuningSpec:
    """How joints should move: a natural frequency [rad/s], a damping ratio, and where and beside what."""

    natural_frequency: float
    damping_ratio: float
    worst: bool = False  # in the pose where the joint has most to move, else at the initial one
    held: bool = True  # while the other joints hold still, else while they are free
    type: DriveType | None = None  # None: as it is; force where there is no drive


@dataclass(frozen=True)
class TunedJoint:
    """One degree of freedom with its gains."""

    name: str  # "/robot/elbow:rotZ"
    robot: int  # its articulation in the scene
    axis: Axis
    plant: Plant
    gains: Gains
    pose: dict[str, float]  # by degree of freedom, in which it was tuned [rad | m]
    lightest: Plant  # in the pose where it has least to move, if the heaviest was looked for; else `plant`

    @property
    def wanted(self) -> tuple[float, float]:
        """Natural frequency [rad/s] and damping ratio where it was tuned."""
        return oscillation(self.plant, self.gains)

    @property
    def at_lightest(self) -> tuple[float, float]:
        """Natural frequency [rad/s] and damping ratio where it has least to move."""
        return oscillation(self.lightest, self.gains)


def tune(scene: Scene, pattern: str, wish: TuningSpec) -> list[TunedJoint]:
    """The gains of all degrees of freedom that a regular expression names, at the scene's step and solver.

    Args:
        scene: a scene; nothing in it changes.
        pattern: fits "/arm/elbow:rotZ", "/arm/elbow", "elbow" or "elbow:rotZ".
        wish: how they should move.

    Raises:
        InvalidScene: no degree of freedom of an articulation fits, or one that follows another as a mimic joint.
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
        raise InvalidScene(f"joint pattern: {error.args[0]}") from None
    found = []
    for index in sorted({axes[name][0] for name in chosen}):
        names = [name for name in chosen if axes[name][0] == index]
        found += _tune_robot(scene, index, {name: axes[name][1] for name in names}, wish)
    return found


def alone(scene: Scene, robot: int) -> Scene:
    """The scene of one articulation, without time samples; all of it where joints may tie it to others."""
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
    plants = [_plants(scales, names, poses, (axes, wish, iterations)) for poses in (heavy, light)]
    result = []
    for k, (name, plant, lightest) in enumerate(zip(names, *plants, strict=True)):
        try:
            found = gains(plant, wish.natural_frequency, wish.damping_ratio)
        except Untunable as error:
            raise Untunable(f"{name}: {error}") from None
        pose = dict(zip(scales.dof, heavy[k].tolist(), strict=True))
        result.append(TunedJoint(name, index, axes[name], plant, found, pose, lightest))
    return result


def _plants(scales: InertiaProbe, names: list[str], poses: np.ndarray, given: tuple) -> list[Plant]:
    """What each degree of freedom moves in its own pose."""
    axes, wish, iterations = given
    plants = []
    for name, pose in zip(names, poses, strict=True):
        load, axis = scales.weigh([name], pose[None]).at((0, 0)), axes[name]
        present = axis.drive.type if axis.drive and axis.drive.type != DriveType.NONE else DriveType.FORCE
        plant = Plant(scales.sim.dt, float(load.inertia), wish.type or present, scales.sim.scene.solver, iterations)
        known = {name: float(getattr(load, name)) for name in ("free_inertia", "softness", "drag")}
        plants.append(replace(plant, viscous=axis.friction.viscous, **known))
    return plants


def _iterations(scene: Scene, path: str) -> tuple[int, int]:
    """Position and velocity iterations that an articulation makes beside all others of its scene."""
    tables, at = compile(scene).tables, TABLES["ISLANDS"]
    articulation = [robot.path for robot in scene.articulations].index(path)
    members = tables["MEMBERS"][:, 0]
    island = next(
        row for row in tables["ISLANDS"] if articulation in members[row[at["MEMBER"]] : row[at["MEMBER_END"]]]
    )
    return int(island[at["POSITION_ITERATIONS"]]), int(island[at["VELOCITY_ITERATIONS"]])
