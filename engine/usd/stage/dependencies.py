"""Files of which a stage consists."""

from pathlib import Path

from pxr import UsdUtils

from ...input_file import UnreadableFile, sha256_of
from ...scene import InvalidScene


def used_files(path: str | Path) -> dict[str, str]:
    """Return {path: SHA-256} of a USD file and of all layers and assets that it depends on.

    Raises:
        InvalidScene: one cannot be read.
    """
    layers, assets, _ = UsdUtils.ComputeAllDependencies(str(path))
    files = dict.fromkeys([layer.realPath for layer in layers] + list(assets))
    try:
        return {file: sha256_of(file) for file in files if file and Path(file).is_file()}
    except UnreadableFile as error:
        raise InvalidScene(file=path, rule=f"a stage of files that can be read ({error})", fix="allow it") from None
