"""Scenes of USD files as plain values of JSON, for the child process that reads them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pxr import Sdf, Usd

from ...scene import Scene
from ...scene.serialization import as_plain
from ...usd_schema import register
from ..stage.dependencies import used_files
from .reader import read, read_stage

SMALL_SCENE = """#usda 1.0
def Xform "body" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{
    float physics:mass = 1
}
"""


def prepare() -> None:
    """Load what reading needs: schemas, and USD's tables, by reading a scene in memory."""
    register()
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(SMALL_SCENE)
    read_stage(Usd.Stage.Open(layer))


def read_files(path: str | Path, overrides: Sequence[str], files: bool, root: str = "") -> tuple[Scene, dict[str, str]]:
    """Return the scene of a USD file, and {path: SHA-256} of its files if `files`; see `read`."""
    return read(path, overrides, root), used_files(path) if files else {}


def read_plain(path: str, overrides: Sequence[str], files: bool, root: str) -> dict[str, Any]:
    """Return the values of `read_files` for JSON."""
    scene, found = read_files(path, overrides, files, root)
    return {"scene": as_plain(scene), "files": list(found.items())}
