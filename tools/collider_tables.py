"""Tables of `fajin inspect` about contacts: shapes of bodies, and materials."""

from collections import Counter
from typing import Any

from .cli_units import angle_unit, shown_angle
from .table import number, table


def shapes(scene: Any) -> Any:
    """Return one row per body with colliders: its shapes, their material, and how many pairs it may be in."""
    import numpy as np

    from fajin.model.collision_pairs import partners

    every = np.arange(len(scene.colliders))
    in_pairs = np.zeros(len(every), int)
    for i, others in enumerate(partners(scene, every)):
        in_pairs[i] += len(others)
        in_pairs[others] += 1
    title = f"Colliders; pairs that may touch: {in_pairs.sum() // 2}"
    result = table(title, 2, "body", "shapes", "contact\noffset [m]", "rest\noffset [m]", "material", "pairs")
    numbers = material_numbers(scene)
    bodies: dict[str, list[int]] = {}
    for i, collider in enumerate(scene.colliders):
        bodies.setdefault(collider.body, []).append(i)
    for body, places in bodies.items():
        owned = [scene.colliders[i] for i in places]
        kinds = Counter(collider.kind.name.lower().replace("_", " ") for collider in owned)
        offsets = (extremes([getattr(c, f"{which}_offset") for c in owned]) for which in ("contact", "rest"))
        materials = ", ".join(str(number) for number in sorted({numbers[c.material] for c in owned}))
        text = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        result.add_row(body or "world", text, *offsets, materials, str(sum(in_pairs[i] for i in places)))
    return result


def surfaces(scene: Any) -> Any:
    """Return one row per body whose contacts have a surface velocity or a slop, or are found ahead."""
    columns = "prim", "surface velocity\n[m/s]", f"surface angular velocity\n[{angle_unit()}/s]", "axes", "slop [m]"
    result = table("Surfaces of bodies", 1, *columns, "contacts")
    for link in (link for a in scene.articulations for link in a.links):
        velocity = ["", "", ""]
        if surface := link.surface_velocity:
            linear, spin = map(number, surface.linear), (number(shown_angle(x, True)) for x in surface.angular)
            velocity = [", ".join(linear), ", ".join(spin), "body" if surface.local else "world"]
        kind = ", ".join(["speculative"] * link.speculative_ccd + ["swept"] * link.ccd)
        if surface or link.contact_slop or kind:
            result.add_row(link.path, *velocity, number(link.contact_slop), kind)
    return result


def contact_materials(scene: Any) -> Any:
    """Return one row per contact material."""
    columns = "no.", "static, dynamic\nfriction", "combined", "restitution", "combined", "stiffness, damping"
    result = table("Contact materials", len(columns), *columns)
    for material, place in material_numbers(scene).items():
        friction = f"{number(material.static_friction)}, {number(material.dynamic_friction)}"
        modes = (mode.name.lower() for mode in (material.friction_combine, material.restitution_combine))
        of_friction, of_restitution = modes
        spring = spring_of(material) if material.stiffness else "rigid"
        result.add_row(str(place), friction, of_friction, number(material.restitution), of_restitution, spring)
    return result


def spring_of(material: Any) -> str:
    """Return stiffness and damping of a compliant material with their units."""
    units = ("1/s²", "1/s") if material.acceleration_spring else ("N/m", "N·s/m")
    return f"{number(material.stiffness)} {units[0]}, {number(material.damping)} {units[1]}"


def material_numbers(scene: Any) -> dict[Any, int]:
    """Return a number for each contact material, in the order of the colliders."""
    return {material: i for i, material in enumerate(dict.fromkeys(c.material for c in scene.colliders))}


def extremes(values: list[float]) -> str:
    """Return the smallest and the largest of some numbers, or one number if they are equal."""
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{low} … {high}"
