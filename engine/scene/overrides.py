"""Overrides of scene settings and drive gains; each function returns a new scene."""

import re
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from math import inf

from .articulation import MOST_ITERATIONS, Articulation
from .axis import Axis
from .drive import Drive, DriveType
from .invalid_scene import InvalidScene
from .joint import WORLD, Joint
from .scene import Scene, SolverType

FORM = "write it as elbow=100,10"
GAINS = ("stiffness", "damping", "max_force")


def with_settings(
    scene: Scene,
    dt: float | None = None,
    solver: str | None = None,
    position_iterations: int | None = None,
    velocity_iterations: int | None = None,
    drives: Iterable[str] = (),
) -> Scene:
    """Return the scene with these settings, each checked by the function of its name; None keeps the scene's."""
    scene = with_dt(scene, scene.dt if dt is None else dt)
    scene = with_solver(scene, solver) if solver else scene
    scene = with_iterations(scene, position_iterations, velocity_iterations)
    for text in drives:
        scene = with_drive(scene, text)
    return scene


def with_solver(scene: Scene, solver: str) -> Scene:
    """Return the scene with solver "pgs" or "tgs".

    Raises:
        InvalidScene: `solver` is neither "pgs" nor "tgs".
    """
    if solver.upper() not in SolverType.__members__:
        raise InvalidScene("", "solver", solver, "pgs or tgs", "give one of these")
    return replace(scene, solver=SolverType[solver.upper()])


def without_contacts(scene: Scene) -> Scene:
    """Return the scene without colliders."""
    return replace(scene, colliders=())


def with_iterations(scene: Scene, position: int | None = None, velocity: int | None = None) -> Scene:
    """Return the scene with these position and velocity iterations in every articulation; None keeps the file's.

    Raises:
        InvalidScene: fewer than 1 position or 0 velocity iterations, or more than 255.
    """
    for name, count, least in (("position", position, 1), ("velocity", velocity, 0)):
        if count is not None and not least <= count <= MOST_ITERATIONS:
            raise InvalidScene("", f"{name} iterations", count, f"{least} to {MOST_ITERATIONS}", "give such a number")
    given = {"position_iterations": position, "velocity_iterations": velocity}
    change = {name: count for name, count in given.items() if count is not None}
    return replace(scene, articulations=tuple(replace(item, **change) for item in scene.articulations))


def with_dt(scene: Scene, dt: float) -> Scene:
    """Return the scene with time step dt [s].

    Raises:
        InvalidScene: dt is not positive and finite.
    """
    if not 0.0 < dt < inf:
        raise InvalidScene("", "dt", dt, "positive and finite", "give such a step, usually 1/120")
    return replace(scene, dt=dt)


def with_base(scene: Scene, fixed: bool) -> Scene:
    """Return the scene with the root links of all articulations fixed to the world where they start, or floating.

    Raises:
        InvalidScene: no articulation has a base that can be changed: joints with axes connect it to the world.
    """

    def changed(robot: Articulation) -> Articulation:
        anchored = any(WORLD in (joint.body0, joint.body1) for joint in robot.joints)
        return robot if robot.free or anchored else replace(robot, fixed_base=fixed)

    articulations = tuple(map(changed, scene.articulations))
    if not any(robot.fixed_base == fixed and not robot.free for robot in articulations):
        word = "fixed" if fixed else "floating"
        raise InvalidScene("", "base", word, "that of an articulation without joints to the world", "leave it out")
    return replace(scene, articulations=articulations)


def with_drive(scene: Scene, text: str) -> Scene:
    """Return the scene with new gains on joints selected by "REGEX=stiffness,damping[,max_force]", in SI and radians.

    REGEX must match a joint's whole name, its whole path, or either with ":" and an axis token. A drive keeps its type
    and its targets, and its maximum force unless the text contains one. An axis without a drive gets a force drive to
    0.

    Raises:
        InvalidScene: the text does not have this form, a gain is negative, or no joint matches.
    """
    pattern, gains = _parse(text)
    names = [f"{joint.path}:{axis.token}" for joint in _joints(scene) for axis in joint.axes]
    chosen = {name for name in names if _matches(pattern, name)}
    if not chosen:
        raise InvalidScene("", "drive", text, "a pattern that matches a joint", _near(pattern.pattern, names))
    return with_gains(scene, dict.fromkeys(chosen, gains))


def with_gains(scene: Scene, gains: dict[str, dict]) -> Scene:
    """Return the scene with new `Drive` fields, in SI, by degree of freedom; they replace time samples."""
    articulations = tuple(_driven(item, gains) for item in scene.articulations)
    signals = tuple(item for item in scene.signals if item.parameter not in gains.get(item.dof, ()))
    return replace(scene, articulations=articulations, signals=signals)


def _parse(text: str) -> tuple[re.Pattern, dict[str, float]]:
    regex, equals, numbers = text.rpartition("=")
    try:
        values = [float(number) for number in numbers.split(",")]
        pattern = re.compile(regex)
    except (ValueError, re.error) as error:
        raise InvalidScene("", "drive", text, f"REGEX=stiffness,damping[,max_force] ({error})", FORM) from None
    if not equals or len(values) not in (2, 3):
        raise InvalidScene("", "drive", text, "REGEX=stiffness,damping[,max_force]", FORM)
    gains: dict[str, float] = dict(zip(GAINS, values, strict=False))
    for name, value in gains.items():
        if not (0.0 <= value < inf or (name == "max_force" and value == inf)):
            raise InvalidScene(
                "", "drive", text, f"a text whose {name} is finite and not negative", "give such a number"
            )
    return pattern, gains


def _joints(scene: Scene) -> list[Joint]:
    return [joint for articulation in scene.articulations for joint in articulation.joints]


def _matches(pattern: re.Pattern, name: str) -> bool:
    path, _, token = name.rpartition(":")
    short = path.rpartition("/")[2]
    return any(pattern.fullmatch(word) for word in (short, path, f"{short}:{token}", name))


def _near(regex: str, names: list[str]) -> str:
    short = list(dict.fromkeys(name.rpartition(":")[0].rpartition("/")[2] for name in names))
    near = get_close_matches(regex, short, n=5, cutoff=0.5) or get_close_matches(regex, names, n=5, cutoff=0.5)
    return f"did you mean {', '.join(near)}?" if near else f"the joints are {', '.join(short)}"


def _driven(articulation: Articulation, gains: dict[str, dict]) -> Articulation:
    def driven(joint: Joint, axis: Axis) -> Axis:
        name = f"{joint.path}:{axis.token}"
        if name not in gains:
            return axis
        drive = axis.drive if axis.drive and axis.drive.type != DriveType.NONE else Drive()
        return replace(axis, drive=replace(drive, **gains[name]))

    joints = (replace(joint, axes=tuple(driven(joint, axis) for axis in joint.axes)) for joint in articulation.joints)
    return replace(articulation, joints=tuple(joints))
