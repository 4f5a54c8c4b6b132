"""A session of the add-on in Blender as a Python module: BPY_PYTHON blender_session.py ARCHIVE FAJIN SCENE [--whole].

Prints one line of JSON: what happened, and how far Blender's poses are from the file's. Without --whole it opens,
simulates, edits and checks; with it, it also runs beside Blender, renders a film and meets faults.
"""

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import blender_poses
from blender_panel import labels
from blender_poses import compare, distance
from bpy_module import bpy
from pxr import Usd

archive, fajin, scene = sys.argv[1:4]


def digest() -> str:
    return hashlib.sha256(Path(scene).read_bytes()).hexdigest()


def poses(frame: int) -> dict:
    """World matrices of imported objects at a frame, as Blender evaluates them."""
    return blender_poses.poses(state, frame)


def refused(operator) -> str:
    """The message of an operator that fails."""
    try:
        operator()
    except RuntimeError as error:
        return str(error).strip()
    return ""


def driven() -> int | None:
    """The first joint that may have a drive."""
    return next((i for i, joint in enumerate(state.joints) if joint.has("drive") and not joint.mimic), None)


def edit(index: int) -> None:
    """Edit a drive, write it, and see the motion change."""
    start = poses(30)
    joint = state.joints[index]
    if joint.drive_type == "none":
        joint.drive_type, joint.drive_stiffness, joint.drive_damping = "force", 20.0, 2.0
    joint.drive_target_q = joint.drive_target_q + 0.1
    joint.drive_stiffness = joint.drive_stiffness * 2.0
    report["dirty"] = [one.dof for one in state.joints if one.dirty]
    wanted = joint.drive_stiffness, joint.drive_target_q
    report["reload"] = [*bpy.ops.fajin.reload(), state.message, [one.dof for one in state.joints if one.dirty]]
    report["write"] = [*bpy.ops.fajin.write(), state.message]
    joint = state.joints[index]
    report["written"] = [
        abs(a - b) / (abs(b) or 1.0) for a, b in zip((joint.drive_stiffness, joint.drive_target_q), wanted, strict=True)
    ]
    report["still_dirty"] = any(one.dirty for one in state.joints)
    report["layer"] = state.layer.read_text()
    bpy.ops.fajin.simulate()
    report["worst"] = max(report["worst"], compare(state)["worst"])
    end = poses(30)
    report["moved"] = max((end[path].translation - start[path].translation).length for path in start)
    report["tune"] = refused(bpy.ops.fajin.tune) or state.message
    report["tuned_dirty"] = [one.dof for one in state.joints if one.dirty]
    joint = state.joints[index]
    joint.armature = -1.0
    report["unsound"] = [refused(one) for one in (bpy.ops.fajin.write, bpy.ops.fajin.simulate, bpy.ops.fajin.live)]
    report["left"] = [refused(lambda: bpy.ops.fajin.open(filepath=scene)), joint.armature]
    bpy.ops.fajin.revert()
    report["reverted"] = [state.message, any(one.dirty for one in state.joints)]


def press_simulate() -> None:
    """Simulate what is edited and not yet written, as one who presses nothing else."""
    joint = state.joints[driven()]
    joint.drive_target_q = joint.drive_target_q + 0.1
    wanted = joint.drive_target_q
    bpy.ops.fajin.simulate()
    report["pressed"] = [state.message, state.joints[driven()].drive_target_q - wanted]


def open_again() -> None:
    """Open what is open: nothing is imported twice."""
    count = len(bpy.data.objects)
    bpy.ops.fajin.open(filepath=scene)
    report["opened_again"] = [state.message, len(bpy.data.objects) - count]


def undo() -> None:
    """Undo while a simulation is in progress, and while one runs: all of Blender's objects are replaced."""
    bpy.ops.ed.undo_push(message="before")
    bpy.context.scene.frame_set(7)
    bpy.ops.ed.undo_push(message="after")
    module.motion_operators.begin_simulation(bpy.context.scene)
    work = module.background.running()
    bpy.ops.ed.undo()
    while work.tick():
        time.sleep(0.05)
    bpy.app.timers.unregister(work._timer)
    report["undone"] = [bpy.context.scene.fajin.message, bpy.context.scene.frame_current]


def run_live() -> None:
    """Run the scene beside Blender, move a slider, undo, and compare the objects with the states."""
    global state
    before = poses(0)
    bpy.ops.fajin.live()
    live = module.live.running()
    deadline = time.monotonic() + 300.0

    def tick(seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and live.session.running:
            time.sleep(0.05)
            live.tick()  # a module has no loop of events that calls timers

    while not live.session.state and live.session.running and time.monotonic() < deadline:
        tick(0.2)
    tick(0.5)
    if state.sliders:
        state.sliders[0].share = 0.75
        tick(1.0)
        wanted = state.sliders[0].value
        report["slider"] = min(abs(q - wanted) for q in live.session.state["target_q"])
    bpy.ops.fajin.tell(what="pause")
    bpy.ops.ed.undo_push(message="paused")
    bpy.ops.object.empty_add()
    bpy.ops.ed.undo()
    state = bpy.context.scene.fajin
    tick(1.0)
    shown = dict(live.session.poses())
    bpy.context.view_layer.update()
    now = {o["usd_prim"]: o.matrix_world for o in bpy.data.objects if o.get("usd_scene") == state.source}
    report["live"] = max(distance(now[path], pose[:3], state.up_axis) for path, pose in shown.items() if path in now)
    report["live_links"] = [len(live.links), len(shown), state.message]
    report["live_labels"] = labels()
    bpy.ops.fajin.stop()
    after = poses(0)
    report["restored"] = max((after[path].translation - before[path].translation).length for path in before)
    report["live_ended"] = live.session._process.poll()


def cancel() -> None:
    """Begin to simulate beside Blender, as it does with windows, and cancel while the panel shows the progress."""
    own = module.background
    module.motion_operators.begin_simulation(bpy.context.scene)
    work = own.running()
    report["working"] = [labels(), work.tick() > 0.0, refused(bpy.ops.fajin.simulate), refused(bpy.ops.fajin.live)]
    bpy.ops.fajin.cancel()
    while work.tick():
        time.sleep(0.05)
    report["cancelled"] = [state.message, own.running() is None, bpy.app.timers.is_registered(work._timer)]
    bpy.app.timers.unregister(work._timer)  # a module has no loop of events that forgets it
    report["again"] = [*bpy.ops.fajin.simulate(), state.message]


def spoil() -> None:
    """A joint vanishes from the scene while it is edited; then the layer cannot be written."""
    path = Path(shutil.copytree(Path(scene).parent, Path(tempfile.mkdtemp()) / "spoilt")) / Path(scene).name
    bpy.ops.fajin.open(filepath=str(path))
    state.layer.unlink(missing_ok=True)
    bpy.ops.fajin.reload()
    joint = state.joints[0]
    joint.armature = 0.5
    state.layer.mkdir()
    report["blocked"] = [refused(bpy.ops.fajin.write), joint.dirty, joint.armature]
    state.layer.rmdir()
    stage = Usd.Stage.Open(str(path))
    prim = joint.dof.rpartition(":")[0]
    stage.GetPrimAtPath(prim).SetActive(False)
    stage.Save()
    report["vanished"] = [refused(bpy.ops.fajin.write), joint.dirty, prim]
    report["reread"] = [refused(bpy.ops.fajin.reload), state.message]


before = digest()
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
name = next(key for key in bpy.context.preferences.addons.keys() if key.endswith(".fajin"))  # noqa: SIM118
module = sys.modules[name]
bpy.context.preferences.addons[name].preferences.command = fajin
report = {"version": bpy.app.version_string, "early": refused(bpy.ops.fajin.simulate), "empty": labels()}
report["open"] = list(bpy.ops.fajin.open(filepath=scene))
state = bpy.context.scene.fajin
report["dofs"] = [joint.dof for joint in state.joints]
report["clean"] = not any(joint.dirty for joint in state.joints)
report["simulate"] = [*bpy.ops.fajin.simulate(), state.message]
report.update(compare(state))
report["markers"] = sum(1 for _ in module.overlay.world_lines(state))
if (index := driven()) is not None:
    state.active = index
    edit(index)
report["labels"] = []
for index in range(len(state.joints)):
    state.active = index
    report["labels"].append(labels())
report["check"] = [*bpy.ops.fajin.check(), state.message]
report["offered"] = labels()
if "--whole" in sys.argv:
    press_simulate()
    open_again()
    cancel()
    undo()
    state = bpy.context.scene.fajin
    run_live()
    second = Path(shutil.copytree(Path(scene).parent, Path(tempfile.mkdtemp()) / "second")) / Path(scene).name
    bpy.ops.fajin.open(filepath=str(second))  # another robot beside the first, with prims of the same paths
    report["second"] = [*bpy.ops.fajin.simulate(), state.message]
    report["lost"] = refused(lambda: bpy.ops.fajin.open(filepath="/nowhere/robot.usda"))
    report["kept"] = state.source == str(second)
    bpy.context.scene.render.engine = "CYCLES"  # the others need a GPU
    bpy.context.scene.cycles.samples = 1
    bpy.context.scene.render.resolution_x, bpy.context.scene.render.resolution_y = 64, 48
    bpy.context.scene.frame_end = 8
    report["film"] = [refused(bpy.ops.fajin.film) or state.message, state.film.exists() and state.film.stat().st_size]
    spoil()
bpy.context.preferences.addons[name].preferences.command = "/nowhere/fajin"
report["missing"] = refused(bpy.ops.fajin.simulate)
os.environ["FAJIN"] = fajin if " " not in fajin else ""
report["found"] = refused(bpy.ops.fajin.find) or state.message
report["untouched"] = digest() == before
source = state.source
bpy.context.preferences.extensions.repos.new(name="second", module="second")
bpy.ops.extensions.package_install_files(filepath=archive, repo="second", enable_on_install=True)
report["twice"] = labels()
bpy.ops.preferences.addon_disable(module=name)
report["taken_over"] = [bpy.types.FAJIN_PT_panel.__module__, bpy.context.scene.fajin.source == source]
bpy.ops.preferences.addon_disable(module="bl_ext.second.fajin")
report["gone"] = not hasattr(bpy.types.Scene, "fajin") and not hasattr(bpy.types, "FAJIN_PT_panel")
print(json.dumps(report), flush=True)
