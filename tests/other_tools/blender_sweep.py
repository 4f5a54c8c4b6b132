"""The add-on for Blender on all scenes and ten robots: FAJIN_BPY=PYTHON python tests/other_tools/blender_sweep.py.

Words after it choose scenes by parts of their names. In each Blender of FAJIN_BPY, Pythons separated as PATH is, the
archive is installed; each scene is opened, simulated, edited, written and simulated again; then the add-on goes
and Blender ends. Prints a line per scene; ends with 1 if a law does not hold.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CLOSE = 2e-6  # [m], and of the coordinates of axes: single precision of matrices in scenes of some metres
SINGLE = 2.0**-23  # spacing of single precision, in which Blender has a base of its rate
ROBOTS = (
    "allegro_right",
    "anymal_c",
    "franka_panda",
    "gym_ant",
    "isaac_ur10",
    "newton_humanoid",
    "openarm_bimanual",
    "robotiq_2f140",
    "tiago_pro",
    "unitree_h1",
)
PATIENCE = 60.0  # [s] from the last line to Blender's end


def scenes(folder: Path, words: list[str]) -> list[Path]:
    """Copy the scenes and recorded robots; return the files of those that words choose."""
    own = Path(shutil.copytree(ROOT / "scenes", folder / "scenes"))
    robots = Path(shutil.copytree(ROOT / "tests" / "recorded" / "robots", folder / "robots"))
    found = [*sorted(own.glob("*.usda")), *(robots / f"{name}.drive.usda" for name in ROBOTS)]
    return [path for path in found if not words or any(word in path.name for word in words)]


def faults(report: dict) -> Iterator[str]:
    """Yield the laws of a scene that do not hold."""
    if "error" in report:
        yield report["error"]
        return
    motions = [report, *([report["second"]] if "second" in report else [])]
    for motion in motions:
        frames, ends = motion["frames"][:2], motion["frames"][2:]
        (rate, wanted), seconds = motion["rate"], (frames[1] - frames[0]) / motion["rate"][0]
        if abs(rate / wanted - 1.0) > SINGLE or frames != [int(end) for end in ends]:
            yield f"rate {motion['rate']}, frames {motion['frames']}"
        if abs(seconds - report["duration"]) >= 1.0 / rate:
            yield f"{seconds} s for {report['duration']} s"
        if motion["missing_links"] or not motion["compared"]:
            yield f"{motion['compared']} poses; links without object: {motion['missing_links']}"
        if max(motion["worst"], motion["turned"]) > CLOSE:
            yield f"poses differ by {motion['worst']:.1e} m, axes by {motion['turned']:.1e}"
    if report["dofs"] and "edited" not in report:
        yield "no joint to edit"
    if "edited" in report:
        yield from faults_of_edit(report)
    if not report["untouched"]:
        yield "the scene has changed"


def faults_of_edit(report: dict) -> Iterator[str]:
    """Yield the laws of an edit that do not hold."""
    for name, wanted in report["wanted"].items():
        found = report["found"][name]
        if found == wanted or (name != "drive_type" and abs(found - wanted) <= 1e-6 * max(abs(wanted), 1.0)):
            continue
        yield f"wrote {name} = {found}, not {wanted}"
    if report["dirty"] or not report["layer"]:
        yield f"layer {report['layer']!r}, still edited: {report['dirty']}"
    if report["moved"] <= 1e-4:
        yield f"the edit moves nothing: {report['moved']:.1e}"


def line_of(report: dict) -> str:
    """A scene in one line."""
    worst = [report] + ([report["second"]] if "second" in report else [])
    numbers = "  ".join(
        f"{max(one[key] for one in worst if key in one):8.1e}" for key in ("worst", "turned") if key in report
    )
    return f"{report['scene']:36} {report.get('dofs', 0):3} dofs  {numbers}  {report.get('seconds', 0.0):6.1f} s"


def sweep(python: str, archive: Path, paths: list[Path]) -> tuple[int, float, str]:
    """Run all scenes in a Blender; return the number of faults, the largest distance, and Blender's version."""
    fajin = f"{sys.executable} -m fajin.tools"
    command = [python, str(HERE / "blender_scenes.py"), str(archive), fajin, *map(str, paths)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    count, worst, seen, end = 0, 0.0, 0, {}
    for text in process.stdout:
        if not text.startswith("{"):
            continue
        report = json.loads(text)
        if "gone" in report:
            end = report
            break
        found = list(faults(report))
        seen, count, worst = seen + 1, count + len(found), max(worst, report.get("worst", 0.0))
        print(line_of(report), *(f"\n    {fault}" for fault in found), flush=True)
    try:
        status = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
        print("    Blender hangs at its end")
    if status or not end.get("gone") or seen != len(paths):
        print(f"    exit status {status}; {seen} of {len(paths)} scenes; uninstalled: {end.get('gone')}")
        count += 1
    return count, worst, end.get("version", "?")


def main(words: list[str]) -> int:
    """Sweep all Blenders; return the exit code."""
    pythons = os.environ.get("FAJIN_BPY", "").split(os.pathsep)
    if pythons == [""]:
        raise SystemExit("FAJIN_BPY must name Pythons that have bpy")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "fajin_blender.zip"
        subprocess.run([sys.executable, str(ROOT / "tools" / "blender" / "build.py"), str(archive)], check=True,
                       capture_output=True)  # fmt: skip
        for index, python in enumerate(pythons):
            paths = scenes(Path(folder) / str(index), words)
            count, worst, version = sweep(python, archive, paths)
            print(f"Blender {version}: {len(paths)} scenes, largest distance {worst:.1e} m, {count} faults", flush=True)
            bad += count
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
