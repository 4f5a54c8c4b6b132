"""The complete state of worlds at one moment: taken, restored bit by bit, stored in a file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto
from functools import cache
from pathlib import Path

import numpy as np

from ..html import count
from ..npz import read_archive, write_archive
from ..tables.contacts import CONTACT_STATE
from ..tables.layout import SLEEP, STATE, STEP_RESULTS

FORMAT = "fajin snapshot 1"
FIX = "pass a file written by Snapshot.write of this version"


class InvalidSnapshot(ValueError):
    """Raised for a snapshot that does not fit, or a file without one; the message states what was expected."""


class Part(Flag):
    """Parts of a snapshot that can be restored."""

    POSITIONS = auto()  # of the joints
    VELOCITIES = auto()  # of the joints
    ROOT = auto()  # poses and velocities of the roots
    FORCES = auto()  # efforts and forces of the user
    TARGETS = auto()  # targets of the drives, and what actuators hold of them: integrals and late commands
    PARAMETERS = auto()  # other fields that can be set: gains, limits, friction
    RESULTS = auto()  # results of the last step: efforts, accelerations
    SLEEP = auto()  # time at rest per articulation; if left out, the worlds wake
    CLOCK = auto()  # number of steps, shared by all worlds: restored only with all worlds
    CONTACTS = auto()  # contact points and friction anchors that last from step to step
    SCHEDULE = auto()  # place in the schedule, but not its rows
    ALL = POSITIONS | VELOCITIES | ROOT | FORCES | TARGETS | PARAMETERS | RESULTS | SLEEP | CLOCK | CONTACTS | SCHEDULE


ROWS = {
    "Q": Part.POSITIONS,
    "QD": Part.VELOCITIES,
    "RUNAWAY": Part.VELOCITIES,
    **dict.fromkeys(("JOINT_BROKEN", "GEAR_POSITION0", "GEAR_POSITION1", "GEAR_ERROR", "GEAR_BEGUN"), Part.POSITIONS),
    "ROOT_VELOCITY": Part.ROOT,
    **dict.fromkeys(("APPLIED_EFFORT", *(name for name, *_ in STEP_RESULTS)), Part.RESULTS),
    **dict.fromkeys((name for name, *_ in SLEEP), Part.SLEEP),
    **dict.fromkeys((name for name, *_ in CONTACT_STATE), Part.CONTACTS),
    **dict.fromkeys(
        ("EFFORT", "FORCE", "TORQUE", "FORCE_POSITION", "FORCE_IS_LOCAL", "FORCE_IS_ACCELERATION"), Part.FORCES
    ),
    **dict.fromkeys(("TARGET_Q", "TARGET_QD", "MAXIMAL_JOINT_TARGET_Q", "MAXIMAL_JOINT_TARGET_QD"), Part.TARGETS),
    **dict.fromkeys((name for name, owner, *_ in STATE if owner in "ac"), Part.TARGETS),
}
"""Part that each row belongs to. Other parameters belong to PARAMETERS; POSE follows from POSITIONS and ROOT."""


@dataclass(frozen=True, eq=False, repr=False)
class Snapshot:
    """The state of S worlds of one model. `snapshot[worlds]` selects worlds."""

    model: str  # fingerprint of the robots' structure
    dof: tuple[str, ...]
    link: tuple[str, ...]
    steps: int  # since the start
    schedule_steps: np.ndarray  # since the schedule began: (S,)
    rows: dict[str, np.ndarray]  # of state and rates by name: (S, n), in its precision and units of the device
    parameters: dict[str, np.ndarray]  # that can be set, by name: (S, n), or (1, n) where all worlds share them

    def __repr__(self) -> str:
        """Return one line: sizes and step."""
        sizes = f"{count(self.worlds, 'world')}, {count(len(self.dof), 'degree of freedom', 'degrees of freedom')}"
        return f"<Snapshot of {sizes}, {count(len(self.link), 'link')}, step {self.steps}>"

    @property
    def worlds(self) -> int:
        """Number of worlds, S."""
        return len(self.rows["Q"])

    def __getitem__(self, worlds: int | slice | np.ndarray | Sequence[int]) -> "Snapshot":
        """Return a snapshot of some worlds, by index, slice, mask or list."""
        chosen = np.arange(self.worlds)[worlds].reshape(-1)
        parameters = {name: rows if len(rows) == 1 else rows[chosen] for name, rows in self.parameters.items()}
        return replace(
            self,
            schedule_steps=self.schedule_steps[chosen],
            rows={name: rows[chosen] for name, rows in self.rows.items()},
            parameters=parameters,
        )

    def write(self, path: str | Path) -> None:
        """Write an .npz file, completely or not at all.

        Raises:
            OutputError: the file cannot be written.
        """
        words = {"model": self.model, "dof": self.dof, "link": self.link, "steps": self.steps}
        words["schedule_steps"] = self.schedule_steps
        arrays = {name: np.array(value) for name, value in words.items()}
        arrays |= {f"row.{name}": rows for name, rows in self.rows.items()}
        arrays |= {f"parameter.{name}": rows for name, rows in self.parameters.items()}
        write_archive(path, FORMAT, arrays)

    @classmethod
    def read(cls, path: str | Path) -> "Snapshot":
        """Read a file that `write` wrote.

        Raises:
            InvalidSnapshot: the file is missing, or not a snapshot.
        """
        arrays = read_archive(path, FORMAT, lambda rule: InvalidSnapshot(f"{path}: must be {rule}; {FIX}"))
        rows, parameters = (
            {name.removeprefix(part): array for name, array in arrays.items() if name.startswith(part)}
            for part in ("row.", "parameter.")
        )
        try:
            dof, link = (tuple(map(str, arrays[name])) for name in ("dof", "link"))
            steps = int(arrays["steps"]), arrays["schedule_steps"]
            return cls(str(arrays["model"]), dof, link, *steps, rows, parameters)
        except KeyError as error:
            raise InvalidSnapshot(f"{path}: {error} is missing; pass a file written by Snapshot.write") from None


@cache
def rows_of(parts: Part) -> frozenset[str]:
    """Return the names of the rows of some parts; flags take as long as all the rest of a reset of few worlds."""
    return frozenset(name for name, part in ROWS.items() if part & parts)
