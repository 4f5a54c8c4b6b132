"""Blender as a Python module, with settings of its own and USD's Python on the path, as a real Blender has it."""

import os
import sys
import sysconfig
import tempfile
from pathlib import Path

os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp()
import bpy

version = "{}.{}".format(*bpy.app.version[:2])
package = Path(sysconfig.get_paths()["purelib"]) / "bpy"
for folder in (package / version / "python" / "lib").glob("python3*/site-packages"):
    sys.path.append(str(folder))
