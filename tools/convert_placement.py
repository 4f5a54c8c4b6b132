"""Lines of `fajin convert` about where the robot begins: ground, base, masses, contacts between links."""

from collections.abc import Iterable
from typing import Any

from .table import number

NAMED = 3  # number of joints named in a line
RESOLUTION = 1e-6  # [rad | m] of poses in messages
BEGINS = {  # field of `placed`: what became of the links or joints that it lists
    "light": "no mass in the file; 1 g, where PhysX would take 1 kg",
    "spread": "no moments of inertia in the file; those of their colliders",
    "speeds": "a speed limit of 0 in the file, which would lock them: removed",
    "within": "begin at the limit that is nearest to 0",
    "made": "colliders from the shapes that are drawn",
}


def placed(done: Any) -> list[str]:
    """Return one line each for the ground, the base and contacts between links."""
    result = []
    if "height" in done.placed:
        high, plane = height(done.placed["height"]), done.placed["plane"]
        word = "fixed to the world" if done.placed["fixed"] else "floats, as nothing fixes it to a world"
        base = f"{word}; {high} m high, where the lowest collider touches the ground"
        below = f"{height(done.placed['below'])} m" if done.placed["below"] else "0"
        result += [
            f"  ground: a plane at height {below}, with friction 1"
            if plane is None
            else f"  ground: the file's plane at height {number(plane)} m",
            f"  base: {f'hangs on joints of the world, {high} m high' if done.placed['hung'] else base}",
        ]
        if done.placed.get("turned"):
            result.append(
                f"  base: turned, as the robot stands on its feet if the file's {done.placed['turned']} axis is up"
            )
        if done.placed.get("casters"):
            result.append(f"  {named(done.placed['casters'])}: slides beside the wheels, without friction, as a caster")
        if done.placed.get("polygons"):
            rim = "wheels of hulls, whose corners slip by some per cent: --cylinder-wheels makes them round"
            result.append(f"  {named(done.placed['polygons'])}: {rim}")
        if done.placed.get("cylinders"):
            result.append(f"  {named(done.placed['cylinders'])}: roll on cylinders instead of hulls")
        if "iterations" in done.placed:
            result.append(
                f"  solver: {done.placed['iterations']} position iterations, with which drives hold light feet"
            )
    result += [f"  {named(done.placed[key])}: {what}" for key, what in BEGINS.items() if done.placed.get(key)]
    if done.placed["fall"]:
        result.append(f"  does not stand: {done.placed['fall']}")
    if done.collide is not None:
        word, other = ("collide", "--off") if done.collide else ("do not collide", "--on")
        many = done.placed["overlapping"]
        word += f", as {plural(many, 'pair')} of them {'overlaps' if many == 1 else 'overlap'}" if many else ""
        result.append(f"  links of the robot {word}: fajin author self-collisions {other} changes it")
    return result


def named(joints: Iterable[str]) -> str:
    """Return the names of a few joints, or a name and the number of further ones."""
    names = [joint.rpartition("/")[2] for joint in joints]
    return ", ".join(names) if len(names) <= NAMED else f"{names[0]} and {len(names) - 1} more"


def position(value: float) -> str:
    """Return a position or height; 0 for round-off."""
    return number(value if abs(value) > RESOLUTION else 0.0)


def height(value: float) -> str:
    """Return a height, rounded to 10 micrometres: the gap between a ground and what is put on it is not shown."""
    return number(round(value, 5))


def plural(count: int, noun: str) -> str:
    """Return a number with its noun in singular or plural."""
    first, _, rest = noun.partition(" ")
    return f"{count} {noun if count == 1 else f'{first}s {rest}'.rstrip()}"
