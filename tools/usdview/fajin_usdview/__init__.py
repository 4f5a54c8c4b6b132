"""A menu of usdview: simulate the scene and show its motion, check it, and tune the selected joints.

    export PXR_PLUGINPATH_NAME=/path/to/tools/usdview PYTHONPATH=/path/to/tools/usdview FAJIN=/path/to/venv/bin/fajin

Each command is a subprocess of fajin, so that usdview's Python and USD and those of fajin never meet. The scene is not
written: motions and gains are layers beside it, which the session layer of usdview shows.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

from pxr import Sdf, Tf
from pxr.Usdviewq.plugin import PluginContainer

COMMAND = "FAJIN"  # variable with the words that start fajin
TARGET = "FAJIN_TUNE"  # variable with natural frequency [rad/s] and damping ratio
CHECKED = 2  # exit status of `fajin check` for a scene with errors
RAN_AWAY = 3  # exit status of `fajin simulate` for a motion that is not finite; it is written


def run(api, *arguments: object, accepted: tuple[int, ...] = (0,)) -> str | None:
    """Run fajin and return its output; None, and its last line as the status of usdview, if it fails."""
    try:
        words = [*shlex.split(os.environ.get(COMMAND, "fajin")), *map(str, arguments)]
        done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=False)
    except (OSError, ValueError) as error:
        report(api, f"fajin does not start: {error}; set the variable {COMMAND} to its command")
        return None
    if done.returncode in accepted:
        return done.stdout
    lines = (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()
    report(api, lines[-1].removeprefix("fajin: "))
    return None


def report(api, text: str) -> None:
    """Show a line as the status of usdview, and print it."""
    print(f"fajin: {text}", file=sys.stderr)
    api.PrintStatus(text)


def scene_of(api) -> Path:
    """Return the file of the root layer."""
    return Path(api.stage.GetRootLayer().realPath)


def edits_of(api) -> Path:
    """Return the layer of edits beside the scene."""
    return scene_of(api).with_suffix(".edits.usda")


def latest(api) -> Path:
    """Return the layer of edits if there is one, else the scene."""
    return edits_of(api) if edits_of(api).exists() else scene_of(api)


def show(api, path: Path) -> None:
    """Show a layer above the scene in the session layer, read again if it is shown already."""
    session, name = api.stage.GetSessionLayer(), path.as_posix()
    if known := Sdf.Layer.Find(name):
        known.Reload(force=True)
    if name not in session.subLayerPaths:
        session.subLayerPaths.insert(0, name)


def simulate(api) -> None:
    """Simulate the scene with its edits, and show the motion with its times and rate."""
    motion = scene_of(api).with_suffix(".usdview.anim.usda")
    if run(api, "simulate", latest(api), "-o", motion, accepted=(0, RAN_AWAY)) is None:
        return
    show(api, motion)
    layer, session = Sdf.Layer.FindOrOpen(motion.as_posix()), api.stage.GetSessionLayer()
    session.startTimeCode, session.endTimeCode = layer.startTimeCode, layer.endTimeCode
    session.framesPerSecond = layer.framesPerSecond
    session.timeCodesPerSecond = layer.timeCodesPerSecond
    report(api, f"{motion.name}: frames {layer.startTimeCode:g} to {layer.endTimeCode:g}")


def check(api) -> None:
    """Print what fajin finds in the scene with its edits."""
    text = run(api, "check", latest(api), accepted=(0, CHECKED))
    if text is not None:
        print(text, file=sys.stderr)
        api.PrintStatus(text.strip().splitlines()[0])


def tune(api) -> None:
    """Write gains of the selected joints to the layer of edits; frequency and ratio are those of FAJIN_TUNE."""
    joints = [str(path) for path in api.selectedPaths if "Joint" in str(api.stage.GetPrimAtPath(path).GetTypeName())]
    if not joints:
        report(api, "no joint is selected; select joints to tune")
        return
    frequency, _, ratio = os.environ.get(TARGET, "20,1").partition(",")
    pattern = "|".join(joint.replace(".", r"\.") for joint in joints)
    target = ("-w", frequency, "-z", ratio or "1")
    if run(api, "tune", scene_of(api), "--joint", pattern, *target, "-o", edits_of(api)) is not None:
        show(api, edits_of(api))
        report(api, f"{edits_of(api).name}: gains of {', '.join(joints)}")


class FajinContainer(PluginContainer):
    """The commands of the menu."""

    def registerPlugins(self, registry, api) -> None:
        """Register the commands with usdview."""
        commands = {
            "simulate": ("Simulate", simulate),
            "check": ("Check", check),
            "tune": ("Tune selected joints", tune),
        }
        self._items = [
            registry.registerCommandPlugin(f"FajinContainer.{name}", label, function)
            for name, (label, function) in commands.items()
        ]

    def configureView(self, registry, builder) -> None:
        """Add the menu."""
        menu = builder.findOrCreateMenu("fajin")
        for item in self._items:
            menu.addItem(item)


Tf.Type.Define(FajinContainer)
