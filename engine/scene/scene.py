"""A whole scene: articulations, joints outside them, solver, signals, and what the reader had to say."""

from dataclasses import dataclass
from enum import IntEnum

from .articulation import Articulation
from .frame import Vector
from .joint import Joint


class InvalidScene(ValueError):
    """A scene that cannot be simulated; the message names prim, attribute, value, rule and mend in one line."""


class SolverType(IntEnum):
    """How the rows of a step are iterated: projected or temporal Gauss-Seidel."""

    PGS = 0
    TGS = 1


@dataclass(frozen=True)
class Diagnostic:
    """An authored thing that is not used, or not used as written, and why."""

    prim: str
    attribute: str  # attribute, relationship or schema name; "" if the prim as a whole
    value: str
    reason: str

    def __str__(self) -> str:
        """One line: prim.attribute = value: reason."""
        name = f"{self.prim}.{self.attribute}" if self.attribute else self.prim
        return f"{name} = {self.value}: {self.reason}" if self.value else f"{name}: {self.reason}"


@dataclass(frozen=True)
class TimeSamples:
    """A time-sampled parameter of one degree of freedom: linear between samples, held outside them."""

    dof: str  # joint path and axis token, "/robot/elbow:rotX"; also a driven axis outside the trees
    parameter: str  # target_q | target_qd | stiffness | damping | max_force; in a tree also lower | upper
    times: tuple[float, ...]  # [s]
    values: tuple[float, ...]  # SI


@dataclass(frozen=True)
class Scene:
    """A physics scene: gravity, solver and articulations, with everything the reader had to say about the file."""

    source: str  # path of the file
    articulations: tuple[Articulation, ...]
    gravity: Vector = (0.0, 0.0, -9.81)  # [m/s²]
    dt: float = 1.0 / 60.0  # [s]
    solver: SolverType = SolverType.TGS
    external_forces_every_iteration: bool = True
    duration: float = 5.0  # [s] of the motion, unless something else is asked for
    fps: float = 60.0  # [1/s] frames of the motion, likewise
    precision: str = "f32"  # f32 | f64, likewise
    meters_per_unit: float = 1.0  # PhysX's softness constants are per stage unit
    kilograms_per_unit: float = 1.0  # to show a value as the file writes it
    joints: tuple[Joint, ...] = ()  # outside the trees: loops, joints of free bodies, in the order of the stage
    signals: tuple[TimeSamples, ...] = ()
    sleeping: bool = True  # whether what hardly moves may fall asleep
    reports: tuple[Diagnostic, ...] = ()
