"""A free body on one joint to the world, and what is told of it."""

from pathlib import Path

from usda import body, joint, stage

import fajin
from fajin.scene import Joint, Scene


def held(folder: Path, kind: str, lines: str = "", apis: str = "", **metadata) -> tuple[Scene, Joint]:
    """The scene of a free body on one joint to the world, and that joint."""
    scene = fajin.read(stage(folder, body("ball"), joint("hold", kind, "/ball", "", lines, apis), **metadata))
    (j,) = scene.joints
    return scene, j


def told(scene: Scene, path: str) -> set[str]:
    """Attributes of a prim that are reported."""
    return {name for r in scene.reports if r.prim == path for name in r.attribute.split(", ")}
