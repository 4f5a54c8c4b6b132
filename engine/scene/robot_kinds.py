"""Kinds of robots in a scene: robots that equal the first of their kind but for paths, places and some numbers."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, is_dataclass
from enum import Enum
from typing import Any

from .articulation import Articulation
from .axis import Axis
from .copied_items import different_ends, identical, placed, poses_of
from .renaming import Renaming, pattern

COMPARED = 8
"""Most kinds with which a robot of as many links and joints is compared."""


@dataclass(frozen=True)
class Difference:
    """A number of a robot that differs from that of the first of its kind."""

    prim: str
    quantity: str  # names of fields, such as drive.stiffness
    value: Any
    first: Any


@dataclass
class RobotKind:
    """Robots of equal structure."""

    first: Articulation
    count: int = 1
    differences: list[Difference] = field(default_factory=list)


class Unlike(Exception):
    """Two robots differ in more than numbers."""


def find_kinds(articulations: Iterable[Articulation]) -> list[RobotKind]:
    """Return the kinds of robots, in the order of their first ones."""
    kinds: list[RobotKind] = []
    alike: dict[tuple, list[RobotKind]] = defaultdict(list)
    renamings: dict[str, Renaming] = {}
    for robot in articulations:
        key = robot.free, robot.fixed_base, len(robot.links), len(robot.joints)
        for kind in alike[key][:COMPARED]:
            try:
                kind.differences += _compared(kind.first, robot, renamings)
            except Unlike:
                continue
            kind.count += 1
            break
        else:
            kinds.append(RobotKind(robot))
            alike[key].append(kinds[-1])
    return kinds


def _compared(first: Articulation, robot: Articulation, renamings: dict[str, Renaming]) -> list[Difference]:
    """Return the numbers in which a robot differs from another one; raise Unlike if anything else differs."""
    old, new = different_ends(first.path, robot.path)
    if not old:
        raise Unlike
    renaming = renamings.setdefault(old, Renaming(pattern(old).split))
    return list(_differences(placed(renaming.renamed(first, new), poses_of(robot)), robot, robot.path, ""))


def _differences(first: Any, value: Any, prim: str, name: str) -> Iterator[Difference]:
    """Yield the numbers in which two values of one type differ."""
    if identical(first, value):
        return
    if type(first) is not type(value) or isinstance(value, str | bool | Enum):
        raise Unlike
    if is_dataclass(value):
        prim = getattr(value, "path", prim) + (f":{value.token}" if isinstance(value, Axis) else "")
        for one, number in vars(value).items():
            yield from _differences(getattr(first, one), number, prim, f"{name}.{one}" if name else one)
    elif isinstance(value, tuple) and value and (is_dataclass(value[0]) or len(first) != len(value)):
        if len(first) != len(value):
            raise Unlike
        for one, other in zip(first, value, strict=True):
            yield from _differences(one, other, prim, "")
    else:
        yield Difference(prim, name, value, first)
