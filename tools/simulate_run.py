"""Running of a simulation from first step to output files, including interruption."""

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fajin.tools.progress import progress
from fajin.tools.signals import interruptible

if TYPE_CHECKING:
    from fajin import Control, Recording, Simulation
    from fajin.recording.contact_log import ContactLog, ContactRecorder
    from fajin.recording.recorder import Spool


@dataclass(frozen=True)
class Task:
    """A simulation to run and its outputs."""

    steps: int
    every: int  # steps per frame
    output: Path | None  # the motion
    joints: Path | None  # the joint log; at least one output is set
    flatten: bool
    instancer: bool = False  # whether the motion is one point instancer
    contacts: Path | None = None  # the contact log
    view: bool = False  # show the motion afterwards

    @property
    def outputs(self) -> tuple[Path, ...]:
        """All outputs; beside the first one, frames are stored while the simulation runs."""
        return tuple(dict.fromkeys(path for path in (self.output, self.joints, self.contacts) if path))


def check_room(sim: "Simulation", task: Task) -> None:
    """Raise OutputError if the disk has no room for the frames."""
    from fajin.atomic_write import OutputError

    frame, place = sim.frame(), task.outputs[0]
    frames = 1 + task.steps // (1 if task.joints else task.every)
    needed = frames * sum(values.nbytes for values in (frame.q, frame.qd, frame.effort, frame.pose))
    free = shutil.disk_usage(place.parent).free
    if needed > free:
        raise OutputError(
            f"{place}: needs {needed / 1e9:,.3g} GB for {frames:,} frames, and {free / 1e9:,.3g} GB are free; "
            "simulate fewer seconds, or set a lower --fps"
        )


@contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Do some work in a thread while the caller does something that does not depend on it; raise its errors."""
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        yield
        done.result()


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
    import fajin
    from fajin.atomic_write import staging_directory
    from fajin.recording.contact_log import ContactRecorder
    from fajin.recording.recorder import Spool
    from fajin.tools.simulate_messages import messages_after

    with ExitStack() as claims, tempfile.TemporaryDirectory(prefix="fajin-") as spare:
        folder, *_ = [claims.enter_context(staging_directory(path, exclusive=True)) for path in task.outputs]
        triggers = fajin.TriggerEvents(sim) if task.contacts and sim.scene.triggers else None
        recorder = ContactRecorder(triggers) if task.contacts else None
        pieces = _pieces(sim, task, controls, recorder)
        outcome, spool = _simulate(sim, task, pieces, Spool(folder), Path(spare))
        recording = spool.recording(outcome.complete) if len(spool) else None
        files = _save(recording, task, outcome, recorder) if recording else []
        _tell(sim, files, outcome)
        for message in messages_after(recording, bool(controls)) if recording else ():
            print(f"fajin: {message}", file=sys.stderr)
        html = ""
        if recording and task.view and outcome.code == 0:
            html = _motion_html(recording, controls, recorder and recorder.log())
        recording = None
        spool.close()
    if html:
        from fajin.tools.show_page import show_page

        show_page(html, 0, True)
    elif task.output and outcome.code == 0:
        contacts = f" --contact-log {task.contacts}" if task.contacts else ""
        where = "usdview, Blender or Omniverse" if task.instancer else f"fajin view {task.output}{contacts}"
        print(f"look at it: {where}")
    return outcome.code


def _motion_html(recording: "Recording", controls: tuple["Control", ...], contacts: "ContactLog | None" = None) -> str:
    """Return the page of a motion, with the targets that controls have set and its contacts."""
    from fajin.visual.look.bands import target_changes
    from fajin.visual.look.choices import LookChoices
    from fajin.visual.look.contact_marks import turn_normals
    from fajin.visual.motion.motion import motion_of
    from fajin.visual.viewer.motion_page import MotionPageOptions, motion_page

    changes = target_changes(controls, recording.dof, recording.scene.dt)
    title = Path(recording.scene.source).stem
    motion, choices = motion_of(recording), LookChoices(show=("contacts",) if contacts else ())
    if contacts:
        motion = replace(motion, contacts=turn_normals(contacts, motion.scene))
    return motion_page(motion, MotionPageOptions(title, changes=changes, look=choices)).html()


def _pieces(
    sim: "Simulation", task: Task, controls: tuple["Control", ...], recorder: "ContactRecorder | None"
) -> Iterator["Recording"]:
    """Simulate and yield consecutive pieces of the recording; a recorder of contacts needs them frame by frame."""
    every = 1 if task.joints else task.every
    if recorder is None:
        yield from sim.stream(task.steps, every, controls)
        return
    first = sim.frame()
    recorder.add(float(first.time[-1]))
    yield first
    last = sim.steps + task.steps
    while sim.steps < last:
        count = min(every, last - sim.steps)
        coming = [event for event in controls if event.step >= sim.steps]
        *_, newest = sim.stream(count, every, coming)  # the present state comes first
        recorder.add(float(newest.time[-1]), sim.contacts, sim.dt)
        yield newest


def _simulate(
    sim: "Simulation", task: Task, pieces: Iterator["Recording"], spool: "Spool", spare: Path
) -> tuple[RunResult, "Spool"]:
    """Step until the end or an interruption; return the result, and the spool of all frames so far.

    If the disk of the spool is full, its frames move to the spare folder, on possibly another disk.
    """
    import fajin
    from fajin.tools.simulate_messages import not_finite

    outcome = RunResult()
    began = time.perf_counter()
    try:
        with interruptible() as wish, progress(task.steps, "steps") as show:
            for piece in pieces:
                if not len(spool):  # it comes after compiling, which the reported speed excludes
                    began = time.perf_counter()
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
        outcome.reason = not_finite(sim.scene, error.dof, error.step)
    except KeyboardInterrupt:
        print("fajin: interrupted; writing what was simulated", file=sys.stderr)
        outcome.code = 130
    except OSError as error:
        outcome.code, outcome.reason = 2, f"{task.outputs[0].parent}: {error.strerror}"
    outcome.complete = outcome.steps == task.steps
    outcome.seconds = time.perf_counter() - began
    return outcome, spool


def _save(
    recording: "Recording", task: Task, outcome: RunResult, recorder: "ContactRecorder | None" = None
) -> list[Path]:
    """Write the motion, the joint log and the contact log; on failure write to the folder for temporary files."""
    import fajin
    from fajin.recording.contact_log import write_contact_log
    from fajin.recording.joint_log import write_joint_log

    def write_motion(path: Path) -> tuple[Path, ...]:
        motion = recording.thinned(task.every) if task.joints else recording
        return fajin.write(motion, path, flatten=task.flatten, instancer=task.instancer)

    def write_log(path: Path) -> tuple[Path, ...]:
        write_joint_log(recording, path)
        return (path,)

    def write_contacts(path: Path) -> tuple[Path, ...]:
        if recorder:
            write_contact_log(recorder.log(), path)
        return (path,)

    files: list[Path] = []
    refuge = None
    for write, path in ((write_motion, task.output), (write_log, task.joints), (write_contacts, task.contacts)):
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
    """Print why the simulation ended early, if it did, what was simulated, and last the outputs."""
    if outcome.reason:
        print(f"fajin: {' '.join(outcome.reason.split())}", file=sys.stderr)
    if not files:
        print("nothing was simulated, nothing is written")
        return
    speed = outcome.steps / outcome.seconds
    parts = [f"{outcome.steps * sim.dt:.6g} s simulated{'' if outcome.complete else ', incomplete'}"]
    parts += [f"{outcome.steps} steps, {speed:,.0f} steps/s on {sim.device}"]
    print(f"{', '.join(parts)}\nwrote {', '.join(map(str, files))}")
