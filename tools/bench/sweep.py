"""A sweep over a robot's masses and gains, 2 s at 240 Hz: how much of the time of a batch job is stepping.

As a command it pays for Python, its packages, Taichi's start and the kernels. In a session, which has run such a job
before, what is left is the job: from parsing the scene to the last table.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SETTINGS = (".*:mass*=uniform(0.8,1.2)", ".*:stiffness*=loguniform(0.5,2)")


def as_command(case: dict) -> tuple[float, float]:
    """Seconds of `fajin batch` by the clock on the wall, and those of them in launches."""
    position, velocity = case["iterations"]
    options = {
        "worlds": case["worlds"], "shard-size": case["worlds"], "seconds": 2, "dt": "1/240", "threads": case["threads"],
        "device": case["device"], "solver": case["solver"],
        "position-iterations": position, "velocity-iterations": velocity,
    }  # fmt: skip
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    words += [word for setting in SETTINGS for word in ("--random", setting)]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "fajin.tools", "batch", case["robot"], "-o", f"{folder}/job", *words]
        begin = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        return time.perf_counter() - begin, _stepping(Path(folder, "job"))


def in_session(case: dict) -> tuple[float, float]:
    """The same of a job in a process that has run one before."""
    command = [sys.executable, "-c", f"from {__name__} import tell; tell()", json.dumps(case)]
    return tuple(json.loads(subprocess.run(command, capture_output=True, check=True).stdout))


def tell() -> None:
    """What that process does: it runs two jobs of other random numbers, and says what the second one took."""
    case = json.loads(sys.argv[1])
    for seed in range(2):
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            _run(case, seed, Path(folder, "job"))
            seconds = time.perf_counter() - begin
            stepping = _stepping(Path(folder, "job"))
    print(json.dumps([seconds, stepping]))


def _run(case: dict, seed: int, folder: Path) -> None:
    from fajin.jobs import job_folder
    from fajin.jobs.job import Job
    from fajin.jobs.open_executor import open_executor

    position, velocity = case["iterations"]
    job = Job(
        case["robot"], case["worlds"], 2.0, shard=case["worlds"], dt=1 / 240, solver=case["solver"],
        position_iterations=position, velocity_iterations=velocity,
        device=case["device"], threads=case["threads"], random=SETTINGS, seed=seed,
    )  # fmt: skip
    with open_executor() as crew:
        job_folder.run(job, folder, list(job_folder.start(job, folder, resume=False)), crew)


def _stepping(folder: Path) -> float:
    from fajin.jobs import shard

    return shard.about(folder, 0).stepping
