"""Making the tables of many pairs: the memory is a few times that of the tables, and grows with their number."""

import tracemalloc

import numpy as np
import pytest
from free_bodies import body

import fajin
from fajin.model.blocks import Blocks
from fajin.scene import Articulation, Collider, Scene, ShapeKind
from fajin.tables.layout import PARAMETERS

BODIES = 120
COPIES = 5
"""Most arrays of a table at the same time: its blocks, their sum, and what sorts and combines pairs."""


def spheres(count: int) -> Scene:
    """Free spheres that may all touch."""
    robots = tuple(Articulation(f"/b{i}", (body(f"/b{i}"),), (), False, free=True) for i in range(count))
    colliders = tuple(Collider(f"/b{i}", f"/b{i}", ShapeKind.SPHERE, radius=0.1) for i in range(count))
    return Scene("", robots, colliders=colliders)


def test_memory_follows_the_tables():
    """Lists of Python's numbers would take ten times as much."""
    scene = spheres(BODIES)
    fajin.compile(scene)  # imports
    tracemalloc.start()
    model = fajin.compile(scene)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    count = BODIES * (BODIES - 1) // 2
    assert len(model.pair) == len(model.tables["PAIRS"]) == len(model.tables["GROUPS"]) == count
    numbers = sum(row.width for row in PARAMETERS.values() if row.owner == "G")
    words = sum(model.tables[name].shape[1] for name in ("PAIRS", "GROUPS"))
    names = sum(map(len, model.pair)) + 64 * count
    assert peak < COPIES * count * (4 * words + 8 * numbers) + names


def test_blocks_are_one_array():
    """No block is an empty array; NumPy reads all rows in their order, with the type that it names."""
    blocks = Blocks()
    assert np.array(blocks, np.int32).size == len(blocks) == 0
    for first in (0, 4):
        blocks.append(np.arange(first, first + 4))
    assert np.array_equal(np.array(blocks, np.float64), np.arange(8.0))
    assert len(blocks) == 8


@pytest.mark.parametrize("bound", ["MOST_PAIRS", "MOST_LISTED"])
def test_more_pairs_than_numbers_or_room_are_refused(bound, monkeypatch):
    """Numbers of pairs have 32 bits, and each listed pair takes some hundred bytes."""
    most = BODIES * (BODIES - 1) // 2
    monkeypatch.setattr(f"fajin.model.contacts.{bound}", most)
    fajin.compile(spheres(BODIES))
    rule = f"scene = {most + BODIES:,} pairs .* must be at most {most:,} of them; filter pairs by collision groups"
    with pytest.raises(fajin.InvalidScene, match=rule):
        fajin.compile(spheres(BODIES + 1))
