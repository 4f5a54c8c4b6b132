"""Running of a simulation from first step to output files, including interruption."""

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fajin.tools.progress import progress
from fajin.tools.signals import interruptible

if TYPE_CHECKING:
    from fajin import Control, Recording, Simulation
    from fajin.recording.recorder import Spool


@dataclass(frozen=True)
class Task:
    """A simulation to run and its outputs."""

    steps: int
    every: int  # steps per frame
    output: Path | None  # the motion
    joints: Path | None  # the joint log; at least one output is set
    flatten: bool
    view: bool = False  # show the motion afterwards

    @property
    def place(self) -> Path:
        """Path beside which frames are stored while the simulation runs."""
        place = self.output or self.joints
        assert place is not None  # at least one output is set
        return place


@dataclass
class RunResult:
    """Result of a simulation: the exit code and, unless that is 0, the reason."""

    code: int = 0
    reason: str = ""
    steps: int = 0  # number of finished steps
    seconds: float = 0.0  # wall time
    complete: bool = False


def run_simulation(sim: "Simulation", task: Task, controls: tuple["Control", ...]) -> int:
    """Simulate, write the outputs and print a summary; return the exit code.

    Frames are stored on disk while the simulation runs, so memory does not bound its length.
    """
    from fajin.atomic_write import staging_directory
    from fajin.recording.recorder import Spool
    from fajin.tools.simulate_messages import messages_after

    with staging_directory(task.place) as folder, tempfile.TemporaryDirectory(prefix="fajin-") as spare:
        outcome, spool = _simulate(sim, task, controls, (Spool(folder), Path(spare)))
        recording = spool.recording(outcome.complete) if len(spool) else None
        files = _save(recording, task, outcome) if recording else []
        _tell(sim, files, outcome)
        for message in messages_after(recording, bool(controls)) if recording else ():
            print(f"fajin: {message}", file=sys.stderr)
        html = _motion_html(recording, controls) if recording and task.view and outcome.code == 0 else ""
        recording = None
        spool.close()
    if html:
        from fajin.tools.show_page import show_page

        show_page(html, 0, True)
    elif task.output and outcome.code == 0:
        print(f"look at it: fajin view {task.output}")
    return outcome.code


def _motion_html(recording: "Recording", controls: tuple["Control", ...]) -> str:
    """Return the page of a motion, with the targets that controls have set."""
    from fajin.look.bands import target_changes
    from fajin.motion.motion import motion_of
    from fajin.viewer.motion_page import MotionPageOptions, motion_page

    changes = target_changes(controls, recording.dof, recording.scene.dt)
    title = Path(recording.scene.source).stem
    return motion_page(motion_of(recording), MotionPageOptions(title, changes=changes)).html()


def _simulate(
    sim: "Simulation", task: Task, controls: tuple["Control", ...], places: tuple["Spool", Path]
) -> tuple[RunResult, "Spool"]:
    """Step until the end or an interruption; return the result, and a spool of all frames so far.

    If the disk of the first place, a spool, is full, its frames move to the second, a folder on possibly another disk.
    """
    import fajin

    spool, spare = places
    outcome = RunResult()
    began = time.perf_counter()
    try:
        with interruptible() as wish, progress(task.steps, "steps") as show:
            sim.step(0)  # compile first, so that the reported speed excludes compiling
            began = time.perf_counter()
            for piece in sim.stream(task.steps, 1 if task.joints else task.every, controls):
                try:
                    spool.append(piece)
                except OSError:
                    spool = spool.moved(spare)
                    spool.append(piece)
                    raise
                finally:
                    outcome.steps = round(spool.end / sim.dt)
                show(outcome.steps)
                if wish.stop and outcome.steps < task.steps:
                    raise KeyboardInterrupt
        outcome.steps = task.steps
    except fajin.NonFinite as error:
        outcome.code = 3
        outcome.reason = f"{error.dof} is not finite at step {error.step}; try a smaller --dt or softer gains"
    except KeyboardInterrupt:
        print("fajin: interrupted; writing what was simulated", file=sys.stderr)
        outcome.code = 130
    except OSError as error:
        outcome.code, outcome.reason = 2, f"{task.place.parent}: {error.strerror}"
    outcome.complete = outcome.steps == task.steps
    outcome.seconds = time.perf_counter() - began
    return outcome, spool


def _save(recording: "Recording", task: Task, outcome: RunResult) -> list[Path]:
    """Write the motion and the joint log; on failure write to the folder for temporary files."""
    import fajin
    from fajin.recording.joint_log import write_joint_log

    def write_motion(path: Path) -> tuple[Path, ...]:
        return fajin.write(recording.thinned(task.every) if task.joints else recording, path, flatten=task.flatten)

    def write_log(path: Path) -> tuple[Path, ...]:
        write_joint_log(recording, path)
        return (path,)

    files: list[Path] = []
    refuge = None
    for write, path in ((write_motion, task.output), (write_log, task.joints)):
        if path is None:
            continue
        try:
            files += write(path)
        except OSError as error:
            outcome.code, outcome.reason = outcome.code or 2, outcome.reason or str(error)
            refuge = refuge or Path(tempfile.mkdtemp(prefix="fajin-"))
            files += write(refuge / path.name)
    return files


def _tell(sim: "Simulation", files: list[Path], outcome: RunResult) -> None:
    """Print why the simulation ended early, if it did, and a last line with its outputs."""
    if outcome.reason:
        print(f"fajin: {' '.join(outcome.reason.split())}", file=sys.stderr)
    if not files:
        print("nothing was simulated, nothing is written")
        return
    names = ", ".join(map(str, files))
    speed = outcome.steps / outcome.seconds
    parts = [f"{outcome.steps * sim.dt:.6g} s simulated{'' if outcome.complete else ', incomplete'}"]
    parts += [f"{outcome.steps} steps at {speed:,.0f} steps/s"]
    print(f"wrote {names}: {', '.join(parts)}")
