"""Tables of robots with copies: their number, and the numbers in which copies differ from the first one."""

from dataclasses import replace
from typing import Any

from .table import number, table


def first_of_kinds(scene: Any, kinds: list) -> Any:
    """Return a scene with the first robot of each kind, and what belongs to these robots or to the world."""
    if len(kinds) == len(scene.articulations):
        return scene
    links = {link.path for kind in kinds for link in kind.first.links}
    return replace(
        scene,
        articulations=tuple(kind.first for kind in kinds),
        joints=tuple(joint for joint in scene.joints if links & {joint.body0, joint.body1}),
        colliders=tuple(collider for collider in scene.colliders if collider.body in {"", *links}),
    )


def copy_counts(kinds: list) -> Any:
    """Return one row per robot with copies, whose tables follow for all of them."""
    result = table("Copies", 1, "prim", "robots of this kind")
    for kind in kinds:
        if kind.count > 1:
            result.add_row(kind.first.path, f"{kind.count:,}")
    return result


def copy_differences(kinds: list) -> Any:
    """Return one row per number in which a copy differs."""
    result = table("Differences of copies", 2, "prim", "quantity", "value", "of the first")
    for kind in kinds:
        for each in kind.differences:
            result.add_row(each.prim, each.quantity, value_text(each.value), value_text(each.first))
    return result


def value_text(value: Any) -> str:
    """Return numbers as text."""
    return ", ".join(map(value_text, value)) if isinstance(value, tuple) else number(value)
