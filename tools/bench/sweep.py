"""A sweep over masses and gains of a robot, 2 s at 240 Hz: the share of stepping in the time of a batch job.

A command includes the start of Python, its packages, Taichi and kernels. In a session that has run such a job before,
only the job remains: from parsing the scene to the last table.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SETTINGS = (".*:mass*=uniform(0.8,1.2)", ".*:stiffness*=loguniform(0.5,2)")


def as_command(case: dict) -> tuple[float, float]:
    """Return the wall seconds of `fajin batch`, and the seconds in launches."""
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
    """Return the wall seconds of a job in a process that has run one before, and the seconds in launches."""
    command = [sys.executable, "-c", f"from {__name__} import tell; tell()", json.dumps(case)]
    seconds, stepping = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return seconds, stepping


def tell() -> None:
    """Run the session's process: two jobs with different random numbers; print the times of the second."""
    case, seconds, stepping = json.loads(sys.argv[1]), 0.0, 0.0
    for seed in range(2):
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            _run(case, seed, Path(folder, "job"))
            seconds = time.perf_counter() - begin
            stepping = _stepping(Path(folder, "job"))
    print(json.dumps([seconds, stepping]))


def _run(case: dict, seed: int, folder: Path) -> None:
    from fajin.jobs.description.job import Job
    from fajin.jobs.execution.connection import open_worker_pool
    from fajin.jobs.results import job_folder

    position, velocity = case["iterations"]
    job = Job(
        case["robot"], case["worlds"], 2.0, shard=case["worlds"], dt=1 / 240, solver=case["solver"],
        position_iterations=position, velocity_iterations=velocity,
        device=case["device"], threads=case["threads"], random=SETTINGS, seed=seed,
    )  # fmt: skip
    with open_worker_pool() as workers:
        job_folder.run(job, folder, list(job_folder.start(job, folder, resume=False)), workers)


def _stepping(folder: Path) -> float:
    from fajin.jobs.shards import shard

    about = shard.about(folder, 0)
    assert about is not None  # the job is finished
    return about.stepping
