# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes and limits of joints as lines in the frames of their bodies, from a document of `fajin inspect --json`.

A rotation has an arc from its lower to its upper limit in body 0, and a hand in body 1 that lies on the arc at the
joint's position. A translation has a bar with two ends, and a cross. This file does not import Blender.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin
from typing import Any

Vector = tuple[float, float, float]
STEPS = 24  # lines of a whole turn
AXES: dict[str, Vector] = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
NEXT = {"X": "Y", "Y": "Z", "Z": "X"}
AXIS, LIMIT, HAND = "axis", "limit", "hand"


@dataclass(frozen=True)
class Marker:
    """Lines of one kind in the frame of a body."""

    dof: str
    kind: str  # AXIS | LIMIT | HAND
    body: str  # prim of the link; "" for the world
    points: tuple[Vector, ...]  # [m]; two per line


def markers_of(joint: dict[str, Any], axis: dict[str, Any], size: float) -> list[Marker]:
    """Return the markers of a degree of freedom.

    Args:
        joint: a joint of the document.
        axis: one of its axes.
        size: length of an axis and radius of an arc [m].
    """
    letter, dof = axis["axis"][-1], axis["name"]
    along, first, second = AXES[letter], AXES[NEXT[letter]], AXES[NEXT[NEXT[letter]]]
    lower, upper = axis["lower"]["value"], axis["upper"]["value"]
    if axis["axis"].startswith("rot"):
        limit = arc(first, second, lower, upper, size)
        hand = [(0.0, 0.0, 0.0), scaled(first, size)]
    else:
        limit = bar(along, first, lower, upper, size)
        hand = [scaled(one, sign * size / 4.0) for one in (first, second) for sign in (-1.0, 1.0)]
    line = [scaled(along, -size), scaled(along, size)]
    lines = ((AXIS, 0, line), (LIMIT, 0, limit), (HAND, 1, hand))
    return [Marker(dof, kind, body_of(joint, side), placed(joint, side, points)) for kind, side, points in lines]


def arc(first: Vector, second: Vector, lower: float | None, upper: float | None, radius: float) -> list[Vector]:
    """Return lines of an arc, with its two ends from the centre; a whole circle without limits or beyond a turn."""
    bounded = lower is not None and upper is not None and upper - lower < 2.0 * pi
    start, end = (lower, upper) if bounded else (-pi, pi)
    count = max(1, round(STEPS * (end - start) / (2.0 * pi)))
    angles = [start + (end - start) * i / count for i in range(count + 1)]
    rim = [added(scaled(first, radius * cos(q)), scaled(second, radius * sin(q))) for q in angles]
    lines = [point for pair in pairwise(rim) for point in pair]
    return lines + ([(0.0, 0.0, 0.0), rim[0], (0.0, 0.0, 0.0), rim[-1]] if bounded else [])


def bar(along: Vector, across: Vector, lower: float | None, upper: float | None, size: float) -> list[Vector]:
    """Return a line from the lower to the upper limit with an end at each; without limits it has no ends."""
    ends = [scaled(along, size * sign if q is None else q) for q, sign in ((lower, -1.0), (upper, 1.0))]
    lines = list(ends)
    for end, q in zip(ends, (lower, upper), strict=True):
        if q is not None:
            lines += [added(end, scaled(across, sign * size / 4.0)) for sign in (-1.0, 1.0)]
    return lines


def body_of(joint: dict[str, Any], side: int) -> str:
    """Return the link at a side of a joint; "" for the world."""
    return joint[f"body{side}"] or ""


def placed(joint: dict[str, Any], side: int, points: list[Vector]) -> tuple[Vector, ...]:
    """Return points of a joint's frame in the frame of its body."""
    frame = joint[f"frame{side}"]
    return tuple(added(tuple(frame["position"]), turned(frame["rotation"], point)) for point in points)


def turned(rotation: list[float], v: Vector) -> Vector:
    """Return a vector turned by a quaternion (x, y, z, w): v + 2w (u × v) + 2 u × (u × v)."""
    u, w = (rotation[0], rotation[1], rotation[2]), rotation[3]
    once = crossed(u, v)
    return added(v, added(scaled(once, 2.0 * w), scaled(crossed(u, once), 2.0)))


def crossed(a: Vector, b: Vector) -> Vector:
    """Return a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def added(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def scaled(a: Vector, k: float) -> Vector:
    """Return k a."""
    return (k * a[0], k * a[1], k * a[2])


def marker_size(document: dict[str, Any]) -> float:
    """Return a size of markers that suits a scene [m]: a tenth of the extent of its links, at least 5 mm."""
    places = [link["pose"]["position"] for robot in document["articulations"] for link in robot["links"]]
    spans = [max(column) - min(column) for column in zip(*places, strict=True)]
    return max(0.1 * max(spans, default=0.0), 0.005)
