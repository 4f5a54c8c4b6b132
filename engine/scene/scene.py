"""Scenes: articulations, maximal joints, solver settings, signals and the reader's diagnostics."""

from dataclasses import dataclass
from enum import IntEnum

from ..html import count, html_table
from .articulation import Articulation
from .collider import Collider
from .collision_filter import CollisionGroup
from .contact_settings import CONTACT_SETTINGS, ContactSettings
from .fit_record import FitRecord
from .frame import Pose, Vector
from .invalid_scene import place
from .joint import Joint


class SolverType(IntEnum):
    """Iteration scheme of the constraint rows: projected or temporal Gauss-Seidel."""

    PGS = 0
    TGS = 1


@dataclass(frozen=True)
class Diagnostic:
    """An authored opinion that is ignored or used otherwise than authored, with the reason."""

    code: str  # kind of the diagnostic, as listed in docs/diagnostics.md; it stays, the wording may change
    prim: str
    attribute: str  # attribute, relationship or schema name; "" for the whole prim
    value: str
    reason: str
    fix: str = ""
    related: str = ""  # the other prim, schema, attribute or degree of freedom that the reason names

    @property
    def message(self) -> str:
        """Return reason and fix: reason; fix."""
        return f"{self.reason}; {self.fix}" if self.fix else self.reason

    def __str__(self) -> str:
        """Return one line: prim.attribute = value: reason; fix."""
        return f"{place(self.prim, self.attribute, self.value)}: {self.message}"


@dataclass(frozen=True)
class TimeSamples:
    """A time-sampled parameter of one degree of freedom: linear between samples, constant outside them."""

    dof: str  # joint path and axis token, "/robot/elbow:rotX"; also a driven axis of a maximal joint
    parameter: str  # target_q | target_qd | stiffness | damping | max_force; in a tree also lower | upper
    times: tuple[float, ...]  # [s]
    values: tuple[float, ...]  # SI


@dataclass(frozen=True)
class BodyMotion:
    """Time-sampled pose of a kinematic body: linear between samples, constant outside them."""

    body: str  # path of its link
    times: tuple[float, ...]  # [s]
    poses: tuple[Pose, ...]  # world frames of its prim [m], quaternions


@dataclass(frozen=True, repr=False)
class Scene:
    """A physics scene: gravity, solver, articulations, and the reader's diagnostics about the file."""

    source: str  # path of the file
    articulations: tuple[Articulation, ...]
    gravity: Vector = (0.0, 0.0, -9.81)  # [m/s²]
    dt: float = 1.0 / 60.0  # [s]
    solver: SolverType = SolverType.TGS
    external_forces_every_iteration: bool = True
    duration: float = 5.0  # [s] default length of the motion
    fps: float = 60.0  # [1/s] default frame rate of the motion
    precision: str = "f32"  # f32 | f64, default precision
    meters_per_unit: float = 1.0  # PhysX's softness constants are per stage unit
    kilograms_per_unit: float = 1.0  # used to display values in the file's unit
    joints: tuple[Joint, ...] = ()  # maximal joints: loops, joints of free bodies, in stage order
    signals: tuple[TimeSamples, ...] = ()
    motions: tuple[BodyMotion, ...] = ()
    sleeping: bool = True  # True if links at rest may fall asleep
    colliders: tuple[Collider, ...] = ()  # in stage order; their places are their numbers
    triggers: tuple[Collider, ...] = ()  # shapes that are not solid, in stage order
    contacts: ContactSettings = CONTACT_SETTINGS
    filtered_pairs: tuple[tuple[str, str], ...] = ()  # paths of prims; colliders at or below them do not collide
    collision_groups: tuple[CollisionGroup, ...] = ()
    inverted_groups: bool = False  # True if groups collide only with those that they list
    ccd: bool = False  # True if bodies with `ccd` are swept
    fit: FitRecord | None = None  # what was fitted to logs
    reports: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        """Return one line: source and sizes."""
        joints = [joint for robot in self.articulations for joint in robot.joints]
        free = sum(robot.free for robot in self.articulations)
        parts = [
            count(len(self.articulations) - free, "articulation"),
            *([count(free, "free body", "free bodies")] if free else []),
            count(sum(len(robot.links) for robot in self.articulations if not robot.free), "link"),
            count(sum(len(joint.axes) for joint in joints), "degree of freedom", "degrees of freedom"),
            *([count(len(self.colliders), "collider")] if self.colliders else []),
        ]
        return f"<Scene {self.source}: {', '.join(parts)}, {1.0 / self.dt:.6g} steps/s>"

    def _repr_html_(self) -> str:
        """Return a table of the degrees of freedom for notebooks."""
        header = ("joint", "axis", "lower", "upper", "q", "drive", "unit")
        rows = []
        for robot in self.articulations:
            for joint in robot.joints:
                name = joint.path.rpartition("/")[2]
                for axis in joint.axes:
                    drive = f"{axis.drive.stiffness:.6g}, {axis.drive.damping:.6g}" if axis.drive else ""
                    unit = "rad" if axis.rotational else "m"
                    rows.append((name, axis.token, axis.lower, axis.upper, axis.q, drive, unit))
        return html_table(repr(self), header, rows)
