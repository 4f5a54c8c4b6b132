"""Many scenes in one Blender as a Python module: BPY_PYTHON blender_scenes.py ARCHIVE FAJIN SCENE…

Each is opened, simulated, edited, written and simulated again in an empty file. Prints a line of JSON for each, and one
after the add-on is uninstalled. `blender_sweep.py` starts this and judges the lines.
"""

import hashlib
import json
import sys
import time
from pathlib import Path

from blender_poses import compare, poses
from bpy_module import bpy

ADDON = ".fajin"


def digests(folder: Path) -> dict[str, str]:
    """Checksums of all files in a folder that are not written beside a scene."""
    files = [p for p in folder.rglob("*.usd*") if ".edits." not in p.name and ".blender." not in p.name]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def shown(state) -> list[float]:
    """Elements of the objects' matrices at the first frame, one on the way, and the last one."""
    first, last = bpy.context.scene.frame_start, bpy.context.scene.frame_end
    known = [poses(state, frame) for frame in (first, first + 30, last)]
    return [element for each in known for path in sorted(each) for row in each[path] for element in row]


def edits(joint) -> dict:
    """Values of a joint to edit: its drive and position, where friction holds it; of a spherical joint its rotor."""
    if not joint.has("drive"):
        return {"armature": joint.armature + 0.5}
    nearer = 0.05 if joint.q + 0.05 < joint.upper or not joint.has_upper else -0.05
    gains = {"drive_type": joint.drive_type, "drive_stiffness": 2.0 * joint.drive_stiffness or 20.0}
    if joint.drive_type == "none":
        gains = {"drive_type": "force", "drive_stiffness": 20.0, "drive_damping": 2.0}
    return {**gains, "drive_target_q": joint.drive_target_q + 0.1, "q": joint.q + nearer}


def edit(state) -> dict:
    """Edit a joint, with a drive if there is one, write it and simulate; {} if there is no joint."""
    free = [one for one in state.joints if not one.mimic]
    joint = next((one for one in free if one.has("drive")), next(iter(free), None))
    if joint is None:
        return {}
    before, dof, wanted = shown(state), joint.dof, edits(joint)
    for name, value in wanted.items():
        setattr(joint, name, value)
    bpy.ops.fajin.write()
    joint = next(one for one in state.joints if one.dof == dof)
    return {
        "edited": dof,
        "wanted": wanted,
        "found": {name: getattr(joint, name) for name in wanted},
        "dirty": [one.dof for one in state.joints if one.dirty],
        "layer": state.layer.name if state.layer.exists() else "",
        "again": list(bpy.ops.fajin.simulate()),
        "moved": max(abs(a - b) for a, b in zip(before, shown(state), strict=True)),
        "second": compare(state),
    }


def session(path: Path) -> dict:
    """Open, simulate, edit, write and simulate a scene; return what happened."""
    began, files = time.monotonic(), digests(path.parent)
    bpy.ops.wm.read_homefile(use_empty=True)
    state = bpy.context.scene.fajin
    report = {"open": list(bpy.ops.fajin.open(filepath=str(path))), "opened": time.monotonic() - began}
    report["duration"] = json.loads(state.document)["scene"]["duration"]["value"]
    report |= {"dofs": len(state.joints), "simulate": list(bpy.ops.fajin.simulate())}
    report |= compare(state) | edit(state)
    return {**report, "untouched": digests(path.parent) == files, "seconds": time.monotonic() - began}


def main(archive: str, fajin: str, *scenes: str) -> None:
    """Install, run all scenes, uninstall."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
    name = next(key for key in bpy.context.preferences.addons.keys() if key.endswith(ADDON))  # noqa: SIM118
    folder = Path(sys.modules[name].__file__).parent
    bpy.context.preferences.addons[name].preferences.command = fajin
    for scene in scenes:
        try:
            report = session(Path(scene))
        except Exception as error:
            report = {"error": f"{type(error).__name__}: {error}".strip()}
        print(json.dumps({"scene": Path(scene).name, **report}), flush=True)
    names = [repo.module for repo in bpy.context.preferences.extensions.repos]
    bpy.ops.extensions.package_uninstall(repo_index=names.index("user_default"), pkg_id="fajin")
    left = [one for one in (bpy.types, bpy.types.Scene) for word in dir(one) if word.lower().startswith("fajin")]
    gone = not folder.exists() and name not in bpy.context.preferences.addons and not left
    print(json.dumps({"version": bpy.app.version_string, "gone": gone}), flush=True)


main(*sys.argv[1:])
