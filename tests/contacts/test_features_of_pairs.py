"""A kernel has the contacts of each pair of kinds: what a model does not ask for would let shapes through each other.

The suite shares kernels that have all laws, so that only this file sees a feature which `contact_features` forgets.
"""

import inspect
from dataclasses import asdict, replace
from itertools import product
from types import FunctionType, SimpleNamespace

import numpy as np
import pytest
from bodies_on_ground import G, H, ball
from shapes_on_shapes import GAP, HEIGHT, MASS, PAIRS, scene_of_pair

import fajin
from fajin.compiler.taichi_runtime import load_physics
from fajin.device import Device
from fajin.device.contact_slots import ContactSlots
from fajin.device.kernel_features import check_laws, kernel_features
from fajin.device.state import State
from fajin.scene import Scene, ShapeKind
from fajin.tables.collision_table import LAWS, PAIR_FEATURES
from fajin.tables.features import Features
from fajin.tables.topology import TABLES

BRANCHES = {
    "pipeline": ("update_points",),
    "narrow_phase.points_on_plane": ("rests_on_plane",),
    "narrow_phase.generation": ("update_pair", "generate_points"),
    "narrow_phase.persistent_manifold": ("generate_kept_points", "make_points", "make_polyhedra_points"),
    "kinds": ("compiles", "has_law", "has_radius"),
}
"""Functions of `physics.contacts` that choose what generates the points of a pair, by their files."""
ALL = Features(**dict.fromkeys(PAIR_FEATURES, True))
DEVICE = Device("cpu", 1, True, 32, 1)
FILES = ("generation", "points_on_plane")
STATIC = (ShapeKind.PLANE, ShapeKind.TRIANGLE_MESH)
STEPS = 120


def names(pair: tuple) -> str:
    return "_on_".join(kind.name.lower() for kind in pair)


class Anything:
    """A value that nothing depends on: every operation gives it again, and every comparison is true."""

    def __getattr__(self, name: str) -> "Anything":
        return self

    def __call__(self, *_, **__) -> "Anything":
        return self

    __getitem__ = __add__ = __radd__ = __sub__ = __mul__ = __rmul__ = __neg__ = __call__

    def __lt__(self, other) -> bool:
        return True

    __gt__ = __le__ = __ge__ = __lt__


def interpreted(found: dict) -> tuple[FunctionType, list[str]]:
    """The function `update_points` of kernels as plain Python, and the list of the functions that it calls.

    Args:
        found: what functions of kernels return, by name; else something on which nothing depends.
    """
    calls: list[str] = []
    plain: dict[str, FunctionType] = {}

    def stand_in(name: str):
        def call(*_):
            calls.append(name)
            return found.get(name, Anything())

        return call

    def named(name: str):
        return lambda *args: (plain.get(name) or stand_in(name))(*args)

    for file, functions in BRANCHES.items():
        module = load_physics(DEVICE, f"contacts.{file}")
        for name in functions:
            source = inspect.unwrap(getattr(module, name))
            scope = dict(vars(module))
            scope |= {called: stand_in(called) for called in source.__code__.co_names if callable(scope.get(called))}
            scope |= {"ti": SimpleNamespace(static=lambda value: value), "range": range}
            if "GENERATORS" in scope:
                scope["GENERATORS"] = [(named(generate.__name__), laws) for generate, laws in scope["GENERATORS"]]
            plain[name] = FunctionType(source.__code__, scope, name)
    for function in plain.values():
        function.__globals__.update(plain)
        function.__globals__["single_lanes"] = SimpleNamespace(LaneView=lambda w, _: w, **plain)
    return plain["update_points"], calls


def generators(model: fajin.Model, features: Features) -> list[list[str]]:
    """What a kernel with these features calls for the only pair of a model, in each case that its geometry may be."""
    pair = dict(zip(TABLES["PAIRS"], model.tables["PAIRS"][0].tolist(), strict=True))
    shapes = [
        SimpleNamespace(shape=words[TABLES["COLLIDERS"]["SHAPE"]]) for words in model.tables["COLLIDERS"].tolist()
    ]
    slot = SimpleNamespace(
        collider_a=pair["COLLIDER_A"], collider_b=pair["COLLIDER_B"], manifold=pair["MANIFOLD"], near=1.0, pair=0,
        law=pair["LAW"],
    )  # fmt: skip
    w = SimpleNamespace(
        slot=[slot], collider=shapes, features=features, contacts=Anything(), param=Anything(), header=Anything()
    )
    cases = []
    for clipped, sound in product((0, 1), (1, 2)):
        found = {"broadcast": 0.0, "separating_face": 0, "clip_boxes": clipped, "clip_polyhedra": 1}
        found |= {"nearest_points": (sound, *[Anything()] * 4), "write_face_corners": 4}
        found |= dict.fromkeys(("make_sphere_point", "make_capsule_points"), (True, Anything()))
        update, calls = interpreted(found)
        update(w, 0)
        cases.append(calls)
    return cases


def lacks(model: fajin.Model, features: Features) -> bool:
    """Whether a kernel of these features lacks something that the only pair of a model needs."""
    patches, slots = load_physics(DEVICE, "contacts.patches"), ContactSlots(model, 1, DEVICE)
    room = {"patches_per_slot": slots.patches, "manifolds_per_slot": slots.manifolds}
    w = SimpleNamespace(features=features, header=SimpleNamespace(**room))
    if any(getattr(patches, name)(w) != count for name, count in room.items()):
        return True
    return generators(model, features) != generators(model, ALL)


@pytest.fixture(scope="module")
def models() -> dict[tuple, fajin.Model]:
    """The model of each pair of kinds alone."""
    return {pair: fajin.compile(scene_of_pair(*pair)) for pair in PAIRS}


@pytest.mark.parametrize("pair", PAIRS, ids=names)
def test_a_kernel_has_what_the_pair_calls(models, pair):
    """It calls what a kernel with all contacts calls, and without any one of its features it would not."""
    model = models[pair]
    features = kernel_features(model, False, False)
    assert any(generators(model, features)[0])
    assert not lacks(model, features)
    for name in PAIR_FEATURES:
        if getattr(features, name):
            assert lacks(model, replace(features, **{name: False})), name


def test_every_law_of_the_table_has_one_function():
    """Those of all lanes at once are on planes."""
    generation, on_plane = (load_physics(DEVICE, f"contacts.narrow_phase.{file}") for file in FILES)
    laws = [law for _, laws in generation.GENERATORS for law in laws]
    assert sorted((*laws, *on_plane.ON_PLANE)) == sorted(LAWS)


@pytest.mark.parametrize("pair", PAIRS, ids=names)
def test_a_kernel_without_the_law_of_a_pair_is_refused(models, pair):
    """One line names what it lacks, whatever `contact_features` asked for."""
    features = kernel_features(models[pair], False, False)
    check_laws(features, models[pair])
    for name in PAIR_FEATURES:
        if getattr(features, name):
            with pytest.raises(RuntimeError, match=rf"^kernel lacks `{name}`: contacts of [A-Z_]+ would be left out"):
                check_laws(replace(features, **{name: False}), models[pair])


def test_a_simulation_is_bound_to_a_kernel_with_its_laws(models, monkeypatch):
    """Where a model chooses its kernel, and where a launch takes another one."""
    model = models[ShapeKind.CAPSULE, ShapeKind.BOX]
    state = State(model, 1, DEVICE)
    monkeypatch.setattr(State, "_features", lambda _: replace(state.features, capsules=False))
    with pytest.raises(RuntimeError, match=r"^kernel lacks `capsules`: laws of the scene"):
        state.run(1, 0, 0.01, 0)
    monkeypatch.setattr("fajin.device.state.kernel_features", lambda *_: replace(state.features, convexes=False))
    with pytest.raises(RuntimeError, match=r"^kernel lacks `convexes`: contacts of CAPSULE_ON_CONVEX"):
        State(model, 1, DEVICE)


def test_a_model_asks_for_the_sorting_of_bodies_where_islands_do(monkeypatch):
    """Many bodies, which here are two."""
    for crowd in (0, 500):
        monkeypatch.setattr("fajin.model.contacts.CROWD", crowd)
        bodies = [ball(f"ball{i}", 0.05, 1.0, (0.0, 0.0, 0.2 * i)) for i in range(2)]
        scene = Scene("two", tuple(body for body, _ in bodies), dt=H, colliders=tuple(shape for _, shape in bodies))
        model = fajin.compile(scene)
        sorts = model.tables["ISLANDS"][:, TABLES["ISLANDS"]["SORTS_BODIES"]].any()
        assert kernel_features(model, False, False).crowds == sorts == (crowd == 0)


GROUPS = {
    "primitives": ({"planes", "rounds"}, 1),
    "polyhedra": ({"hulls", "boxes", "convexes", "capsules", "polyhedra"}, 20),
    "cores": ({"cores", "meshes", "kept_on_meshes", "cores_on_meshes"}, 1),
}
"""Features of pairs by kernels, and their worlds: what a pair of one group lacks no pair of the group brings."""


def group_of(features: Features) -> str:
    """The group whose kernel has the features of a pair."""
    asked = {name for name in PAIR_FEATURES if getattr(features, name)}
    return next(name for name, (has, _) in GROUPS.items() if asked <= has)


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_shapes_of_all_kinds_hold_each_other(models, own_kernels, group, monkeypatch):
    """Each falls 5 mm, touches and lies at its height, free or as a link, on what is static or kinematic.

    A kernel has the features that models ask for, of the pairs of a group together: it is compiled once.
    """
    worlds = GROUPS[group][1]
    scenes = {}
    for pair, model in models.items():
        if group_of(kernel_features(model, False, False)) == group:
            places = product((False, True), (False, pair[1] not in STATIC))
            scenes |= {(*pair, link, moved): scene_of_pair(*pair, link, moved) for link, moved in dict.fromkeys(places)}
    asked = [asdict(kernel_features(fajin.compile(scene), False, False)) for scene in scenes.values()]
    union = Features(**{name: any(one[name] for one in asked) for name in asked[0]})
    monkeypatch.setattr(State, "_features", lambda state: union)
    fallen = {}
    for kinds, scene in scenes.items():
        sim = fajin.Simulation(scene, worlds, "cpu", threads=1, sleeping=False)
        sim.step(STEPS)
        height = np.asarray(sim.link_pose)[:, sim.link.index("/falls"), 2]
        force = np.linalg.norm(np.asarray(sim.pair_force)[:, 0], axis=-1)
        if np.abs(height - HEIGHT).max() > GAP / 2 or np.abs(force / (MASS * G) - 1.0).max() > 0.05:
            fallen[kinds] = (height[0], force[0])
    assert len(scenes) > 20
    assert fallen == {}
