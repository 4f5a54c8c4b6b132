"""Textures of materials: pictures beside or within the file, decoded by Pillow where it is installed."""

import io
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Ar, Sdf, Usd, UsdShade

from ...visual.look.scene import Texture
from ..stage.stage import START

MOST_TEXELS = 1024  # along a side; larger pictures are made smaller
MOST_BYTES = 256_000_000
TYPES = {"JPEG": "image/jpeg", "PNG": "image/png"}


class TextureReader:
    """The textures of a stage in the order in which they are first used; each file is read once."""

    def __init__(self):
        self.found: list[Texture] = []
        self._number: dict[str, tuple[int, str]] = {}

    def read(self, attribute: Usd.Attribute) -> tuple[int, str]:
        """Return the index of the texture that an attribute names, -1 where it cannot be drawn, and why not or ""."""
        asset = attribute.Get(START)
        path = str(asset.resolvedPath or asset.path) if isinstance(asset, Sdf.AssetPath) else ""
        if path not in self._number:
            texture, note = load_texture(path)
            self._number[path] = len(self.found) if texture else -1, note
            self.found += [texture] if texture else []
        return self._number[path]


def load_texture(path: str) -> tuple[Texture | None, str]:
    """Return a texture, or None and why it is not drawn."""
    name = Path(path.rstrip("]")).name  # of "robot.usdz[textures/skin.png]", too
    data = read_asset(path)
    if data is None:
        return None, f"its texture {name or '(none)'} is missing"
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        return None, f"its texture {name} needs Pillow: pip install pillow"
    try:
        with Image.open(io.BytesIO(data)) as image:
            kind, size = image.format or "", image.size
            image.thumbnail((MOST_TEXELS, MOST_TEXELS))
            picture = image.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None, f"its texture {name} is not a picture that Pillow reads"
    if kind not in TYPES or picture.size != size:
        buffer, kind = io.BytesIO(), "PNG" if kind == "PNG" else "JPEG"
        picture.save(buffer, kind, quality=88)
        data = buffer.getvalue()
    return Texture(name, np.asarray(picture, np.uint8), data, TYPES[kind]), ""


def read_asset(path: str) -> bytes | None:
    """Return the content of an asset, also of one within a package; None if it cannot be read."""
    resolver: Any = Ar.GetResolver()  # the stubs do not know OpenAsset
    asset = resolver.OpenAsset(Ar.ResolvedPath(path)) if path else None
    if not asset or asset.GetSize() > MOST_BYTES:
        return None
    return bytes(asset.GetBuffer())


def texture_file(node: UsdShade.Shader) -> tuple[Usd.Attribute | None, str]:
    """Return the attribute that names the file of a UsdUVTexture, and the primvar of its coordinates or ""."""
    file, place = (origins(node.GetInput(name)) for name in ("file", "st"))
    attribute = file[0] if file else None
    for origin in place:
        reader = UsdShade.Shader(origin.GetPrim())
        if reader and str(reader.GetIdAttr().Get()).startswith("UsdPrimvarReader"):
            named = origins(reader.GetInput("varname"))
            return attribute, str(named[0].Get(START) or "st") if named else "st"
    return attribute, "" if place else "st"


def origins(attribute: UsdShade.Input) -> list[Usd.Attribute]:
    """Return the attributes that give a shader's input its value, through connections."""
    return list(UsdShade.Utils.GetValueProducingAttributes(attribute)) if attribute else []
