"""A session of the add-on in Blender as a Python module: BPY_PYTHON blender_session.py ARCHIVE FAJIN SCENE.

Prints one line of JSON: what happened, and how far Blender's poses are from the file's.
"""

import hashlib
import json
import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp()
import bpy

version = "{}.{}".format(*bpy.app.version[:2])
package = Path(sysconfig.get_paths()["purelib"]) / "bpy"
for folder in (package / version / "python" / "lib").glob("python3*/site-packages"):
    sys.path.append(str(folder))  # a real Blender has it on its path
from pxr import Usd, UsdGeom  # noqa: E402

archive, fajin, scene = sys.argv[1:4]


def digest() -> str:
    return hashlib.sha256(Path(scene).read_bytes()).hexdigest()


def poses(frame: int) -> dict:
    """World matrices of imported objects at a frame, as Blender evaluates them."""
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    return {o["usd_prim"]: o.evaluated_get(graph).matrix_world.copy() for o in bpy.data.objects if o.get("usd_prim")}


def worst(state) -> tuple[float, int]:
    """Largest distance between an object and its prim in the motion's file [m], and the number of comparisons."""
    stage = Usd.Stage.Open(str(state.motion))
    metres, y_up = UsdGeom.GetStageMetersPerUnit(stage), UsdGeom.GetStageUpAxis(stage) == "Y"
    largest, count = 0.0, 0
    for frame in (0, 30, bpy.context.scene.frame_end):
        cache = UsdGeom.XformCache(frame)
        for path, matrix in poses(frame).items():
            prim = stage.GetPrimAtPath(path)
            if prim and UsdGeom.Xformable(prim) and UsdGeom.Xformable(prim).TransformMightBeTimeVarying():
                x, y, z = cache.GetLocalToWorldTransform(prim).ExtractTranslation() * metres
                place = (x, -z, y) if y_up else (x, y, z)
                largest = max(largest, *(abs(matrix.translation[i] - place[i]) for i in range(3)))
                count += 1
    return largest, count


def refused(operator) -> str:
    """The message of an operator that fails."""
    try:
        operator()
    except RuntimeError as error:
        return str(error).strip()
    return ""


drawn: list[str] = []


class Layout:
    """Stand-in of a panel's layout, which keeps the labels that are drawn; Blender draws none without a window."""

    def __getattr__(self, name):
        return lambda *_, **__: Layout()

    def label(self, text="", **_):
        drawn.append(text)

    def prop(self, data, name, text=None, **_):
        drawn.append(text if text is not None else data.bl_rna.properties[name].name)


class Panel:
    """Stand-in of a panel that is drawn."""

    layout = Layout()


before = digest()
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
name = next(key for key in bpy.context.preferences.addons.keys() if key.endswith(".fajin"))  # noqa: SIM118
bpy.context.preferences.addons[name].preferences.command = fajin
report = {"version": bpy.app.version_string, "open": list(bpy.ops.fajin.open(filepath=scene))}
state = bpy.context.scene.fajin
report["dofs"] = [joint.dof for joint in state.joints]
report["clean"] = not any(joint.dirty for joint in state.joints)
report["simulate"] = [*bpy.ops.fajin.simulate(), state.message]
report["fps"] = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
report["frames"] = [bpy.context.scene.frame_start, bpy.context.scene.frame_end]
report["worst"], report["compared"] = worst(state)
start = poses(30)
index = next((i for i, joint in enumerate(state.joints) if joint.has_drive_entry and not joint.mimic), None)
if index is not None:
    state.active = index
    joint = state.joints[index]
    if joint.drive_type == "none":
        joint.drive_type, joint.drive_stiffness, joint.drive_damping = "force", 20.0, 2.0
    joint.drive_target_q = joint.drive_target_q + 0.1
    joint.drive_stiffness = joint.drive_stiffness * 2.0
    report["dirty"] = [one.dof for one in state.joints if one.dirty]
    wanted = joint.drive_stiffness, joint.drive_target_q
    report["write"] = [*bpy.ops.fajin.write(), state.message]
    joint = state.joints[index]
    report["written"] = [
        abs(a - b) / (abs(b) or 1.0) for a, b in zip((joint.drive_stiffness, joint.drive_target_q), wanted, strict=True)
    ]
    report["still_dirty"] = any(one.dirty for one in state.joints)
    report["layer"] = state.layer.read_text()
    bpy.ops.fajin.simulate()
    report["worst"] = max(report["worst"], worst(state)[0])
    end = poses(30)
    report["moved"] = max((end[path].translation - start[path].translation).length for path in start)
    report["tune"] = refused(bpy.ops.fajin.tune) or state.message
    report["tuned_dirty"] = [one.dof for one in state.joints if one.dirty]
    joint = state.joints[index]
    joint.armature = -1.0
    report["unsound"] = refused(bpy.ops.fajin.write)
second = Path(shutil.copytree(Path(scene).parent, Path(tempfile.mkdtemp()) / "second")) / Path(scene).name
bpy.ops.fajin.open(filepath=str(second))  # another robot beside the first, with prims of the same paths
report["second"] = [*bpy.ops.fajin.simulate(), state.message]
report["lost"] = refused(lambda: bpy.ops.fajin.open(filepath="/nowhere/robot.usda"))
report["kept"] = state.source == str(second)
report["labels"] = []
for index in range(len(state.joints)):
    state.active = index
    drawn.clear()
    bpy.types.FAJIN_PT_panel.draw(Panel, bpy.context)
    report["labels"].append(list(drawn))
report["check"] = [*bpy.ops.fajin.check(), state.message]
bpy.context.preferences.addons[name].preferences.command = "/nowhere/fajin"
report["missing"] = refused(bpy.ops.fajin.simulate)
report["untouched"] = digest() == before
bpy.ops.preferences.addon_disable(module=name)
report["gone"] = not hasattr(bpy.types.Scene, "fajin") and not hasattr(bpy.types, "FAJIN_PT_panel")
print(json.dumps(report), flush=True)
