"""Checks of a scene's settings, which a file or a program may have set to any number."""

from math import inf

from ..scene import InvalidScene, Scene
from ..scene.articulation import MOST_ITERATIONS

POSITIVE = ("dt", "fps", "meters_per_unit", "kilograms_per_unit")
PRECISIONS = ("f32", "f64")


def check_settings(scene: Scene) -> None:
    """Raise InvalidScene for a setting that no simulation has, such as a step of 0 or 10⁹ iterations."""
    for name in POSITIVE:
        if not 0.0 < getattr(scene, name) < inf:
            raise InvalidScene("", name, getattr(scene, name), "positive and finite", "give such a number")
    if not 0.0 <= scene.duration < inf:
        raise InvalidScene("", "duration", scene.duration, "finite and not negative", "give such a number of seconds")
    if not all(-inf < number < inf for number in scene.gravity):
        raise InvalidScene("", "gravity", scene.gravity, "finite", "give three finite numbers")
    if scene.precision not in PRECISIONS:
        raise InvalidScene("", "precision", scene.precision, f"one of {', '.join(PRECISIONS)}", "choose one of these")
    for robot in scene.articulations:
        for name, least in (("position_iterations", 1), ("velocity_iterations", 0)):
            count = getattr(robot, name)
            if not least <= count <= MOST_ITERATIONS:
                rule = f"a whole number from {least} to {MOST_ITERATIONS}"
                raise InvalidScene(robot.path, name, count, rule, "give such a number")
