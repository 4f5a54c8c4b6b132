"""Casters: what slides on the ground beside the wheels of a robot, without friction."""

from typing import Any

from pxr import Usd, UsdPhysics, UsdShade

from ..stance.carry import Carriage
from ..stance.extents import lowest, shapes_of
from ..stance.ground import up_of
from ..stance.supports import TOUCH
from ..usd.attributes import CONTACT_MATERIAL
from ..usd.read.reader import read_stage
from .attribute_writer import AttributeWriter
from .ground import home

NAME = "casterMaterial"
FRICTIONLESS: dict[str, Any] = {"static_friction": 0.0, "dynamic_friction": 0.0, "friction_combine": "min"}


def free_casters(stage: Usd.Stage, carried: Carriage) -> list[str]:
    """Bind a material without friction to the colliders that touch the ground beside wheels; return their links.

    A description fixes balls and wheels of casters to the base. Colliders with a material of their own keep it.
    """
    found = {path: link for path, link in sliding(stage, carried).items() if not bound_material(stage, path)}
    if not found:
        return []
    material = UsdShade.Material.Define(stage, home(stage).AppendChild(NAME))
    UsdPhysics.MaterialAPI.Apply(material.GetPrim())
    AttributeWriter(material.GetPrim()).write(CONTACT_MATERIAL, FRICTIONLESS)
    for path in found:
        prim = stage.GetPrimAtPath(path)
        while prim.IsInstanceProxy():
            prim = prim.GetParent()
        binding = UsdShade.MaterialBindingAPI.Apply(prim)
        binding.Bind(material, UsdShade.Tokens.weakerThanDescendants, "physics")
    return list(dict.fromkeys(found.values()))


def sliding(stage: Usd.Stage, carried: Carriage) -> dict[str, str]:
    """Return the colliders that touch a level ground together with wheels, and their links, which no wheel turns."""
    if not any(support.wheel for support in carried.supports):
        return {}
    scene, tree = read_stage(stage), carried.tree
    up, placement, shapes = up_of(scene), tree.place(carried.q), shapes_of(tree, scene.colliders)
    heights = {
        (link, shape.collider.path): lowest(shape, placement.frame(link), up)
        for link, many in shapes.items()
        for shape in many
    }
    floor = min(heights.values())
    slides = [tree.moves[support.link] for support in carried.supports if support.slides]
    return {
        path: tree.robot.links[link].path
        for (link, path), height in heights.items()
        if height < floor + TOUCH and any((tree.moves[link] == row).all() for row in slides)
    }


def bound_material(stage: Usd.Stage, path: str) -> bool:
    """Return whether a collider has a physics material."""
    material, _ = UsdShade.MaterialBindingAPI(stage.GetPrimAtPath(path)).ComputeBoundMaterial("physics")
    return bool(material) and material.GetPrim().HasAPI(UsdPhysics.MaterialAPI)
