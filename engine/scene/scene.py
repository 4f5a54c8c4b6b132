"""What a file says, in SI units and radians: frozen dataclasses that know neither USD nor Taichi.

Positions [m], quaternions (x, y, z, w), angles [rad], masses [kg], time [s]. Frames: `pose` is a prim's rigid world
frame (scale removed), `frame0` and `frame1` are a joint's frame in the frames of its two bodies.
"""

from dataclasses import dataclass
from enum import IntEnum
from math import inf

from .tendon import FixedTendon, SpatialTendon

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Pose = tuple[Vector, Quaternion]

IDENTITY: Pose = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
WORLD = ""


class InvalidScene(ValueError):
    """A scene that cannot be simulated; the message names prim, attribute, value, rule and mend in one line."""


class JointType(IntEnum):
    """Joint types, in the order in which PhysX ranks the children of a link."""

    FIXED = 0
    REVOLUTE = 1
    PRISMATIC = 2
    SPHERICAL = 3
    D6 = 4
    DISTANCE = 5


class DriveType(IntEnum):
    """What a drive's gains multiply to: an effort or an acceleration."""

    NONE = 0
    FORCE = 1
    ACCELERATION = 2


class SolverType(IntEnum):
    """How the rows of a step are iterated: projected or temporal Gauss-Seidel."""

    PGS = 0
    TGS = 1


@dataclass(frozen=True)
class Envelope:
    """What a motor can do: |τ| ≤ max_force − resistance |q̇| and |q̇| ≤ max_actuator_velocity − gradient |τ|."""

    max_actuator_velocity: float = inf  # [rad/s | m/s]
    velocity_dependent_resistance: float = 0.0  # [N·m·s/rad | N·s/m]
    speed_effort_gradient: float = 0.0  # [rad/s/(N·m) | m/s/N]


@dataclass(frozen=True)
class Drive:
    """An implicit joint drive: effort or acceleration = stiffness (target_q - q) + damping (target_qd - qd)."""

    type: DriveType = DriveType.FORCE
    stiffness: float = 0.0  # [N·m/rad | N/m], or [1/s²] for an acceleration drive
    damping: float = 0.0  # [N·m·s/rad | N·s/m], or [1/s]
    max_force: float = inf  # [N·m | N]; bounds drive and user effort together
    target_q: float = 0.0  # [rad | m]
    target_qd: float = 0.0  # [rad/s | m/s]
    envelope: Envelope | None = None


@dataclass(frozen=True)
class Friction:
    """Dry and viscous joint friction, as efforts."""

    static: float = 0.0  # [N·m | N] effort below which the joint sticks
    dynamic: float = 0.0  # [N·m | N] effort of a sliding joint
    viscous: float = 0.0  # [N·m·s/rad | N·s/m] effort per joint speed


@dataclass(frozen=True)
class Mimic:
    """A degree of freedom bound to others of its articulation: q + Σ gearing q_reference + offset = 0.

    All positions are in the authored sense of their joints. Zero natural frequency or damping ratio: a hard bond.
    """

    references: tuple[tuple[str, float], ...]  # ("/robot/finger:rotX", gearing [own rad | m per rad | m]), ...
    offset: float = 0.0  # [rad | m]
    natural_frequency: float = 0.0  # [rad/s]
    damping_ratio: float = 0.0


@dataclass(frozen=True)
class LimitSpring:
    """How the limits of a joint outside the trees give way: a spring, or a bounce; zero: hard and without bounce."""

    stiffness: float = 0.0  # [N·m/rad | N/m]
    damping: float = 0.0  # [N·m·s/rad | N·s/m]
    restitution: float = 0.0
    bounce_threshold: float = 0.0  # [rad/s | m/s] speed below which nothing bounces


@dataclass(frozen=True)
class Axis:
    """One degree of freedom of a joint, in the authored sense: body1 relative to body0."""

    token: str  # rotX | rotY | rotZ | transX | transY | transZ: the axis of the joint frame that moves
    lower: float = -inf  # [rad | m]
    upper: float = inf  # [rad | m]
    drive: Drive | None = None
    friction: Friction = Friction()
    armature: float = 0.0  # [kg·m² | kg]
    max_velocity: float = inf  # [rad/s | m/s]
    q: float = 0.0  # initial position [rad | m]
    qd: float = 0.0  # initial speed [rad/s | m/s]
    mimic: Mimic | None = None
    limit: LimitSpring = LimitSpring()  # of a joint outside the trees

    @property
    def rotational(self) -> bool:
        """Whether the degree of freedom is an angle."""
        return self.token.startswith("rot")


@dataclass(frozen=True)
class Distance:
    """Bounds on the distance between the origins of a joint's two frames; negative: no bound."""

    minimum: float = -1.0  # [m]
    maximum: float = -1.0  # [m]
    spring: bool = False  # whether the bounds are springs
    stiffness: float = 0.0  # [N/m]
    damping: float = 0.0  # [N·s/m]


@dataclass(frozen=True)
class Joint:
    """A joint between two links, or between the world (`WORLD`) and a link, as authored.

    In a tree it takes the degrees of freedom of `axes` away from its links; outside the trees (`Scene.joints`) it is a
    set of constraints between two bodies that are placed already, and may be translations and rotations at once.
    """

    path: str
    type: JointType
    body0: str
    body1: str
    frame0: Pose = IDENTITY  # joint frame in body0 (in the world, if body0 is the world)
    frame1: Pose = IDENTITY
    axis: str = "X"  # X | Y | Z: the authored axis of a revolute, prismatic or spherical joint
    axes: tuple[Axis, ...] = ()  # those that move, in the order transX, transY, transZ, rotX, rotY, rotZ
    distance: Distance | None = None


@dataclass(frozen=True)
class Link:
    """A rigid body of an articulation."""

    path: str
    pose: Pose = IDENTITY  # world frame of the prim; only that of a root link counts, joints place the others
    mass: float = 1.0  # [kg]
    com: Vector = (0.0, 0.0, 0.0)  # centre of mass in the link frame [m]
    inertia: tuple[Vector, Vector, Vector] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))  # about com [kg·m²]
    linear_damping: float = 0.0  # [1/s]
    angular_damping: float = 0.05  # [1/s]
    max_linear_velocity: float = inf  # [m/s]
    max_angular_velocity: float = 100.0  # [rad/s]
    disable_gravity: bool = False
    cfm_scale: float = 0.025
    gyroscopic: bool = True  # whether a free body feels its gyroscopic torque; an articulation's links always do
    velocity: Vector = (0.0, 0.0, 0.0)  # initial velocity of the centre of mass of a floating root, world [m/s]
    angular_velocity: Vector = (0.0, 0.0, 0.0)  # initial angular velocity of a floating root, world [rad/s]


@dataclass(frozen=True)
class Articulation:
    """A tree of links and joints, or a free rigid body (`free`): one link, no joints; links[0] is the root.

    A fixed base either is links[0] itself (`fixed_base`) or hangs on joints whose body0 or body1 is `WORLD`.
    """

    path: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    fixed_base: bool = False
    position_iterations: int = 32
    velocity_iterations: int = 1
    free: bool = False
    fixed_tendons: tuple[FixedTendon, ...] = ()  # in the order in which they are solved
    spatial_tendons: tuple[SpatialTendon, ...] = ()  # likewise
    sleep_threshold: float = 0.0  # [m²/s²] energy per mass of a link below which it may fall asleep; 0 never
    asleep: bool = False  # whether it is asleep at the start


@dataclass(frozen=True)
class Report:
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
class Signal:
    """A time-sampled parameter of one degree of freedom: linear between samples, held outside them."""

    dof: str  # joint path and axis token, "/robot/elbow:rotX"
    parameter: str  # target_q | target_qd | stiffness | damping | max_force | lower | upper
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
    signals: tuple[Signal, ...] = ()
    sleeping: bool = True  # whether what hardly moves may fall asleep
    reports: tuple[Report, ...] = ()
