"""Stages with materials, and what is drawn of them."""

from usda import METRES, arm, stage

import fajin
from fajin.usd.look.look_scene import read_look_scene

PREVIEW = """def Material "red"
{
    color3f inputs:tint = (0.8, 0.1, 0.2)
    token outputs:surface.connect = </red/shader.outputs:surface>
    def Shader "shader"
    {
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </red.inputs:tint>
        float inputs:opacity = 0.5
        float inputs:metallic = 0.25
        float inputs:roughness = 0.75
        token outputs:surface
    }
}
"""
BOUND = "rel material:binding = </red>"


def look(folder, *prims, link="", metadata=METRES):
    """Scene that is drawn of an arm whose link, at (0, 0, 1), holds `link`, and of other prims."""
    lines = f'double3 xformOp:translate = (0, 0, 1)\nuniform token[] xformOpOrder = ["xformOp:translate"]\n{link}'
    return read_look_scene(fajin.read(stage(folder, arm(link=lines), *prims, metadata=metadata)))
