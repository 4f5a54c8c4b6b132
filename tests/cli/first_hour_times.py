"""Wall and processor time of the commands of a first hour: `python tests/cli/first_hour_times.py [WORD]`.

With a word, only the commands that contain it. Every command runs in a process of its own, with the caches of this
machine; `XDG_CACHE_HOME=$(mktemp -d)` before it measures empty caches.
"""

import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
STEPS = """import fajin
sim = fajin.Simulation(fajin.read("scenes/arm7.usda"), worlds=4)
for _ in range(200):
    sim.effort[:] = 10.0 * (0.3 - sim.q) - sim.qd
    sim.step()
"""
LINES = """fajin --help
fajin --version
fajin view --help
python -c "import fajin"
fajin simulate scenes/ur10.usda -o ur10.anim.usda
fajin simulate robots/franka_panda.drive.usda -o franka.anim.usda
fajin inspect scenes/ur10.usda --pose
fajin check robots/anymal_c.drive.usda --fix -o fixed.usda
fajin tune scenes/arm7.usda --joint joint1 -w 20 -z 0.7
fajin author drive scenes/arm7.usda --joint joint2 --stiffness 300 --damping 30 -o arm.usda
fajin batch scenes/arm7.usda -o sweep --worlds 300 --seconds 2 --random 'joint2:stiffness=loguniform(10,1000)'
fajin render ur10.anim.usda -o ur10.png
fajin convert robots.urdf -o converted.usda
fajin doctor
python steps.py"""


def main() -> None:
    """Print a line per command."""
    print(f"{'wall [s]':>9} {'CPU [s]':>8}  command; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "scenes").symlink_to(ROOT / "scenes")
        (folder / "robots").symlink_to(ROOT / "tests" / "recorded" / "robots")
        (folder / "robots.urdf").symlink_to(ROOT / "tests" / "recorded" / "descriptions" / "lever.urdf")
        (folder / "steps.py").write_text(STEPS)
        for line in LINES.splitlines():
            if not sys.argv[1:] or sys.argv[1] in line:
                measure(line, folder)


def measure(line: str, folder: Path) -> None:
    """Print wall and processor time of a command."""
    program, *words = shlex.split(line)
    command = [sys.executable, *(["-m", "fajin"] if program == "fajin" else []), *words]
    began, before = time.perf_counter(), _spent()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    wall, spent = time.perf_counter() - began, _spent() - before
    failed = f" FAILED: {done.stderr.strip().splitlines()[-1:]}" if done.returncode else ""
    print(f"{wall:9.2f} {spent:8.2f}  {line}{failed}", flush=True)


def _spent() -> float:
    """Return the processor time of ended children [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
