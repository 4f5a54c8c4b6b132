"""Scratch of the lists that every island counts from 0: once on a CPU, per island on a GPU."""

from dataclasses import replace
from itertools import pairwise

import bodies_on_ground
import pytest

import fajin
from fajin.device import Device
from fajin.device.state import State
from fajin.tables.scratch import SCRATCHES, is_of_island, rows_of
from fajin.tables.topology import HEADER

CPU, GPU = Device("cpu", 16, True, 32, 2), Device("cuda", 1, False, 32, 0)
ISLANDS = 2


@pytest.fixture(scope="module")
def apart() -> fajin.Model:
    """Box and ball on the ground, and a sled that collides with neither: islands of three pairs and of one."""
    scene = bodies_on_ground.scene()
    box, ball, sled = (body.path for body in scene.articulations)
    model = fajin.compile(replace(scene, filtered_pairs=((box, sled), (ball, sled))))
    assert len(model.tables["ISLANDS"]) == ISLANDS
    return model


def island_rows(state: State) -> int:
    """The rows that one island has by itself, in the words of the topology."""
    return state.layout.header()[HEADER.index("ISLAND_SCRATCH")]


@pytest.mark.parametrize("slots", [None, 1], ids=["own slots", "shared slots"])
def test_every_island_has_lists_of_its_own_on_a_gpu(apart, slots):
    """A CPU has the lists of one island; a GPU those of all, one after the other."""
    cpu, gpu = (State(apart, 64, device, contact_slots=slots) for device in (replace(CPU, lanes=1), GPU))
    assert gpu.slots.shared == (slots is not None)
    assert island_rows(cpu) == 0
    assert island_rows(gpu) > 0
    assert gpu.layout.scratch_rows == cpu.layout.scratch_rows + (ISLANDS - 1) * island_rows(gpu)


@pytest.mark.parametrize("slots", [None, 1], ids=["own slots", "shared slots"])
def test_rows_of_islands_lie_behind_those_of_all(apart, slots):
    """No row belongs to two tables, and the lists of all islands fit."""
    state = State(apart, 64, GPU, contact_slots=slots)
    layout, shared = state.layout, state.slots.shared
    first = layout.scratch_rows - ISLANDS * island_rows(state)
    assert first > 0
    rows = {name: state.slots.scratch.get(name, len(apart.tables[name])) * rows_of(name) for name in SCRATCHES}
    places = sorted((layout._scratch[name], layout._scratch[name] + rows[name]) for name in SCRATCHES)
    assert all(end <= start for (_, end), (start, _) in pairwise(places))
    for name in SCRATCHES:
        of_island = is_of_island(name, shared)
        end = layout._scratch[name] + rows[name]
        assert first <= layout._scratch[name] <= end <= first + island_rows(state) if of_island else end <= first


def test_islands_without_contacts_have_no_lists():
    """Scenes without pairs take no more scratch on a GPU."""
    scene = replace(bodies_on_ground.scene(), colliders=())
    cpu, gpu = (State(fajin.compile(scene), 64, device) for device in (replace(CPU, lanes=1), GPU))
    assert island_rows(gpu) == 0
    assert gpu.layout.scratch_rows == cpu.layout.scratch_rows


def test_one_island_takes_no_more_scratch_on_a_gpu():
    """Its lists are there once."""
    model = fajin.compile(bodies_on_ground.scene())
    assert len(model.tables["ISLANDS"]) == 1
    cpu, gpu = (State(model, 64, device) for device in (replace(CPU, lanes=1), GPU))
    assert gpu.layout.scratch_rows == cpu.layout.scratch_rows


def test_lists_are_those_of_the_largest_island(apart):
    """Not of all pairs of the scene together, so that scratch grows with islands and not with their square."""
    state = State(apart, 64, GPU)
    assert state.slots.scratch["ACTIVE"] == 3
    assert state.slots.scratch["SLOTS"] == 4
