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
from ..simulation import Simulation

if TYPE_CHECKING:
    from ..recording.recorder import Recording
    from .env import Env

STATE = ("root_pose", "root_velocity", "q", "qd")
DRIVEN = ("target_q", "effort")


class PhysxSimulation:
    """A scene of one world in PhysX, by a worker process, with the fields of a simulation that a policy needs.

    The simulation does not step: after every step it has PhysX's joints and roots. Contact forces are not read, they
    are 0; targets and efforts are PhysX's.

    Args:
        sim: simulation of the scene, in one world.
        python: interpreter that has ovphysx.

    Raises:
        InputError: the interpreter does not start, has no ovphysx, or reads other joints.
    """

    def __init__(self, sim: Simulation, python: str | Path):
        self._sim, self._python = sim, python
        worker = Path(__file__).with_name("physx_worker.py")
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  # PhysX's warnings would fill a pipe
        try:
            self._process = subprocess.Popen(
                [str(python), str(worker), str(sim.scene.source)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True,
            )  # fmt: skip
        except OSError as error:
            raise InputError(f"python = {python}: must be an interpreter that has ovphysx; {error.strerror}") from None
        self._state, self._given, self._steps = {}, {}, 0
        self._line()
        self._dofs = np.arange(0)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the simulation."""
        return getattr(self._sim, name)

    def step(self, n: int = 1) -> None:
        """Advance by n steps."""
        request = {"dt": self._sim.dt, "steps": n, **self._given}
        assert self._process.stdin is not None  # a pipe
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # its last words follow
        self._state, self._given, self._steps = self._line(), {}, self._steps + n
        if not len(self._dofs):
            self._dofs = self._matched(self._state["dof"])
        for name in STATE:
            values = self._sim.read(name)
            if name in ("q", "qd"):
                values[0, self._dofs] = self._state[name]
            else:
                values[0, 0] = self._state["pose" if name == "root_pose" else "velocity"]
            self._sim.write(name, values)

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout is not None  # a pipe
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self._errors.seek(0)
            words = self._errors.read().strip().splitlines() or ["it ended"]
            rule = "must be an interpreter that has ovphysx"
            raise InputError(f"python = {self._python}: {rule}; {reason_of(words[-1])}")
        return json.loads(line)

    def _matched(self, names: list[str]) -> np.ndarray:
        """Return the column of the simulation of each of PhysX's degrees of freedom."""
        own = [name.partition(":")[0].rpartition("/")[2] for name in self._sim.dof]
        if sorted(names) != sorted(own):
            raise InputError(f"joints of PhysX = {', '.join(names)}: must be {', '.join(own)}, those of the scene")
        return np.array([own.index(name) for name in names])

    def write(self, name: str, values: Any, worlds: Any = None, steps: Any = None) -> None:
        """Set a target or an effort of the next steps; other fields are the simulation's."""
        if name in DRIVEN and self._state:
            self._given[name] = np.asarray(values, np.float32)[0, self._dofs].tolist()
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


@contextmanager
def in_physx(env: "Env", python: str | Path) -> Iterator[None]:
    """Let an environment of one world run in PhysX within the context, and end PhysX after it.

    Raises:
        InputError: as of `PhysxSimulation`.
    """
    own, physx = env.sim, PhysxSimulation(env.sim, python)
    env.sim = env.robot.sim = physx  # pyright: ignore[reportAttributeAccessIssue]  # in the place of a simulation
    env.robot.change()
    try:
        yield
    finally:
        physx.close()
        env.sim = env.robot.sim = own
