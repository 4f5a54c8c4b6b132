"""Items of a scene that equal others but for their paths and the poses of links, as short descriptions for JSON.

    {"copy": k, "from": "/World/envs/env_0", "to": "/World/envs/env_7", "poses": [[position, orientation], …]}

is item k with every path below `from` as one below `to`, and with these poses of its links, if it has any. A thousand
robots of one file take the room of their poses.
"""

from collections import defaultdict
from dataclasses import is_dataclass
from math import copysign
from typing import Any

from .articulation import Articulation
from .collider import Collider
from .frame import Pose
from .renaming import Maker, Renaming, changed, pattern
from .scene import Diagnostic

KINDS = (Articulation, Collider, Diagnostic)
"""Types of items that may be copies."""
TRIED = 8
"""Most items with which an item of their name is compared."""
MOST_PARTS, MOST_LETTERS = 1 << 22, 1 << 28
"""Most links and joints of all copies in a file, and most letters of their paths."""


class CopyFinder:
    """Items that are copies of earlier ones."""

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[int, Any]]] = defaultdict(list)
        self._renamings: dict[str, Renaming] = {}

    def find(self, number: int, item: Any) -> dict[str, Any] | None:
        """Return the description of an item as a copy of an earlier one; None, and remember it, if it is not a copy."""
        path = path_of(item)
        known = self._known[path.rpartition("/")[2].rstrip("0123456789")]
        for earlier, other in known:
            old, new = different_ends(path_of(other), path)
            if old and new:
                renaming = self._renamings.setdefault(old, Renaming.below(old))
                poses = poses_of(item)
                copy = renaming.renamed(other, new)
                if len(poses_of(copy)) == len(poses) and identical(placed(copy, poses), item):
                    said = {"copy": earlier, "from": old, "to": new}
                    return said | ({"poses": poses} if poses else {})
        if len(known) < TRIED:
            known.append((number, item))
        return None


class CopyMaker:
    """Copies of items by their descriptions, which may be hostile: a short text must not become a large scene."""

    def __init__(self) -> None:
        self._makers: dict[tuple[int, str], tuple[Maker | None, int, int]] = {}
        self._originals: dict[int, Any] = {}
        self._parts = self._letters = 0

    def keep(self, number: int, item: Any) -> None:
        """Keep an item that is not a copy itself; only such items have copies."""
        self._originals[number] = item

    def make(self, number: int, ends: tuple[str, str], poses: tuple[Pose, ...]) -> Any:
        """Return the copy of one of the items that were kept.

        Raises:
            KeyError, ValueError: an item is missing or has another number of links, or copies have too many parts.
        """
        item, (old, new) = self._originals[number], ends
        if (number, old) not in self._makers:
            self._makers[number, old] = _counted(item, old)
        make, named, letters = self._makers[number, old]
        self._letters += letters + named * len(new)
        self._parts += len(item.links) + len(item.joints) if isinstance(item, Articulation) else 0
        if self._parts > MOST_PARTS or self._letters > MOST_LETTERS:
            raise ValueError(f"copies: must have at most {MOST_PARTS} links and joints with {MOST_LETTERS} letters")
        return placed(make(new) if make else item, poses)


def _counted(item: Any, old: str) -> tuple[Maker | None, int, int]:
    """Return the function that makes an item's copies, how often texts name the path, and their letters."""
    split, named, letters = pattern(old).split, 0, 0

    def counted(text: str) -> list[str]:
        nonlocal named, letters
        pieces = split(text)
        named, letters = named + len(pieces) - 1, letters + len(text) * (len(pieces) > 1)
        return pieces

    make = Renaming(counted).maker(item)
    return make, named, letters


def path_of(item: Any) -> str:
    """Return the path of the prim that an item describes."""
    return item.prim if isinstance(item, Diagnostic) else item.path


def poses_of(item: Any) -> tuple[Pose, ...]:
    """Return the poses of an item's links."""
    return tuple(link.pose for link in item.links) if isinstance(item, Articulation) else ()


def placed(item: Any, poses: tuple[Pose, ...]) -> Any:
    """Return an item with these poses of its links."""
    if not isinstance(item, Articulation):
        return item
    links = [changed(link, {"pose": pose}) for link, pose in zip(item.links, poses, strict=True)]
    return changed(item, {"links": tuple(links)})


def different_ends(one: str, other: str) -> tuple[str, str]:
    """Return two paths without the names at their ends that are equal; both are "" if one would be."""
    ones, others = one.split("/"), other.split("/")
    same = 0
    while same < min(len(ones), len(others)) and ones[-1 - same] == others[-1 - same]:
        same += 1
    old, new = ("/".join(names[: len(names) - same]) for names in (ones, others))
    return (old, new) if old and new else ("", "")


def identical(one: Any, other: Any) -> bool:
    """Return whether two values are equal, with their types and the signs of their zeros."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return one == other and copysign(1.0, one) == copysign(1.0, other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(x is y or identical(x, y) for x, y in zip(one, other, strict=True))
    if is_dataclass(one):
        values = vars(other)
        return all(value is values[name] or identical(value, values[name]) for name, value in vars(one).items())
    return one == other
