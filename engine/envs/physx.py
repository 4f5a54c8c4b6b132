"""PhysX in the place of a simulation: the terms of a task read its state, and its actions drive it."""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, reason_of
from ..scene import InvalidScene
from ..simulation import Simulation
from ..simulation.readout import Readout
from .physx_contacts import ReportedContacts

if TYPE_CHECKING:
    from ..recording.recorder import Recording
    from .env import Env

STATE = ("q", "qd", "root_pose", "root_velocity")
"""Fields that PhysX answers with, in its order."""
DRIVEN = ("target_q", "effort")
"""Fields that PhysX is driven by."""
TOGETHER = 25
"""Worlds of one stage. Their shapes overlap while they are near the start: pairs grow with the square."""


class PhysxSimulation:
    """A scene in PhysX, by a worker process, with the fields of a simulation that a policy needs.

    Several worlds are copies at one place of one stage, in collision groups of their own: each has the bits that it
    has alone. The simulation does not step: after every step it has PhysX's joints, roots and contacts of
    colliders. Targets and efforts are PhysX's.

    Args:
        sim: simulation of the scene.
        python: interpreter that has ovphysx.
        readout: read-out that takes the contacts over.
        columns: columns in it of the colliders whose contacts are read.

    Raises:
        InputError: the interpreter does not start, has no ovphysx, or reads other joints.
        InvalidScene: there are several worlds of a scene that cannot be copied, see `most_worlds`.
    """

    def __init__(self, sim: Simulation, python: str | Path, readout: Readout, columns: np.ndarray):
        self._sim, self._python = sim, python
        self._folder = tempfile.TemporaryDirectory()
        self._contacts = ReportedContacts(readout, columns)
        scene, self._sensors = self._stage([readout.collider[i] for i in columns])
        worker = Path(__file__).with_name("physx_worker.py")
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  # PhysX's warnings would fill a pipe
        try:
            self._process = subprocess.Popen(
                [str(python), str(worker), str(scene), str(sim.worlds), *self._sensors],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            )  # fmt: skip
        except OSError as error:
            raise InputError(f"python = {python}: must be an interpreter that has ovphysx; {error.strerror}") from None
        self._driven: dict[str, np.ndarray] = {}
        self._steps = 0
        self._line()
        self._dofs = np.arange(0)

    def _stage(self, colliders: list[str]) -> tuple[Path, list[str]]:
        """Return the stage of all worlds, and in it the paths of colliders that report, world after world."""
        sim, folder = self._sim, Path(self._folder.name)
        scene, places = Path(sim.scene.source), [""]
        if sim.worlds > 1:
            scene = _copied(scene, self._folder.name, sim.worlds)
            places = [f"/World/envs/env_{world}" for world in range(sim.worlds)]
        paths = [place + path for place in places for path in colliders]
        return _reporting(scene, folder, paths) if paths else scene, paths

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the simulation."""
        return getattr(self._sim, name)

    def step(self, n: int = 1) -> None:
        """Advance by n steps."""
        request = {"dt": self._sim.dt, "steps": n, "driven": list(self._driven)}
        assert self._process.stdin is not None  # a pipe
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            for values in self._driven.values():
                self._process.stdin.write(values.tobytes())
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # its last words follow
        names = self._line()["dof"]
        self._driven, self._steps = {}, self._steps + n
        if not len(self._dofs):
            self._dofs = self._matched(names)
        self._take(self._numbers(self._sim.worlds, 2 * len(names) + 13))
        if self._sensors:
            forces = self._numbers(n * len(self._sensors), 3).reshape(n, self._sim.worlds, -1, 3)
            self._contacts.add(forces, self._sim.dt)

    def _take(self, state: np.ndarray) -> None:
        """Give the simulation PhysX's state: q, qd, pose and velocity of the root, (W, 2 D + 13)."""
        count = len(self._dofs)
        parts = dict(zip(STATE, np.split(state, [count, 2 * count, 2 * count + 7], 1), strict=True))
        for name, part in parts.items():
            values = self._sim.read(name)
            if name in ("q", "qd"):
                values[:, self._dofs] = part
            else:
                values[:, 0] = part
            self._sim.write(name, values)

    def _line(self) -> dict[str, Any]:
        """Return the next line of the worker."""
        assert self._process.stdout is not None  # a pipe
        line = self._process.stdout.readline()
        if not line:
            raise self._ended()
        return json.loads(line)

    def _numbers(self, rows: int, columns: int) -> np.ndarray:
        """Return the numbers that follow a line of the worker, (rows, columns) float32."""
        assert self._process.stdout is not None  # a pipe
        data = self._process.stdout.read(4 * rows * columns)
        if len(data) < 4 * rows * columns:
            raise self._ended()
        return np.frombuffer(data, np.float32).reshape(rows, columns)

    def _ended(self) -> InputError:
        """Return the error of a worker that has ended, with its last words."""
        self._process.wait()
        self._errors.seek(0)
        words = self._errors.read().strip().splitlines() or ["it ended"]
        rule = "must be an interpreter that has ovphysx"
        return InputError(f"python = {self._python}: {rule}; {reason_of(words[-1])}")

    def _matched(self, names: list[str]) -> np.ndarray:
        """Return the column of the simulation of each of PhysX's degrees of freedom."""
        own = [name.partition(":")[0].rpartition("/")[2] for name in self._sim.dof]
        if sorted(names) != sorted(own):
            raise InputError(f"joints of PhysX = {', '.join(names)}: must be {', '.join(own)}, those of the scene")
        return np.array([own.index(name) for name in names])

    def write(self, name: str, values: Any, worlds: Any = None, steps: Any = None) -> None:
        """Set a target or an effort of the next steps in all worlds; other fields are the simulation's."""
        if name in DRIVEN and len(self._dofs):
            self._driven[name] = np.asarray(values, np.float32)[:, self._dofs]
        else:
            self._sim.write(name, values, worlds, steps)

    def frame(self) -> "Recording":
        """Return the present state as a recording of one frame, as `Simulation.frame`."""
        self._sim.steps = self._steps
        return self._sim.frame()

    def close(self) -> None:
        """End the worker."""
        assert self._process.stdin is not None  # a pipe
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        self._errors.close()
        self._folder.cleanup()


def _copied(scene: str | Path, folder: str, worlds: int) -> Path:
    """Write a stage of copies of a scene, all at one place, in a folder; return its path."""
    from ..author import copies  # loads pxr

    path = Path(folder) / "copies.usda"
    copies(scene, path, worlds, 0.0)
    return path


def _reporting(scene: Path, folder: Path, colliders: list[str]) -> Path:
    """Write a stage in which colliders of a scene report their contacts, in a folder; return its path."""
    from ..author.contact_reports import report_contacts  # loads pxr

    return report_contacts(scene, folder / "reporting.usda", colliders)


def most_worlds(sim: Simulation) -> int:
    """Return the number of worlds that PhysX steps together: 1 where the scene cannot be copied."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            _copied(sim.scene.source, folder, 2)
        except InvalidScene:
            return 1
    return TOGETHER


@contextmanager
def in_physx(env: "Env", python: str | Path) -> Iterator[None]:
    """Let an environment run in PhysX within the context, and end PhysX after it.

    Raises:
        InputError, InvalidScene: as of `PhysxSimulation`.
    """
    watched = [group.columns for group in env._contacts.values()]
    columns = np.unique(np.concatenate([np.arange(0), *watched]))
    own, physx = env.sim, PhysxSimulation(env.sim, python, env.robot.readout, columns)
    env.sim = env.robot.sim = physx  # pyright: ignore[reportAttributeAccessIssue]  # in the place of a simulation
    env.robot.change()
    try:
        yield
    finally:
        physx.close()
        env.sim = env.robot.sim = own
