"""Jobs as plain values that serialise to JSON, with everything that determines the results."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from ...input_file import sha256_of

FILES = ("scene", "table", "initial", "controls")
"""Fields of a job that are paths."""
IN_SCENE = ("set", "drive", "dt", "solver", "position_iterations", "velocity_iterations", "contacts")
"""Fields of a job that override values of the scene; a compiled model contains them."""


@dataclass(frozen=True)
class Record:
    """Range of worlds whose trajectories are recorded, [first, last), and the steps per frame."""

    first: int
    last: int
    every: int


@dataclass(frozen=True)
class Job:
    """A scene in many worlds for a duration. Files are paths; `shard` is the number of worlds per shard."""

    scene: str
    worlds: int
    seconds: float | None  # None for the scene's duration
    shard: int
    set: tuple[str, ...] = ()
    drive: tuple[str, ...] = ()
    dt: float | None = None
    solver: str | None = None
    position_iterations: int | None = None
    velocity_iterations: int | None = None
    contacts: bool = True  # False drops the scene's colliders
    contact_slots: int | None = None  # most pairs of colliders that may be near each other; None for the rule
    device: str = "auto"
    precision: str | None = None  # None for the scene's
    threads: int = 0
    grid: tuple[str, ...] = ()
    random: tuple[str, ...] = ()
    degrees: bool = False  # angles of grid and random are in degrees
    table: str | None = None
    seed: int = 0
    initial: str | None = None
    controls: str | None = None
    metrics: tuple[str, ...] = ("all",)
    policy: str | None = None
    stop: str | None = None
    every: int = 1  # steps between calls of policy, stop and metrics defined by the user
    record: Record | None = None

    @property
    def shards(self) -> int:
        """Number of shards."""
        return -(-self.worlds // self.shard)

    def worlds_of(self, i: int) -> np.ndarray:
        """Return the indices of the worlds of shard i."""
        return np.arange(i * self.shard, min(self.worlds, (i + 1) * self.shard))

    @property
    def functions(self) -> tuple[tuple[str, str], ...]:
        """(option, "module:function") of user code."""
        own = [("policy", self.policy), ("stop", self.stop), *(("metrics", text) for text in self.metrics)]
        return tuple((option, text) for option, text in own if text and (option != "metrics" or ":" in text))

    def as_json(self) -> str:
        """Return the job as JSON text for `of_json`."""
        return json.dumps(asdict(self))

    @classmethod
    def of_json(cls, text: str) -> "Job":
        """Return the job from JSON text of `as_json`."""
        said = json.loads(text)
        record = said.pop("record")
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in said.items()
        }
        return cls(**values, record=Record(**record) if record else None)

    def files(self) -> dict[str, str]:
        """Return {field: SHA-256} of the files that the job reads besides the scene."""
        paths = {name: getattr(self, name) for name in FILES[1:]}
        return {name: sha256_of(path) for name, path in paths.items() if path}

    def diff(self, other: "Job") -> list[str]:
        """Return the names of fields that differ from another job, except fields without effect on results."""
        names = (field.name for field in fields(self) if field.name not in (*FILES, "threads"))
        return [name for name in names if getattr(self, name) != getattr(other, name)]
