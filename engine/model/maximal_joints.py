"""Maximal joints as rows of 1D constraints."""

from dataclasses import replace
from math import isfinite

import numpy as np

from ..quaternion import multiply
from ..scene import WORLD, Axis, Distance, DriveType, InvalidScene, Joint, JointType, LimitSpring
from ..tables.topology import ARTICULATION, CONSTRAINT_KINDS, NODE
from .builder import Builder
from .joint_axis import TURNED
from .scene_values import axis_values
from .sides import add_side, shared_joint_nodes
from .solve_order import articulation_of

D6_AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
NO_BOUND = Axis("")
GEARS = {JointType.GEAR: "GEAR", JointType.RACK_AND_PINION: "RACK"}  # row of a joint that relates two others


def check_joint(b: Builder, joint: Joint) -> None:
    """Raise InvalidScene for a joint that does not join two bodies of the scene."""
    for path in (joint.body0, joint.body1):
        if path != WORLD and path not in b.carriers:
            raise InvalidScene(joint.path, "body0, body1", path, "a body of the scene", "name another")
    if joint.body0 == joint.body1:
        raise InvalidScene(
            joint.path, "body0, body1", joint.body0 or "the world", "two different bodies", "name two different bodies"
        )
    if all(_fixed(b, path) for path in (joint.body0, joint.body1)):
        ends = " and ".join(path or "the world" for path in (joint.body0, joint.body1))
        raise InvalidScene(
            joint.path,
            "body0, body1",
            ends,
            "bodies of which one can move",
            "name a body that moves, or remove the joint",
        )


def _fixed(b: Builder, path: str) -> bool:
    """Return whether a body is the world or a fixed base."""
    if path == WORLD:
        return True
    node = b.nodes[b.carriers[path]]
    return (
        node[NODE["PARENT"]] < 0 and not b.tables["ARTICULATIONS"][articulation_of(b, path)][ARTICULATION["FLOATING"]]
    )


def joined_articulations(b: Builder, joint: Joint) -> set[int]:
    """Return the articulations that a joint holds."""
    return {articulation_of(b, path) for path in (joint.body0, joint.body1) if path != WORLD}


def _linked(b: Builder, joint: Joint) -> bool:
    """Return whether a joint holds a link of an articulation."""
    return any(not b.tables["ARTICULATIONS"][a][ARTICULATION["FREE_BODY"]] for a in joined_articulations(b, joint))


def node_held_to_world(b: Builder, joint: Joint) -> int | None:
    """Return the node of the link that a joint holds to the world; None for any other joint."""
    paths = [path for path in (joint.body0, joint.body1) if path != WORLD]
    return b.carriers[paths[0]] if len(paths) == 1 and _linked(b, joint) else None


def hold_to_world(b: Builder, node: int, joint: int) -> None:
    """Record in a node that the next joint holds its link to the world."""
    words = b.nodes[node]
    if words[NODE["WORLD_JOINT"]] == words[NODE["WORLD_JOINT_END"]]:
        words[NODE["WORLD_JOINT"]] = joint
    words[NODE["WORLD_JOINT_END"]] = joint + 1


def add_maximal_joint(b: Builder, joint: Joint, colour: int) -> int:
    """Append one joint with its two sides, its rows and its parameters; return its index."""
    nodes = [b.carriers.get(path, -1) for path in (joint.body0, joint.body1)]
    axes = {D6_AXES.index(axis.token): axis for axis in _on_x(joint)}
    for node in nodes:
        add_side(b, node, shared_joint_nodes(b, nodes))
    first = len(b.tables["CONSTRAINTS"])
    for row in _rows(joint, axes, bool(b.scene.solver)):
        b.add("CONSTRAINTS", **row)
    turn = TURNED[joint.axis] if joint.type in (JointType.REVOLUTE, JointType.PRISMATIC) else TURNED["X"]
    for side, (path, (origin, rotation)) in enumerate(((joint.body0, joint.frame0), (joint.body1, joint.frame1))):
        com = (0.0, 0.0, 0.0) if path == WORLD else b.links[b.nodes[b.carriers[path]][NODE["LINK"]]].com
        b.rows[f"MAXIMAL_JOINT_ARM{side}"].extend(np.subtract(origin, com))
        b.rows[f"MAXIMAL_JOINT_FRAME{side}"].extend(multiply(np.array(rotation), np.array(turn)))
    b.rows["BREAK_FORCE"].append(joint.break_force)
    b.rows["BREAK_TORQUE"].append(joint.break_torque)
    b.rows["GEAR_RATIO"].append(joint.gear_ratio)
    b.maximal_joint.append(joint.path)
    own = [axis.token for axis in sorted(joint.axes, key=lambda axis: D6_AXES.index(axis.token))]
    for token, (i, axis) in zip(own, sorted(axes.items()), strict=True):
        if axis.drive and axis.drive.type != DriveType.NONE and not joint.distance:
            b.outer.append((f"{joint.path}:{token}", "rad" if i > 2 else "m", 6 * len(b.tables["JOINTS"]) + i))
    bounces = False
    for i in range(6):
        bounces |= _add_axis(b, axes.get(i, NO_BOUND), joint.distance if i == 0 else None)
    held = joined_articulations(b, joint)
    return b.add(
        "JOINTS", CONSTRAINT=first, CONSTRAINT_END=len(b.tables["CONSTRAINTS"]), HAS_LINK=int(_linked(b, joint)),
        **dict.fromkeys(("PART0", "PART1", "PART_DOF0", "PART_DOF1"), -1), PART_SIGN0=0, PART_SIGN1=0,
        RACK=int(joint.type is JointType.RACK_AND_PINION), BOUNCES=int(bounces),
        LOCKS=0 if joint.distance or joint.type in GEARS else sum(1 << i for i in range(3) if i not in axes),
        HELD=min(held), HELD_TOO=max(held), COLOUR=colour,
    )  # fmt: skip


def _on_x(joint: Joint) -> list[Axis]:
    """Return the axes of a joint in frames rotated so that a single axis is X."""
    if joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
        return [replace(axis, token=f"{axis.token[:-1]}X") for axis in joint.axes]
    return list(joint.axes)


def _add_axis(b: Builder, axis: Axis, distance: Distance | None) -> bool:
    """Append the parameters of one of a joint's six axes; return whether its limits bounce."""
    if distance:
        spring = LimitSpring(distance.stiffness, distance.damping)
        axis = replace(axis, lower=distance.minimum, upper=distance.maximum, limit=spring)
    for name, value in axis_values(axis, "X").items():
        b.rows[name].append(value)
    return axis.limit.restitution > 0.0


def _rows(joint: Joint, axes: dict[int, Axis], tgs: bool) -> list[dict[str, int]]:
    """Return the rows of a joint in solver order: springs, then hard rows, bounds last in their group."""
    if joint.type in GEARS:
        return [_row(GEARS[joint.type], 3)]
    rows = _distance(joint.distance) if joint.distance else [*_drives(axes), *_bounds(joint, axes), *_locks(axes)]
    for row in rows:
        hard = row["KIND"] != CONSTRAINT_KINDS["DISTANCE"] and not row["SPRING"]
        row["GROUP"] = (1 if row["ANGULAR"] or not tgs else 2) if hard else 0
    return sorted(rows, key=lambda row: (row["GROUP"], row["ONE_SIDED"]))


def _row(kind: str, axis: int, **words: int) -> dict[str, int]:
    none = dict.fromkeys(("UPPER", "GROUP", "SPRING", "SOFT", "ONE_SIDED"), 0)
    return none | {"KIND": CONSTRAINT_KINDS[kind], "AXIS": axis, "ANGULAR": int(axis > 2)} | words


def _distance(distance: Distance) -> list[dict[str, int]]:
    spring = {"SPRING": 1, "SOFT": 2} if distance.spring else {}
    bounds = enumerate((distance.minimum, distance.maximum))
    return [_row("DISTANCE", 0, UPPER=upper, **spring) for upper, bound in bounds if bound >= 0.0 and isfinite(bound)]


def _drives(axes: dict[int, Axis]) -> list[dict[str, int]]:
    drives = [(i, axis.drive) for i, axis in sorted(axes.items()) if axis.drive and axis.drive.type != DriveType.NONE]
    return [_row("ANGULAR_DRIVE" if i > 2 else "LINEAR_DRIVE", i, SPRING=int(drive.type)) for i, drive in drives]


def _bounds(joint: Joint, axes: dict[int, Axis]) -> list[dict[str, int]]:
    """Return angular bounds, then linear bounds; PhysX ignores the bound of one swing axis while the other is free."""
    limited = {i for i, axis in axes.items() if isfinite(axis.lower) or isfinite(axis.upper)}
    rows = []
    if joint.type == JointType.SPHERICAL:
        if {4, 5} <= limited:
            rows.append(_bound("CONE", 4, axes[4], 1))
        limited -= {4, 5}
    for i, other in ((4, 5), (5, 4), (3, 3)):
        if i in limited and (other in limited or other not in axes):
            rows += [_bound("ANGULAR_LIMIT", i, axes[i], upper) for upper in (0, 1)]
    rows += [_bound("LINEAR_LIMIT", i, axes[i], upper) for i in sorted(limited) if i < 3 for upper in (1, 0)]
    return [row for row in rows if isfinite(axes[row["AXIS"]].upper if row["UPPER"] else axes[row["AXIS"]].lower)]


def _bound(kind: str, i: int, axis: Axis, upper: int) -> dict[str, int]:
    soft = axis.limit.stiffness > 0.0 or axis.limit.damping > 0.0
    return _row(kind, i, UPPER=upper, SPRING=int(soft), SOFT=int(soft), ONE_SIDED=int(not soft))


def _locks(axes: dict[int, Axis]) -> list[dict[str, int]]:
    """Return the rows of a single locked swing axis, locked translations and locked rotations."""
    turns = [i for i in (3, 4, 5) if i not in axes]
    swing = turns if turns in ([4], [5]) else []
    return [
        *(_row("SWING_LOCK", i) for i in swing),
        *(_row("LINEAR_LOCK", i) for i in range(3) if i not in axes),
        *(_row("ANGULAR_LOCK", i) for i in turns if not swing),
    ]
