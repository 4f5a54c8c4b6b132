"""Builder of a model's arrays: links, nodes and degrees of freedom, appended depth first.

Joints are flipped here so that the parent is always the link nearer to the root. q keeps its authored sense because the
sign of the joint axis changes.
"""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from ..quaternion import conjugate, multiply, rotate
from ..scene import (
    IDENTITY,
    WORLD,
    DriveType,
    ExternalForce,
    Joint,
    JointType,
    Link,
    Pose,
    Quaternion,
    Scene,
    SurfaceVelocity,
    Vector,
)
from ..tables.layout import PARAMETERS
from ..tables.topology import DRIVES, KINDS, NODE, TABLES
from .blocks import Blocks
from .joint_axis import slide_axis
from .scene_values import axis_values, link_values

KIND_OF = {
    JointType.REVOLUTE: KINDS["REVOLUTE"],
    JointType.PRISMATIC: KINDS["PRISMATIC"],
    JointType.SPHERICAL: KINDS["SPHERICAL"],
    JointType.D6: KINDS["SPHERICAL"],
}
MASSLESS = {"mass": 0.0, "inertia": ((0.0,) * 3,) * 3}
ROOTED = dict.fromkeys(("AXIS", "PARENT_ARM", "CHILD_ARM"), IDENTITY[0]) | dict.fromkeys(
    ("PARENT_ROTATION", "FRAME0", "FRAME1"), IDENTITY[1]
)
AXIS_VECTORS = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}

BLOCKS = ("PAIRS", "GROUPS")
"""Tables with a row per pair of colliders or of bodies."""


def of_pairs(name: str) -> bool:
    """Return whether a parameter has a row per pair of colliders."""
    return PARAMETERS[name].owner == "G"


@dataclass(eq=False)
class Builder:
    """The growing arrays of one compilation."""

    scene: Scene
    links: list = field(default_factory=list)  # Link
    rows: dict = field(default_factory=lambda: {name: Blocks() if of_pairs(name) else [] for name in PARAMETERS})
    dof: list = field(default_factory=list)
    unit: list = field(default_factory=list)
    q: list = field(default_factory=list)
    qd: list = field(default_factory=list)
    roots: list = field(default_factory=list)
    clamps: list = field(default_factory=list)
    outer: list = field(default_factory=list)  # (name, unit, row) of each driven axis of a maximal joint
    maximal_joint: list = field(default_factory=list)  # paths of the maximal joints
    branch: list = field(default_factory=list)  # names of the tendons, or of the branches of a spatial tendon
    collider: list = field(default_factory=list)  # paths of the colliders of pairs
    pairs: int = 0  # pairs of colliders that have a number
    pair_sides: dict = field(default_factory=dict)  # sides of pairs of colliders, by node and skipped nodes
    points: int = 0  # contact points of all pairs
    manifolds: int = 0  # persistent manifolds of all pairs
    cores: int = 0  # pairs of a cylinder or cone with anything but a plane
    collides: bool = False  # whether the current articulation has colliders
    carriers: dict = field(default_factory=dict)  # link → node that carries it
    first_nodes: list = field(default_factory=list)  # root of each articulation
    trees: dict = field(default_factory=dict)  # id of a collider → tree of its triangles
    tables: dict = field(default_factory=lambda: {name: Blocks() if name in BLOCKS else [] for name in TABLES})
    """Rows of words, see `topology`."""

    @property
    def nodes(self) -> list:
        """Return the current nodes."""
        return self.tables["NODES"]

    def link_of(self, path: str) -> int:
        """Return the index of a link."""
        return self.nodes[self.carriers[path]][NODE["LINK"]]

    def add(self, table: str, **words: int) -> int:
        """Append an item to a table; return its index.

        Raises:
            KeyError: a word is missing, or the table does not have it.
        """
        if unknown := words.keys() - TABLES[table].keys():
            raise KeyError(f"{table} has no word {', '.join(sorted(unknown))}")
        self.tables[table].append([words[word] for word in TABLES[table]])
        return len(self.tables[table]) - 1


def add_link(b: Builder, link: Link) -> int:
    """Append a link and its parameters; return its index."""
    i, force = np.array(link.inertia, np.float64), link.external_force or ExternalForce()
    surface = link.surface_velocity or SurfaceVelocity()
    rows = {
        "INERTIA": [i[0, 0], i[0, 1], i[0, 2], i[1, 1], i[1, 2], i[2, 2]],
        "GRAVITY_SCALE": [0.0 if link.disable_gravity else link.gravity_scale],
        "FORCE": force.force,
        "TORQUE": force.torque,
        "FORCE_POSITION": force.position,
        "FORCE_IS_LOCAL": [float(force.local)],
        "FORCE_IS_ACCELERATION": [float(force.acceleration)],
        "SURFACE_VELOCITY": surface.linear,
        "SURFACE_ANGULAR_VELOCITY": surface.angular,
        "SURFACE_VELOCITY_IS_LOCAL": [float(surface.local)],
        "SURFACE_PIVOT": link.pose[0],
    } | {name: [value] for name, value in link_values(link).items()}
    for name, values in rows.items():
        b.rows[name].extend(values)
    b.links.append(link)
    return len(b.links) - 1


def add_node(b: Builder, geometry: dict, **words: int) -> int:
    """Append a node that carries its own link unless `words` says otherwise; return its index."""
    k = len(b.nodes)
    node = dict.fromkeys(NODE, 0) | {"DOF": -1, "BODY": -1, "LAST": k, "FIRST": k} | words
    b.add("NODES", **node)
    for name, value in geometry.items():
        b.rows[name].extend(value)
    return k


def add_joint(b: Builder, joint: Joint, parent: Link, base: int, child: Link, place: tuple[int, int]) -> int:
    """Append the nodes of one joint and its child link; return the node that carries the child.

    The node `base` carries the parent. `place` = (i, n): the i-th of n joints stacked between the same two links. All
    joints but the last carry a massless link that coincides with the child when the later joints are at zero.
    """
    reverse = joint.body0 == child.path
    frame0, frame1 = (joint.frame1, joint.frame0) if reverse else (joint.frame0, joint.frame1)
    i, n = place
    above = parent.com
    if i > 0:
        frame0, above = frame1, child.com
    carried = child if i == n - 1 else Link(WORLD, com=child.com, **MASSLESS)
    index = add_link(b, carried)
    geometry = _geometry(frame0, frame1, above, child.com)
    first, count = len(b.nodes), max(1, len(joint.axes))
    for j in range(count):
        axis = joint.axes[j] if joint.axes else None
        direction = IDENTITY[0]
        if axis:
            slides = b.collides and joint.type == JointType.PRISMATIC
            direction = _direction(frame1[1], axis.token[-1], slides, -1.0 if reverse else 1.0)
        words = {
            "KIND": KIND_OF[joint.type] if axis else KINDS["FIXED"], "LINK": index, "PARENT_LAST": base,
            "PARENT": base if j == 0 else first + j - 1, "FIRST": first, "LAST": first + count - 1,
        }  # fmt: skip
        if axis:
            words |= {"DOF": len(b.dof)} | _add_dof(b, joint, j)
        add_node(b, {"AXIS": direction} | geometry, **words)
    return first + count - 1


@lru_cache(maxsize=4096)
def _geometry(frame0: Pose, frame1: Pose, above: Vector, below: Vector) -> dict[str, list[float]]:
    """Return where a joint is, by parameter, from its frames and the centres of mass; copies of a robot ask again."""
    turn0, turn1 = np.array(frame0[1]), np.array(frame1[1])
    numbers = {
        "PARENT_ARM": np.array(frame0[0]) - np.array(above),
        "CHILD_ARM": np.array(frame1[0]) - np.array(below),
        "PARENT_ROTATION": multiply(turn1, conjugate(turn0)),
        "FRAME0": turn0,
        "FRAME1": turn1,
    }
    return {name: value.tolist() for name, value in numbers.items()}


@lru_cache(maxsize=4096)
def _direction(turn: Quaternion, axis: str, slides: bool, sign: float) -> list[float]:
    """Return the axis X, Y or Z of a frame of the child link with this rotation; `slides`: as PhysX has sliders."""
    along = slide_axis(np.array(turn), axis) if slides else rotate(np.array(turn), np.array(AXIS_VECTORS[axis]))
    return (along * sign).tolist()


def _add_dof(b: Builder, joint: Joint, j: int) -> dict[str, int]:
    """Append the parameters of the j-th axis of a joint; return the node's words."""
    axis = joint.axes[j]
    drive, clamp = axis.drive, _clamp(joint, j)
    rows = axis_values(axis) | {
        "EFFORT": 0.0,
        "CLAMP_VELOCITY": np.inf if clamp is None else joint.axes[clamp].max_velocity,
    }
    for name, value in rows.items():
        b.rows[name].append(value)
    b.dof.append(f"{joint.path}:{axis.token}")
    b.unit.append("rad" if axis.rotational else "m")
    b.clamps.append(-1 if clamp is None else len(b.clamps) - j + clamp)
    b.q.append(axis.q)
    b.qd.append(axis.qd)
    kind = DRIVES["ACTUATOR"] if drive and drive.actuator else int(drive.type if drive else DriveType.NONE)
    return {"DRIVE": kind, "ENVELOPE": int(bool(drive and drive.envelope))}


def _clamp(joint: Joint, j: int) -> int | None:
    """Return the axis of the joint whose max_velocity bounds the speed of axis j before a step.

    PhysX reads the bound by the number of the axis *within the joint* from a table by axis. A prismatic joint and a
    single rotZ therefore never find their own bound. Entries that are not set contain 100 in PhysX; here they do not
    bound a speed.
    """
    if joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
        return j if joint.type == JointType.REVOLUTE else None
    return next((i for i, axis in enumerate(joint.axes) if axis.token[-1] == "XYZ"[j]), None)
