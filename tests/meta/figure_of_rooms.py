"""Figure of the rooms of the house, drawn from the imports of every file.

    python tests/meta/figure_of_rooms.py > docs/rooms.svg

A room is a folder or a file of `engine/`, or of `engine/visual/`. It stands above all rooms that it imports, as low as
it can. An arrow goes down to a room that no other arrow's way leads to. The right half has the parts of
`physics/contacts`.
"""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "support")]

from meta.house import FILES, imported, module, tree  # noqa: E402

Rooms = dict[str, set[str]]
"""What each room imports, by name."""

WIDTH, HEIGHT, GAP, STOREY = 92, 22, 10, 54  # [px]


def room(name: str) -> str:
    """Return the room of a module by its full name; "" outside of them, and for the package itself."""
    parts = name.split(".")[1:]
    depth = 2 if parts[:1] == ["visual"] else 1
    return ".".join(parts[:depth]) if len(parts) > depth and parts[0] != "__main__" else ""


def part(name: str) -> str:
    """Return the part of `physics.contacts` that a module lies in, by its full name."""
    parts = name.split(".")
    return parts[3] if parts[1:3] == ["physics", "contacts"] and len(parts) > 3 else ""


def rooms(place_of: Callable[[str], str]) -> Rooms:
    """Return which places import which."""
    found: Rooms = {}
    for file in FILES:
        here = place_of(f"{module(file)}.")
        if here:
            there = {place_of(f"{name}.") for name in imported(tree(file), file)}
            found.setdefault(here, set()).update(there - {here, ""})
    return {here: there & found.keys() for here, there in sorted(found.items())}


def storeys(house: Rooms) -> list[list[str]]:
    """Return the rooms of each storey, from the ground up.

    Raises:
        ValueError: rooms import each other.
    """
    left, below, floors = dict(house), set(), []
    while left:
        floor = [name for name, there in left.items() if there <= below]
        if not floor:
            raise ValueError(f"{', '.join(left)}: must not import each other")
        floors.append(floor)
        below.update(floor)
        left = {name: there for name, there in left.items() if name not in below}
    return floors


def direct(house: Rooms) -> Iterable[tuple[str, str]]:
    """Return the imports that follow from no others: (room, imported room)."""
    reach: Rooms = {}
    for name in (name for floor in storeys(house) for name in floor):
        reach[name] = house[name].union(*(reach[there] for there in house[name]))
        for there in sorted(house[name]):
            if not any(there in reach[other] for other in house[name]):
                yield name, there


def places(house: Rooms, left: float) -> dict[str, tuple[float, float]]:
    """Return the corner of each room [px], each about above those that it imports."""
    floors = storeys(house)
    across = max(map(len, floors)) * (WIDTH + GAP)
    found: dict[str, tuple[float, float]] = {}
    for level, floor in enumerate(floors):
        middle = {name: sum(found[there][0] for there in house[name]) / max(1, len(house[name])) for name in floor}
        step = across / len(floor)
        for i, name in enumerate(sorted(floor, key=lambda name: (middle[name], name))):
            found[name] = left + step * (i + 0.5) - WIDTH / 2, (len(floors) - 1 - level) * STOREY
    return found


def drawn(house: Rooms, left: float) -> Iterable[str]:
    """Return the elements of one house: arrows, then rooms."""
    at = places(house, left)
    for above, below in direct(house):
        x0, y0, x1, y1 = at[above][0] + WIDTH / 2, at[above][1] + HEIGHT, at[below][0] + WIDTH / 2, at[below][1]
        yield f'<path d="M{x0:.0f} {y0:.0f} C{x0:.0f} {y0 + 16:.0f} {x1:.0f} {y1 - 16:.0f} {x1:.0f} {y1:.0f}"/>'
    for name, (x, y) in at.items():
        yield f'<rect x="{x:.0f}" y="{y:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="3"/>'
        yield f'<text x="{x + WIDTH / 2:.0f}" y="{y + 15:.0f}">{name}</text>'


def figure() -> str:
    """Return the figure as SVG."""
    engine, contacts = rooms(room), rooms(part)
    halves = [max(map(len, storeys(house))) * (WIDTH + GAP) for house in (engine, contacts)]
    tall = max(len(storeys(house)) for house in (engine, contacts)) * STOREY
    style = "svg{background:#fff}path{fill:none;stroke:#8aa}rect{fill:#eef4f4;stroke:#577}"
    style += "text{font:11px sans-serif;text-anchor:middle}"
    body = [*drawn(engine, 0.0), *drawn(contacts, halves[0] + 4 * GAP)]
    size = f'viewBox="-4 -4 {sum(halves) + 4 * GAP + 8} {tall}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', f"<style>{style}</style>", *body, "</svg>\n"])


if __name__ == "__main__":
    sys.stdout.write(figure())
