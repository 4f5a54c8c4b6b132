"""Surfaces of prims: the constants of bound materials, else the display colour."""

from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdShade

from ..stage.stage import START
from .textures import TextureReader, texture_file

INPUTS = {  # field of a shape: inputs of UsdPreviewSurface, and of OmniPBR and OmniGlass
    "color": ("diffuseColor", "diffuse_color_constant", "glass_color"),
    "opacity": ("opacity",),
    "metallic": ("metallic", "metallic_constant"),
    "roughness": ("roughness", "reflection_roughness_constant"),
}
NO_COORDINATES = "its texture is not drawn: the mesh has no texture coordinates st"
OTHER_COORDINATES = "its texture is not drawn: its coordinates are not those of a primvar"
VARYING = "its display colour varies, the mean is drawn"
VECTORS = (Gf.Vec3f, Gf.Vec3d, Gf.Vec3h)


class SurfaceReader:
    """The surfaces of prims; each material is read once."""

    def __init__(self):
        self._materials: dict[str, tuple[dict, str]] = {}
        self.textures = TextureReader()

    def read(self, prim: Usd.Prim, gprim: Usd.Prim) -> tuple[dict[str, Any], str]:
        """Return the fields color, opacity, metallic and roughness that a prim has, and a note or "".

        Args:
            prim: the prim that a material is bound to: a gprim or a subset of its faces.
            gprim: the prim with the display colour.
        """
        fields, note = {}, ""
        material = bound_material(prim)
        if material:
            path = str(material.GetPath())
            if path not in self._materials:
                self._materials[path] = read_material(material, self.textures)
            fields, note = self._materials[path]
        shown, varying = display_surface(gprim)
        if "color" in fields:
            varying = ""
        return shown | fields, note or varying


def bound_material(prim: Usd.Prim) -> UsdShade.Material:
    """Return the material for drawing that a prim or an ancestor binds."""
    binding = UsdShade.MaterialBindingAPI(prim)
    material = binding.ComputeBoundMaterial(UsdShade.Tokens.preview)[0]
    return material or binding.ComputeBoundMaterial(UsdShade.Tokens.full)[0]


def read_material(material: UsdShade.Material, textures: TextureReader) -> tuple[dict[str, Any], str]:
    """Return the fields of a material's surface shader, and a note or "".

    The field "texture" is the index of its texture, and "color" that texture's mean.
    """
    shader = material.ComputeSurfaceSource()[0] or material.ComputeSurfaceSource("mdl")[0]
    fields: dict[str, Any] = {}
    note = ""
    for field, names in INPUTS.items() if shader else ():
        for attribute in (shader.GetInput(name) for name in names):
            value, node = input_value(attribute) if attribute else (None, None)
            if node and field == "color":
                file, primvar = texture_file(node)
                note = add_texture(fields, file, textures) if primvar else OTHER_COORDINATES
            if field not in fields and (found := fitted(field, value)) is not None:
                fields[field] = found
    picture = shader.GetInput("diffuse_texture") if shader else None
    if picture and picture.Get() and "texture" not in fields:
        note = add_texture(fields, picture.GetAttr(), textures)
    return fields, note


def add_texture(fields: dict[str, Any], file: Usd.Attribute | None, textures: TextureReader) -> str:
    """Add the texture that an attribute names to the fields of a material; return why that cannot be, or ""."""
    number, note = textures.read(file) if file else (-1, "its texture has no file")
    if number >= 0:
        fields |= {"texture": number, "color": textures.found[number].color}
    return note


def input_value(attribute: UsdShade.Input) -> tuple[Any, UsdShade.Shader | None]:
    """Return the value of a shader's input through connections, and the texture that provides it."""
    for origin in UsdShade.Utils.GetValueProducingAttributes(attribute):
        if UsdShade.Utils.GetType(origin.GetName()) == UsdShade.AttributeType.Input:
            return origin.Get(START), None
        node = UsdShade.Shader(origin.GetPrim())
        if node and node.GetIdAttr().Get() == "UsdUVTexture":
            fallback = node.GetInput("fallback")
            value = fallback.Get(START) if fallback else None
            return (None if value is None else Gf.Vec3f(*list(value)[:3])), node
    return None, None


def fitted(field: str, value: Any) -> Any:
    """Return a value as a field has it; None for one of another kind, or that is not finite."""
    rows = np.array(value if isinstance(value, (*VECTORS, int, float)) else np.nan, float)
    if rows.shape != ((3,) if field == "color" else ()) or not np.isfinite(rows).all():
        return None
    return tuple(rows.tolist()) if field == "color" else float(rows)


def display_surface(gprim: Usd.Prim) -> tuple[dict[str, Any], str]:
    """Return the display colour and opacity of a prim or its ancestors, and a note if the colour varies."""
    fields: dict[str, Any] = {}
    note = ""
    for name, field in (("displayColor", "color"), ("displayOpacity", "opacity")):
        primvar = UsdGeom.PrimvarsAPI(gprim).FindPrimvarWithInheritance(name)
        value = primvar.ComputeFlattened(START) if primvar and primvar.HasValue() else None
        rows = np.array(value if value is not None else [], float)
        if not rows.size or not np.isfinite(rows).all():
            continue
        if field == "color":
            note = VARYING if len(rows) > 1 and np.ptp(rows, axis=0).any() else ""
            fields[field] = tuple(rows.reshape(-1, 3).mean(axis=0).tolist())
        else:
            fields[field] = float(rows.mean())
    return fields, note
