"""Who may import whom: the walls, read from the imports of every file."""

import ast
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLACES = {"engine": "fajin", "tools": "fajin.tools", "usd_schema": "fajin.usd_schema"}
FILES = sorted(path.relative_to(ROOT) for place in PLACES for path in (ROOT / place).rglob("*.py"))

WALLS = {  # a place, and what is never imported there; the first that fits a file counts
    "engine/scene/": {"pxr", "taichi", "numpy", "fajin.model", "fajin.usd", "fajin.simulation"},
    "engine/model/": {"pxr", "taichi", "fajin.usd", "fajin.device", "fajin.simulation"},
    "engine/jobs/": {"pxr", "taichi", "fajin.physics"},
    "engine/usd/": {"taichi", "fajin.physics", "fajin.device", "fajin.simulation"},
    "engine/physics/": {"pxr", "numpy", "fajin.scene", "fajin.model", "fajin.usd"},
    "engine/author/": {"taichi", "fajin.physics", "fajin.device", "fajin.simulation"},
    "engine/check/": {"taichi", "fajin.physics", "fajin.device", "fajin.simulation"},
    "engine/": {"pxr"},
    "usd_schema/": {"taichi", "fajin.scene", "fajin.model", "fajin.usd", "fajin.physics", "fajin.simulation"},
    "tools/": {
        "taichi",
        "fajin.physics",
        "fajin.device.device",
        "fajin.device.state",
        "fajin.model.Model",
        "fajin.model.model",
        "fajin.model.nodes",
        "fajin.tables",
    },
}
LATE = (
    "engine/usd/",
    "engine/author/",
    "engine/check/",
    "engine/physics/",
    "usd_schema/",
)  # loaded only with what needs them


def imported(text: str, path: Path) -> set[str]:
    """Full names of the modules, and of the names from them, that the text of a file imports."""
    package = ".".join([PLACES.get(path.parts[0], "tests"), *path.parts[1:-1]])
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module
            names |= {f"{base}.{alias.name}" for alias in node.names}
    return names


def behind(names: set[str], wall: set[str]) -> set[str]:
    """Those of the names that lie behind the wall."""
    return {name for name in names for shut in wall if f"{name}.".startswith(f"{shut}.")}


@pytest.mark.parametrize("path", FILES, ids=str)
def test_no_file_imports_what_lies_behind_its_wall(path):
    """Scene, model, USD, physics, schema and tools each know what they may and nothing else."""
    wall = next(shut for place, shut in WALLS.items() if path.as_posix().startswith(place))
    assert not behind(imported((ROOT / path).read_text(), path), wall)


@pytest.mark.parametrize("path", [path for path in FILES if not path.as_posix().startswith(LATE)], ids=str)
def test_taichi_and_usd_are_imported_late(path):
    """Importing fajin, or asking for help, loads neither."""
    tree = ast.parse((ROOT / path).read_text())
    top = "\n".join(ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))
    assert not behind(imported(top, path), {"taichi", "pxr", "distributed", "ray"})


@pytest.mark.parametrize("path", [*FILES, *(path.relative_to(ROOT) for path in ROOT.glob("tests/*.py"))], ids=str)
def test_the_package_has_one_name(path):
    """From the checkout `import engine` would give a second copy of fajin, and compile every kernel twice."""
    assert not behind(imported((ROOT / path).read_text(), path), set(PLACES))


def test_a_planted_import_is_seen():
    """The reading of imports resolves relative ones."""
    planted = "from ..physics import step\nfrom . import read\ndef late():\n    import taichi as ti\n"
    names = imported(planted, Path("engine/usd/planted.py"))
    assert names == {"fajin.physics.step", "fajin.usd.read", "taichi"}
    assert behind(names, WALLS["engine/usd/"]) == {"fajin.physics.step", "taichi"}
