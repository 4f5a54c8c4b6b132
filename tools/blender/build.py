# SPDX-License-Identifier: GPL-3.0-or-later
"""Builder of the add-on's archive: python tools/blender/build.py [FILE.zip]."""

import sys
import zipfile
from pathlib import Path

FOLDER = Path(__file__).parent / "fajin_blender"


def build(archive: Path) -> Path:
    """Write the archive that Blender installs; return its path."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(p for p in FOLDER.iterdir() if p.is_file() and p.suffix != ".pyc"):
            file.write(path, path.name)
    return archive


if __name__ == "__main__":
    print(build(Path(sys.argv[1] if len(sys.argv) > 1 else "fajin_blender.zip")))
