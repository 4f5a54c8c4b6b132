"""Opening of USD files: a scan before USD, USD's own diagnostics, and errors of one line."""

from pathlib import Path
from typing import Any

from pxr import Tf, Usd, UsdUtils

from ...errors import shorten
from ...scene import InvalidScene
from ...selection import suggestion
from ...usd_schema import register
from .joint_instancer_expansion import expand_all_instancers
from .prescan import prescan


class Diagnostics:
    """USD's diagnostics, captured instead of printed on stderr while the object exists."""

    def __init__(self):
        self._delegate = UsdUtils.CoalescingDiagnosticDelegate()
        self.lines: list[str] = []

    def take(self) -> list[str]:
        """Return all diagnostics so far, one line each."""
        self.lines += [commentary(item) for item in self._delegate.TakeUncoalescedDiagnostics()]
        return self.lines


LONGEST_COMMENTARY = 300


def commentary(diagnostic: Any) -> str:
    """Return the text of a diagnostic of USD as one line, shortened if it is long."""
    try:
        text = " ".join(diagnostic.commentary.split())
    except UnicodeDecodeError:
        return "text that is not UTF-8"
    return shorten(text, LONGEST_COMMENTARY)


DESCRIPTIONS = (".urdf", ".xml", ".mjcf")  # suffixes of robots that `fajin convert` reads


def open_stage(path: str | Path, root: str = "") -> tuple[Usd.Stage, Diagnostics]:
    """Open a USD file, with layers below `root` only if it is a folder; return the stage and USD's diagnostics.

    Raises:
        InvalidScene: the file is missing, is not USD, does not contain a prim, or does not pass `prescan`.
    """
    if not Path(path).is_file():
        names = [file.name for file in Path(path).parent.glob("*.usd*")]
        fix = "give the path of a .usda, .usdc, .usd or .usdz file"
        raise InvalidScene(file=path, rule="an existing file", fix=fix + suggestion(Path(path).name, names))
    register()
    said = Diagnostics()
    try:
        layers = prescan(path, root)
        stage = Usd.Stage.Open(layers[0] if layers else str(path))
    except Tf.ErrorException as error:
        reason = commentary(error.args[0])
        convert = Path(path).suffix.lower() in DESCRIPTIONS
        fix = f"convert it: fajin convert {path}" if convert else "export the scene as USD again"
        raise InvalidScene(file=path, rule=f"a USD file ({reason})", fix=fix) from None
    lines = said.take()
    if not any(True for _ in stage.Traverse()):
        missing = f" ({lines[0]})" if lines else ""
        raise InvalidScene(
            file=path,
            rule=f"a stage with an active prim{missing}",
            fix="export the scene again or correct its sublayers",
        )
    expand_all_instancers(stage)
    return stage, said
