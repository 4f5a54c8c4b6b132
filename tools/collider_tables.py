"""Tables of `fajin inspect` about contacts: shapes of bodies, and materials."""

from collections import Counter
from typing import Any

from .table import number, table


def shapes(scene: Any) -> Any:
    """Return one row per body with colliders: its shapes, their material, and how many pairs it may be in."""
    from fajin.model.collision_pairs import collision_pairs

    result = table("Colliders", 2, "body", "shapes", "contact\noffset [m]", "rest\noffset [m]", "material", "pairs")
    numbers = material_numbers(scene)
    in_pairs = Counter(collision_pairs(scene).ravel().tolist())
    bodies: dict[str, list[int]] = {}
    for i, collider in enumerate(scene.colliders):
        bodies.setdefault(collider.body, []).append(i)
    for body, places in bodies.items():
        owned = [scene.colliders[i] for i in places]
        kinds = Counter(collider.kind.name.lower().replace("_", " ") for collider in owned)
        offsets = (bounds([getattr(c, f"{which}_offset") for c in owned]) for which in ("contact", "rest"))
        materials = ", ".join(str(number) for number in sorted({numbers[c.material] for c in owned}))
        text = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        result.add_row(body or "world", text, *offsets, materials, str(sum(in_pairs[i] for i in places)))
    return result


def contact_materials(scene: Any) -> Any:
    """Return one row per contact material."""
    columns = (
        "static\nfriction",
        "dynamic\nfriction",
        "restitution",
        "stiffness\n[N/m | 1/s²]",
        "damping\n[N·s/m | 1/s]",
    )
    result = table("Contact materials", 2, "number", "friction, restitution\ncombined by", *columns)
    for material, place in material_numbers(scene).items():
        modes = f"{material.friction_combine.name.lower()}, {material.restitution_combine.name.lower()}"
        friction = material.static_friction, material.dynamic_friction, material.restitution
        values = (*friction, material.stiffness, material.damping)
        result.add_row(str(place), modes, *map(number, values))
    return result


def material_numbers(scene: Any) -> dict[Any, int]:
    """Return a number for each contact material, in the order of the colliders."""
    return {material: i for i, material in enumerate(dict.fromkeys(c.material for c in scene.colliders))}


def bounds(values: list[float]) -> str:
    """Return the smallest and the largest of some numbers, or one number if they are equal."""
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{low} … {high}"
