"""Names of the files of a motion, and their checks before they are written; needs no USD."""

import os
from collections.abc import Iterable
from pathlib import Path

from ...atomic_write import OutputError, staging_directory

SUFFIXES = (".usda", ".usdc", ".usd")


def animation_file(root: Path) -> Path:
    """Return the path of the layer of overs for a root layer."""
    name = f"{root.stem.removesuffix('.anim')}.anim.usdc"
    return root.with_name(name if name != root.name else f"samples.{name}")


def clip_folder(root: Path) -> Path:
    """Return the path of the clip folder for a root layer."""
    return root.with_name(f"{root.stem.removesuffix('.anim')}.clips")


def unwritten(path: Path, error: Exception | None) -> OutputError:
    """Return the error for an output that USD did not write, from its `Tf.ErrorException`; None: it raised none."""
    causes = [" ".join(str(getattr(one, "commentary", one)).split()) for one in error.args] if error else []
    return OutputError.of(path, OSError("; ".join(causes) or "USD reports no cause"))


def check_place(path: Path, flatten: bool) -> None:
    """Check that a motion can be written to a path.

    Raises:
        OutputError: unknown suffix, a folder that is not writable, or a folder of clips that contains other files.
    """
    allowed = (*SUFFIXES, ".usdz") if flatten else SUFFIXES
    if path.suffix not in allowed:
        mend = "add --flatten" if path.suffix == ".usdz" else "choose one of these suffixes"
        raise OutputError(f"{path}: the suffix of a motion must be one of {', '.join(allowed)}; {mend}")
    clips = clip_folder(path)
    if clips.is_dir() and any(file.suffix != ".usdc" for file in clips.iterdir()):
        raise OutputError(f"{clips}: contains files that are not clips; choose another name")
    with staging_directory(path):
        pass


def check_layers(layers: Iterable[str], path: Path, flatten: bool) -> None:
    """Check that a motion replaces none of the layers of its source.

    Raises:
        OutputError: it would.
    """
    used = {Path(layer).resolve() for layer in layers if layer}
    for file in (path,) if flatten else (path, animation_file(path)):
        if file.resolve() in used:
            raise OutputError(f"{file}: must not be a layer of the source; choose another name")


def relative(source: Path, folder: Path) -> str:
    """Return the path by which a layer in a folder refers to the source."""
    path = Path(os.path.relpath(source.resolve(), folder.resolve())).as_posix()
    return path if path.startswith("..") else f"./{path}"
