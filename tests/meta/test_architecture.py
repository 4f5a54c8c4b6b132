"""Who may import whom: the walls, read from the imports of every file."""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from meta.house import FILES, FOLDERS, imported, tree
from paths import ROOT, TESTS

import fajin

# Every place of the house, from the ground up: what of fajin it imports, and which of LIBRARIES. No place sees another
# that is not named here, and each stands on places above it in this list.
HOUSE = {
    "atomic_write": ("", ""),
    "selection": ("", ""),
    "errors": ("", ""),
    "quaternion": ("", "numpy"),
    "log_cholesky": ("errors", "numpy"),
    "input_file": ("errors", ""),
    "npz": ("atomic_write errors input_file", "numpy"),
    "html": ("", ""),
    "parts_folder": ("", ""),
    "scene": ("errors html", ""),
    "sampled_values": ("scene", "numpy"),
    "sandbox": ("atomic_write errors scene", ""),
    "geometry": ("", "numpy"),
    "joint_stacking": ("quaternion scene", "numpy"),
    "stance": ("quaternion scene", "numpy"),
    "tables": ("", ""),
    "usd_schema": ("", "pxr"),
    "physics": ("tables", "taichi"),
    "model": ("npz quaternion scene geometry joint_stacking tables", "numpy"),
    "recording": ("input_file npz atomic_write errors html selection scene", "numpy"),
    "visual.look": ("atomic_write selection errors quaternion scene sampled_values geometry recording", "numpy"),
    "motor": ("input_file npz selection errors", "numpy"),
    "usd": (
        "atomic_write errors input_file selection recording quaternion scene geometry joint_stacking visual.look"
        " usd_schema npz parts_folder",
        "numpy pxr",
    ),
    "scene_file": ("errors input_file model parts_folder sandbox scene usd", ""),
    "author": ("atomic_write selection model quaternion sandbox scene stance usd", "numpy pxr"),
    "check": ("author model parts_folder quaternion sandbox scene stance usd", "numpy pxr"),
    "conversion": ("atomic_write author check input_file model quaternion scene scene_file stance usd", "numpy"),
    "animation_file": ("atomic_write recording sandbox scene usd.write.output_files", "numpy"),
    "visual.look_file": ("errors visual.look sandbox scene usd", ""),
    "compiler": ("atomic_write tables", "numpy taichi llvmlite"),
    "device": ("compiler model errors quaternion tables", "numpy"),
    "visual.raster": ("compiler device visual.look", "numpy taichi"),
    "simulation": (
        "input_file npz selection device model recording errors html quaternion scene sampled_values tables",
        "numpy",
    ),
    "dynamics": ("model quaternion scene simulation tables", "numpy"),
    "tuning": ("selection dynamics model errors quaternion scene simulation tables", "numpy"),
    "jobs": (
        "input_file npz animation_file atomic_write selection device model scene_file recording errors scene simulation"
        " log_cholesky tables",
        "numpy",
    ),
    "fit": (
        "input_file author dynamics errors log_cholesky scene_file visual.look model recording scene selection"
        " simulation tables",
        "numpy",
    ),
    "visual.motion": (
        "selection device errors scene_file visual.look visual.look_file model recording scene simulation jobs",
        "numpy",
    ),
    "visual.picture": ("visual.look visual.motion visual.raster recording", "numpy"),
    "visual.viewer": (
        "atomic_write selection errors scene_file visual.look visual.look_file model.model visual.motion visual.picture"
        " visual.raster recording scene simulation",
        "numpy",
    ),
    "envs": (
        "atomic_write author device errors quaternion recording scene scene_file selection simulation tables",
        "numpy",
    ),
    "tools": (
        "atomic_write author check html input_file selection device.backends device.names device.memory_estimate"
        " device compiler.cached_kernels compiler.kernel_cache device.cuda_measure"
        " device.free_memory dynamics fit jobs visual.look"
        " model.collision_pairs model.mass_matrix visual.motion motor visual.picture visual.raster visual.viewer"
        " recording errors quaternion"
        " sandbox scene scene_file simulation.control_events simulation.control_file simulation.profiling"
        " stance tuning animation_file",
        "numpy",
    ),
    "visual.__init__": ("", ""),
    "__main__": ("tools", ""),
    "__init__": ("", ""),
}
# Parts of a place, from the ground up: a part imports only parts before it.
LAYERS = {
    "jobs": "rollout metrics description shards execution results batch",
    "physics.contacts": "scalars simd stage_units kinds pose patches lane_choice pair_sleep binary_search merge_sort"
    " broad_phase narrow_phase friction order bundles sweep swept_mesh continuous single_lane pipeline",
    "usd": "attributes dispositions stage read document look write",
}

LIBRARIES = ("numpy", "pxr", "taichi", "llvmlite")
HEAVY = ("taichi", "llvmlite", "pxr", "distributed", "ray")
LATE = {"usd", "author", "check", "physics", "visual.raster", "usd_schema"}  # loaded only with what needs them


def place(path: Path) -> str:
    """The place of a file: a folder or a file of engine/ or engine/visual/, or one of the other folders."""
    top, *parts = path.with_suffix("").parts
    if top != "engine":
        return top
    return ".".join(parts[:2]) if parts[0] == "visual" else parts[0]


def within(name: str, places: Iterable[str]) -> bool:
    """Whether a module, or a name from it, lies in one of the places, given by full names."""
    return any(f"{name}.".startswith(f"{place}.") for place in places)


def unseen(names: set[str], here: str) -> set[str]:
    """Those of the imported names that a place does not see."""
    sees, libraries = (words.split() for words in HOUSE[here])
    seen = {f"fajin.{there}" for there in (here, *sees)} | set(libraries)
    if here == "tools":
        seen |= {f"fajin.{name}" for name in fajin.__all__}  # the public interface
    return {name for name in names - {"fajin"} if within(name, ("fajin", *LIBRARIES)) and not within(name, seen)}


@cache
def imports() -> dict[Path, set[str]]:
    """Full names of what each file of the package imports."""
    return {path: imported(tree(path), path) for path in FILES}


def test_a_file_imports_only_what_its_place_sees():
    """Scene, model, USD, physics, schema and tools each know what they may and nothing else."""
    offenders = {str(path): unseen(names, place(path)) for path, names in imports().items()}
    assert {path: names for path, names in offenders.items() if names} == {}


def test_what_a_place_may_see_it_uses():
    """The list says how things are, and grows no doors that nobody goes through."""
    unused = set()
    for here, (sees, libraries) in HOUSE.items():
        names = set().union(*(names for path, names in imports().items() if place(path) == here))
        wanted = {*(f"fajin.{there}" for there in sees.split()), *libraries.split()}
        unused |= {(here, door) for door in wanted if not any(within(name, (door,)) for name in names)}
    assert unused == set()


def test_each_place_stands_on_those_above_it_in_the_list():
    """So no two places import each other, however long the way."""
    order = list(HOUSE)
    for i, (sees, _) in enumerate(HOUSE.values()):
        assert all(within(there, order[:i]) for there in sees.split()), order[i]


def test_parts_of_a_place_stand_on_those_before_them():
    """A place with sub-packages has an order, too."""
    offenders = set()
    for there, parts in LAYERS.items():
        order, folder = parts.split(), Path("engine", *there.split("."))
        for path in (path for path in FILES if path.is_relative_to(folder) and path.stem != "__init__"):
            part = path.relative_to(folder).with_suffix("").parts[0]
            above = {f"fajin.{there}.{name}" for name in order[order.index(part) + 1 :]}
            offenders |= {(str(path), name) for name in imports()[path] if within(name, above)}
    assert offenders == set()


def test_taichi_and_usd_are_imported_late():
    """Importing fajin, or asking for help, loads neither."""
    early = set()
    for path in (path for path in FILES if place(path) not in LATE):
        top = [ast.Module([node], []) for node in tree(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
        early |= {(str(path), name) for node in top for name in imported(node, path) if within(name, HEAVY)}
    assert early == set()


def test_the_package_has_one_name():
    """From the checkout `import engine` would give a second copy of fajin, and compile every kernel twice."""
    tests = [path.relative_to(ROOT) for path in TESTS.rglob("*.py")]
    names = imports() | {path: imported(tree(path), path) for path in tests}
    assert {(str(path), name) for path in names for name in names[path] if within(name, FOLDERS)} == set()


def test_a_planted_import_is_seen():
    """The reading of imports resolves relative ones."""
    planted = "from ..physics import step\nfrom . import read\ndef late():\n    import taichi as ti\n"
    names = imported(ast.parse(planted), Path("engine/usd/planted.py"))
    assert names == {"fajin.physics.step", "fajin.usd.read", "taichi"}
    assert unseen(names, "usd") == {"fajin.physics.step", "taichi"}
