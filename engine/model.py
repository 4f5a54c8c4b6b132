"""Scene → Model: links in depth-first order, flat NumPy arrays, names ↔ indices, and every check that needs no file.

A node is one degree of freedom, a fixed joint or a root link (`layout`). Joints are flipped here so that the parent is
always the link nearer to the root; q keeps its authored sense because the joint axis changes its sign instead.
"""

from dataclasses import dataclass, field

import numpy as np

from .layout import ARTICULATION, INFINITE, KINDS, NODE, PARAMETERS
from .rotation import conjugate, multiply, rotate
from .scene import IDENTITY, WORLD, Articulation, DriveType, Envelope, InvalidScene, Joint, JointType, Link, Scene

KIND_OF = {
    JointType.REVOLUTE: KINDS["REVOLUTE"],
    JointType.PRISMATIC: KINDS["PRISMATIC"],
    JointType.SPHERICAL: KINDS["SPHERICAL"],
    JointType.D6: KINDS["SPHERICAL"],
}
ROOTED = dict.fromkeys(("AXIS", "PARENT_ARM", "CHILD_ARM"), IDENTITY[0]) | dict.fromkeys(
    ("REST", "FRAME0", "FRAME1"), IDENTITY[1]
)
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


@dataclass(eq=False)
class Model:
    """A scene as arrays. Links and dofs are in depth-first order; N nodes, L links, D dofs, A articulations."""

    scene: Scene
    nodes: np.ndarray  # (N, len(NODE)) int32
    articulations: np.ndarray  # (A, len(ARTICULATION)) int32
    parameters: dict[str, np.ndarray]  # name → flat rows, float64, SI
    q: np.ndarray  # (D,) initial joint positions [rad | m]
    qd: np.ndarray  # (D,) initial joint speeds
    poses: np.ndarray  # (L, 7) world pose of each link's centre of mass; only roots' count, joints place the rest
    roots: np.ndarray  # (A, 6) angular velocity of each root, velocity of its centre of mass
    clamps: np.ndarray  # (D,) dof whose max_velocity is this one's clamp speed before a step, or -1
    coms: np.ndarray  # (L, 3) centre of mass in the link's prim frame [m]
    dof: tuple[str, ...]  # "/robot/elbow:rotX"
    unit: tuple[str, ...]  # rad | m
    link: tuple[str, ...]  # prim path of each link, "" for the world and for links between stacked joints


@dataclass(eq=False)
class _Builder:
    """The growing arrays of one compilation."""

    scene: Scene
    nodes: list = field(default_factory=list)
    articulations: list = field(default_factory=list)
    links: list = field(default_factory=list)  # Link
    rows: dict = field(default_factory=lambda: {name: [] for name in PARAMETERS})
    dof: list = field(default_factory=list)
    unit: list = field(default_factory=list)
    q: list = field(default_factory=list)
    qd: list = field(default_factory=list)
    poses: list = field(default_factory=list)
    roots: list = field(default_factory=list)
    clamps: list = field(default_factory=list)


def compile(scene: Scene) -> Model:
    """Flatten a scene.

    Raises:
        InvalidScene: no articulation, a joint between links that do not exist, a cycle, a link without a joint.
    """
    if not scene.articulations:
        raise InvalidScene(f"{scene.source}: no articulation: apply PhysicsArticulationRootAPI to the robot's root")
    b = _Builder(scene)
    for articulation in scene.articulations:
        _add_articulation(b, articulation)
    b.rows["GRAVITY"].extend(scene.gravity)
    children = [n[NODE["PARENT"]] for n in b.nodes]
    for k, node in enumerate(b.nodes):
        node[NODE["BRANCH"]] = int(children.count(k) > 1)
    bound = np.float64(INFINITE)
    return Model(
        scene=scene,
        nodes=np.array(b.nodes, np.int32),
        articulations=np.array(b.articulations, np.int32),
        parameters={name: np.clip(np.array(rows, np.float64), -bound, bound) for name, rows in b.rows.items()},
        q=np.array(b.q, np.float64),
        qd=np.array(b.qd, np.float64),
        poses=np.array(b.poses, np.float64),
        roots=np.array(b.roots, np.float64),
        clamps=np.array(b.clamps, np.int64),
        coms=np.array([link.com for link in b.links], np.float64),
        dof=tuple(b.dof),
        unit=tuple(b.unit),
        link=tuple(link.path for link in b.links),
    )


def _add_articulation(b: _Builder, articulation: Articulation) -> None:
    """Append the nodes of one articulation, depth first from its root."""
    if articulation.free and articulation.joints:
        raise InvalidScene(f"{articulation.path}: a free body has no joints: read it as an articulation")
    links = {link.path: link for link in articulation.links}
    between = _neighbours(articulation, links)
    anchored = WORLD in between and not articulation.fixed_base
    root = Link(WORLD, mass=0.0, inertia=((0.0,) * 3,) * 3) if anchored else articulation.links[0]
    fixed = anchored or articulation.fixed_base
    first = len(b.nodes)
    kind = KINDS["FIXED_ROOT"] if fixed else KINDS["FLOATING_ROOT"]
    index = _add_link(b, root)
    _add_node(b, ROOTED, KIND=kind, PARENT=-1, LINK=index, BASE=-1)
    b.roots.append((0.0,) * 6 if fixed else (*root.angular_velocity, *root.velocity))
    placed = {root.path}
    _add_children(b, (root, first), between, links, placed)
    left = [path for path in links if path not in placed]
    if left:
        above = root.path or "the world"
        raise InvalidScene(f"{left[0]}: no joint ties it to {above}: add one, or take it out of the robot")
    kinds = {node[NODE["KIND"]] for node in b.nodes[first:]}
    slides, turns = KINDS["PRISMATIC"] in kinds, KINDS["SPHERICAL"] in kinds
    iterations = _iterations(b.scene, articulation)
    words = {
        "ROOT": first, "END": len(b.nodes), "FLOATING": int(not fixed), "SLIDES": int(slides), "TURNS": int(turns),
        "FREE": int(articulation.free), "GYROSCOPIC": int(root.gyroscopic), "CLAMPS": 0,
        "POSITION_ITERATIONS": iterations[0], "VELOCITY_ITERATIONS": iterations[1],
    }  # fmt: skip
    b.articulations.append([words[name] for name in ARTICULATION])


def _iterations(scene: Scene, articulation: Articulation) -> tuple[int, int]:
    """Position and velocity iterations; PGS makes at least one velocity iteration."""
    at_least = 0 if scene.solver else 1
    return max(1, articulation.position_iterations), max(at_least, articulation.velocity_iterations)


def _neighbours(articulation: Articulation, links: dict[str, Link]) -> dict[str, dict[str, list[Joint]]]:
    """{link: {neighbour: joints between them, in the file's order}}."""
    between: dict[str, dict[str, list[Joint]]] = {path: {} for path in links}
    for joint in articulation.joints:
        for here, there in ((joint.body0, joint.body1), (joint.body1, joint.body0)):
            if here != WORLD and here not in links:
                raise InvalidScene(f"{joint.path}: no link {here} in articulation {articulation.path}: mend its bodies")
            between.setdefault(here, {}).setdefault(there, []).append(joint)
    return between


def _add_children(b: _Builder, parent: tuple[Link, int], between: dict, links: dict, placed: set) -> None:
    """Depth first; siblings by joint type, then joint path, as PhysX adds them."""
    stack = [(parent, path, joints) for path, joints in _siblings(between, parent[0].path, placed)]
    while stack:
        (link, node), path, joints = stack.pop()
        if path in placed or path == WORLD:
            raise InvalidScene(
                f"{joints[0].path}: closes a cycle of joints: author physics:excludeFromArticulation = true on it"
            )
        placed.add(path)
        child = links[path]
        last = node
        for i, joint in enumerate(joints):
            last = _add_joint(b, joint, (link, last), child, (i, len(joints)))
        stack.extend(((child, last), p, j) for p, j in _siblings(between, path, placed, link.path))


def _siblings(between: dict, path: str, placed: set, parent: str | None = None) -> list:
    """Children of a link in reverse order, for a stack."""
    others = {p: joints for p, joints in between.get(path, {}).items() if p != parent}
    children = [(p, joints) for p, joints in others.items() if p not in placed or parent is not None]
    return sorted(children, key=lambda c: (c[1][0].type, c[1][0].path.split("/")), reverse=True)


def _add_link(b: _Builder, link: Link) -> int:
    """Append a link and its parameters; returns its index."""
    i = np.array(link.inertia, np.float64)
    rows = {
        "MASS": [link.mass],
        "INERTIA": [i[0, 0], i[0, 1], i[0, 2], i[1, 1], i[1, 2], i[2, 2]],
        "LINEAR_DAMPING": [link.linear_damping],
        "ANGULAR_DAMPING": [link.angular_damping],
        "MAX_LINEAR_VELOCITY": [link.max_linear_velocity],
        "MAX_ANGULAR_VELOCITY": [link.max_angular_velocity],
        "GRAVITY_SCALE": [0.0 if link.disable_gravity else 1.0],
        "CFM_SCALE": [link.cfm_scale],
    }
    for name, values in rows.items():
        b.rows[name].extend(values)
    position, orientation = (np.array(v) for v in link.pose)
    b.poses.append((*(position + rotate(orientation, np.array(link.com))), *orientation))
    b.links.append(link)
    return len(b.links) - 1


def _add_node(b: _Builder, geometry: dict, **words: int) -> int:
    """Append a node that carries its own link unless `words` say otherwise; returns its index."""
    k = len(b.nodes)
    node = dict.fromkeys(NODE, 0) | {"DOF": -1, "CARRIER": k, "FIRST": k} | words
    b.nodes.append([node[name] for name in NODE])
    for name, value in geometry.items():
        b.rows[name].extend(value)
    return k


def _add_joint(b: _Builder, joint: Joint, parent: tuple[Link, int], child: Link, place: tuple[int, int]) -> int:
    """Append the nodes of one joint and the link it carries; returns the node that carries it.

    `place` = (i, n): the i-th of n joints stacked between the same two links. All but the last carry a massless link
    that coincides with the child when the joints after it are at zero.
    """
    link, base = parent
    reverse = joint.body0 == child.path
    frame0, frame1 = (joint.frame1, joint.frame0) if reverse else (joint.frame0, joint.frame1)
    i, n = place
    above = np.array(link.com)
    if i > 0:
        frame0, above = frame1, np.array(child.com)
    carried = child if i == n - 1 else Link(WORLD, com=child.com, mass=0.0, inertia=((0.0,) * 3,) * 3)
    index = _add_link(b, carried)
    turn0, turn1 = np.array(frame0[1]), np.array(frame1[1])
    geometry = {
        "PARENT_ARM": np.array(frame0[0]) - above,
        "CHILD_ARM": np.array(frame1[0]) - np.array(child.com),
        "REST": multiply(turn1, conjugate(turn0)),
        "FRAME0": turn0,
        "FRAME1": turn1,
    }
    first, count = len(b.nodes), max(1, len(joint.axes))
    for j in range(count):
        axis = joint.axes[j] if joint.axes else None
        direction = np.zeros(3)
        if axis:
            direction = rotate(turn1, np.array(AXES[axis.token[-1]])) * (-1.0 if reverse else 1.0)
        words = {
            "KIND": KIND_OF[joint.type] if axis else KINDS["FIXED"], "LINK": index, "BASE": base,
            "PARENT": base if j == 0 else first + j - 1, "FIRST": first, "CARRIER": first + count - 1,
        }  # fmt: skip
        if axis:
            words |= {"DOF": len(b.dof)} | _add_dof(b, joint, j)
        _add_node(b, {"AXIS": direction} | geometry, **words)
    return first + count - 1


def _add_dof(b: _Builder, joint: Joint, j: int) -> dict[str, int]:
    """Append the parameters of the j-th axis of a joint; returns the node's words."""
    axis = joint.axes[j]
    drive, friction = axis.drive, axis.friction
    clamp = _clamp(joint, j)
    envelope = (drive.envelope if drive else None) or Envelope()
    rows = {
        "STIFFNESS": drive.stiffness if drive else 0.0,
        "DAMPING": drive.damping if drive else 0.0,
        "MAX_FORCE": drive.max_force if drive else 0.0,
        "TARGET_Q": drive.target_q if drive else 0.0,
        "TARGET_QD": drive.target_qd if drive else 0.0,
        "MAX_ACTUATOR_VELOCITY": envelope.max_actuator_velocity,
        "VELOCITY_DEPENDENT_RESISTANCE": envelope.velocity_dependent_resistance,
        "SPEED_EFFORT_GRADIENT": envelope.speed_effort_gradient,
        "EFFORT": 0.0,
        "LOWER": axis.lower,
        "UPPER": axis.upper,
        "STATIC_FRICTION": friction.static,
        "DYNAMIC_FRICTION": friction.dynamic,
        "VISCOUS_FRICTION": friction.viscous,
        "ARMATURE": axis.armature,
        "MAX_VELOCITY": axis.max_velocity,
        "CLAMP_VELOCITY": np.inf if clamp is None else joint.axes[clamp].max_velocity,
        "CFM_UNIT": 1.0 / b.scene.meters_per_unit if axis.rotational else b.scene.meters_per_unit,
    }
    for name, value in rows.items():
        b.rows[name].append(value)
    b.dof.append(f"{joint.path}:{axis.token}")
    b.unit.append("rad" if axis.rotational else "m")
    b.clamps.append(-1 if clamp is None else len(b.clamps) - j + clamp)
    b.q.append(axis.q)
    b.qd.append(axis.qd)
    return {"DRIVE": int(drive.type if drive else DriveType.NONE), "ENVELOPE": int(bool(drive and drive.envelope))}


def _clamp(joint: Joint, j: int) -> int | None:
    """Axis of the joint whose max_velocity bounds the j-th one's speed before a step.

    PhysX looks it up by the number of the axis *within the joint* in a table by axis, so that a prismatic joint and a
    lone rotZ never find their own. Entries nobody set hold 100 there; here they bound nothing.
    """
    if joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
        return j if joint.type == JointType.REVOLUTE else None
    return next((i for i, axis in enumerate(joint.axes) if axis.token[-1] == "XYZ"[j]), None)
