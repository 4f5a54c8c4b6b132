"""A job for clusters, whose policy kills whom it is told to."""

import os
import subprocess
import sys
from functools import cached_property
from pathlib import Path

from batches import results

SCENE = Path(__file__).parents[2] / "scenes" / "double_pendulum.usda"

JOB = ("--random", "elbow:q+=normal(0,0.3)", "--worlds", "20", "--seconds", "1", "--shard-size", "3", "--device", "cpu")
JOB = (*JOB, "--policy", "own:act", "--every", "10", "--record", "worlds=0:5 every=10")

POLICY = """
import os, signal
from pathlib import Path

HERE = Path({here!r})

def act(sim):
    sim.write("target_q", 0.9 * sim.read("q"))
    if sim.steps == 30 and (HERE / "kill").exists():  # the pid of a victim, 0 for whoever is here
        victim = int((HERE / "kill").read_text())
        if not (HERE / "always").exists():
            try:
                (HERE / "kill").rename(HERE / "killed")
            except FileNotFoundError:
                return
        os.kill(victim or os.getpid(), signal.SIGKILL)
"""


class Job:
    """The job, done from a folder where its policy is."""

    def __init__(self, home: Path):
        self.home = home
        (home / "own.py").write_text(POLICY.format(here=str(home)))

    def kill(self, victim: int = 0, always: bool = False) -> None:
        """Have a process killed in the middle of a shard, 0: the worker that does it; if always, again and again."""
        self.spare()
        (self.home / "kill").write_text(str(victim))
        if always:
            (self.home / "always").touch()

    def spare(self) -> None:
        """Have nobody killed."""
        for name in ("kill", "killed", "always"):
            (self.home / name).unlink(missing_ok=True)

    @property
    def killed(self) -> bool:
        """Whether the victim was killed."""
        return (self.home / "killed").exists()

    def run(self, folder: str, *options: str, **environment: str) -> subprocess.CompletedProcess:
        """Do the job, as a user does."""
        return self.command("-m", "fajin", "batch", SCENE, "-o", folder, *JOB, *options, **environment)

    def resume(self, folder: str, *options: str) -> subprocess.CompletedProcess:
        """Resume the job; its function must be named again."""
        return self.command("-m", "fajin", "batch", "-o", folder, "--resume", "--policy", "own:act", *options)

    def command(self, *words, **environment: str) -> subprocess.CompletedProcess:
        """Run Python to its end."""
        more = {"cwd": self.home, "env": {**os.environ, **environment}}
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, **more)

    @cached_property
    def whole(self) -> dict[str, list]:
        """The results, done in one process."""
        done = self.run("whole")
        assert done.returncode == 0, done.stderr
        return results(self.home / "whole")

    def same(self, folder: str) -> bool:
        """Whether a folder holds these results and their trajectories, to the bit, and nothing half-written."""
        assert not list((self.home / folder).rglob(".*"))
        same = results(self.home / folder) == self.whole
        here, there = trajectories(self.home / folder), trajectories(self.home / "whole")
        return same and here == there and len(here) > 0


def trajectories(folder: Path) -> dict[Path, bytes]:
    """Contents of all files."""
    paths = (path for path in (folder / "trajectories").rglob("*") if path.is_file())
    return {path.relative_to(folder): path.read_bytes() for path in paths}
