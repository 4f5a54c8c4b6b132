"""Loading a scene from a USD file or from a compiled model."""

from collections.abc import Sequence
from pathlib import Path

from .model import Model
from .scene import InvalidScene, Scene


def read(path: str | Path, overrides: Sequence[str] = ()) -> Scene:
    """Read a scene: its articulations, free rigid bodies and the joints between them.

    Args:
        path: a .usda, .usdc, .usd or .usdz file, or a compiled model, .npz.
        overrides: "PRIM.attribute=value" texts, applied on top of a USD file; the file does not change.

    Raises:
        InvalidScene: the file cannot be simulated; the message gives prim, attribute, value, rule and fix.
    """
    if Path(path).suffix != ".npz":
        from .usd.read.reader import read as read_usd

        return read_usd(path, overrides)
    if overrides:
        raise InvalidScene(
            "",
            "override",
            overrides[0],
            f"for a USD file, but {path} is compiled",
            "compile the scene again with the override",
        )
    return Model.read(path).scene
