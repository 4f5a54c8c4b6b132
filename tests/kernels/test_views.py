"""Attribute views of the kernels: one name per number, loaded and written where the kernel says so."""

import importlib
from types import SimpleNamespace

import numpy as np
import pytest

from fajin import compiler
from fajin import device as devices
from fajin.tables.scratch import ALIASES, SCRATCHES
from fajin.tables.scratch_rows import ROW_TYPES
from fajin.tables.topology import TABLES

LANES = pytest.mark.parametrize("name", ["cpu", "cpu-lanes"], ids=["packs", "single"])
START = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def run(name: str, law) -> np.ndarray:
    """Return six numbers of world 0 after `law(holder)`; `holder.now` is all, other names are one each."""
    import taichi as ti

    place = devices.start(name, "f32", threads=1, worlds=16)
    package = compiler.load_physics(place, "lanes").__name__.rpartition(".")[0]
    lanes, stored, spatial, views = (
        importlib.import_module(f"{package}.{file}") for file in ("lanes", "stored", "spatial", "views")
    )

    class Holder(views.View):
        """Object with one motion in memory, whose numbers are also a constraint row's, its neighbour's and an index."""

        velocity_multiplier, target_bias, impulse_multiplier = -1.0, 0.0, 1.0  # a hard row

        def __init__(self, array):
            self.array = array

        def __getattr__(self, name):
            places = [stored.element(self.array, i) for i in range(6)]
            if name == "index":
                return stored.stored(int, places[3:4])
            if name == "flag":
                return stored.stored(bool, places[3:4])
            numbers = {"first": places[:1], "impulse": places[1:2], "normal_impulse": places[2:3]}
            return stored.stored(spatial.Motion, places) if name == "now" else stored.stored(None, numbers[name])

    law = ti.func(law)
    Array = ti.types.ndarray(lanes.Real, 1)

    @ti.kernel
    def kernel(array: Array):
        for _ in range(1):
            law(Holder(array))

    array = ti.ndarray(lanes.Real, 6)
    start = np.array(START, np.float32)
    array.from_numpy(np.repeat(start[:, None], place.lanes, 1) if place.lanes > 1 else start)
    with compiler.compiler_options(place):
        kernel(array)
    return array.to_numpy().reshape(6, -1)[:, 0]


def add_twice(h):
    before = h.now
    h.now = before + before
    h.now = h.now + before  # `before` holds the numbers of its time


def grow(h):
    h.now += h.now
    h.first += 0.5


def rebind(h):
    v = h.now
    v = v * 2.0  # a local value: memory keeps what it has
    h.first = v.lin.z


def shift(h):
    h.index = 1 << h.index  # integers, where memory has floats
    h.index += 2


def set_flag(h):
    h.flag = True


def keep_flag(h):
    was = h.flag
    h.flag = False
    h.flag = was & (h.impulse < h.normal_impulse)


def clear_flag(h):
    h.flag = h.flag & ~(h.impulse < h.normal_impulse)


@LANES
@pytest.mark.parametrize(
    ("law", "result"),
    [
        (add_twice, [3 * x for x in START]),
        (grow, [2.5, 4.0, 6.0, 8.0, 10.0, 12.0]),
        (rebind, [12.0, *START[1:]]),
        (shift, [*START[:3], 2**4 + 2, *START[4:]]),
        (set_flag, [*START[:3], 1.0, *START[4:]]),
        (keep_flag, [*START[:3], 1.0, *START[4:]]),
        (clear_flag, [*START[:3], 0.0, *START[4:]]),
    ],
)
def test_a_name_holds_the_numbers_of_its_time(name, law, result):
    """A group is loaded where it is bound; assignments to attributes write, those to names do not."""
    assert run(name, law).tolist() == result


def test_a_whole_number_of_each_lane_is_an_integer_in_a_view_of_one_lane():
    """A view of all lanes has a pack of it, which has no integers; an index is the same in all lanes."""
    views = compiler.load_physics(devices.start("cpu", "f32", threads=1, worlds=16), "views")
    one, all_lanes = (SimpleNamespace(one_lane=is_one) for is_one in (True, False))
    assert [views.type_of(w, "integer") for w in (one, all_lanes)] == [int, None]
    assert [views.type_of(w, "index") for w in (one, all_lanes)] == [int, int]
    assert [views.type_of(w, "flag") for w in (one, all_lanes)] == [bool, bool]


@LANES
def test_the_impulse_of_another_row_bounds_a_row(name):
    """Friction: λ ← clamp(λ − J v / r, −μ λ_n, μ λ_n); with λ = 2, λ_n = 3, μ = 0.5, J v = 20 and r = 4, −1.5."""
    solve_row = compiler.load_physics(devices.start(name, "f32", threads=1, worlds=16), "constraint").solve_row

    def slide(h):
        bound = h.normal_impulse * 0.5
        h.first = solve_row(h, 20.0, 0.0, 0.25, (0.0 - bound, bound))

    assert run(name, slide).tolist() == [-3.5, -1.5, *START[2:]]


def test_no_name_means_two_numbers_of_an_item():
    """Words of the topology and scratch rows are attributes of one object."""
    for table, words in TABLES.items():
        rows = set(SCRATCHES.get(table, ())) | set(ALIASES.get(table, ()))
        assert not rows & set(words)
        assert not {name for name in rows | set(words) if name.startswith("_")}


def test_an_alias_fits_into_its_row():
    """A row's other name takes no number of the next row."""
    for table, aliases in ALIASES.items():
        ends = {first: first + ROW_TYPES[kind] for first, kind, _ in SCRATCHES[table].values()}
        assert all(first + ROW_TYPES[kind] <= ends[first] for first, kind, _ in aliases.values())


@pytest.mark.parametrize("view", ["node", "state", "param", "header"])
def test_an_unknown_name_is_an_error(view):
    """With the name of the table, while a kernel is traced."""
    place = devices.start("cpu", "f32", threads=1, worlds=1)
    views = compiler.load_physics(place, "views")
    world = type("World", (), {"header": views.HeaderView(None)})()
    tables = {
        "node": lambda: views.Item(world, "NODES", 0).velocty,
        "state": lambda: views.StateView(world).velocty,
        "param": lambda: views.ParameterView(world).velocty,
        "header": lambda: world.header.velocty,
    }
    with pytest.raises(AttributeError, match="VELOCTY"):
        tables[view]()
