"""Files of which a stage consists."""

import hashlib
from pathlib import Path

from pxr import UsdUtils


def used_files(path: str | Path) -> dict[str, str]:
    """Return {path: SHA-256} of a USD file and of all layers and assets that it depends on."""
    layers, assets, _ = UsdUtils.ComputeAllDependencies(str(path))
    files = dict.fromkeys([layer.realPath for layer in layers] + list(assets))
    return {
        file: hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files if file and Path(file).is_file()
    }
