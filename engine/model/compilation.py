"""Compilation of a Scene to a Model: depth-first links, flat NumPy arrays, names ↔ indices, and checks.

A node is one degree of freedom, a fixed joint or a root link (`layout`).
"""

from typing import Any

import numpy as np

from ..joint_stacking import independent
from ..quaternion import rotate
from ..scene import WORLD, Articulation, InvalidScene, Joint, Link, Scene, physx_sort_key
from ..tables.layout import INFINITE
from ..tables.topology import ARTICULATION, KINDS, NODE, TABLES
from ..tables.word_values import ALWAYS, IN_CONTACT, STORES_AT_BRANCH, STORES_FOR_WORLD_JOINT
from .actuators import add_actuators
from .builder import MASSLESS, ROOTED, Builder, add_joint, add_link, add_node
from .dense import mark_dense
from .gears import relate_gears
from .islands import add_islands
from .mimics import add_mimics
from .repetition import Repetition
from .settings import check_settings
from .tendons import add_tendons


def compile_fields(scene: Scene) -> dict[str, Any]:
    """Flatten a scene; return the fields of its `Model` by name.

    Raises:
        InvalidScene: a joint between links that do not exist, a cycle, a link without a joint, or
            stacked joints whose motions are dependent.
    """
    check_settings(scene)
    b = Builder(scene)
    collide, repetition = {collider.body for collider in scene.colliders}, Repetition(b)
    for articulation in scene.articulations:
        b.collides = any(link.path in collide for link in articulation.links)
        if not articulation.joints:  # appended in less time than it is compared
            _add_articulation(b, articulation)
        elif not repetition.repeat(articulation):
            begin, lengths = repetition.begin(), repetition.lengths()
            _add_articulation(b, articulation)
            repetition.keep(articulation, begin, lengths)
    _add_scene_values(b, scene)
    add_islands(b)
    relate_gears(b)
    for articulation, words in zip(scene.articulations, b.tables["ARTICULATIONS"], strict=True):
        for name, value in add_tendons(b, articulation).items():
            words[ARTICULATION[name]] = value
    tables = {name: np.array(b.tables[name], np.int32).reshape(-1, len(words)) for name, words in TABLES.items()}
    _mark(tables)
    mark_dense(tables)
    bound = np.float64(INFINITE)
    parameters = {name: np.clip(np.array(rows, np.float64), -bound, bound) for name, rows in b.rows.items()}
    coms = np.array([link.com for link in b.links], np.float64).reshape(-1, 3)
    poses = _poses(b.links, coms)
    _check_finite(scene, {**parameters, "poses": poses, "coms": coms})
    return {
        "scene": scene,
        "tables": tables,
        "parameters": parameters,
        "q": np.array(b.q, np.float64),
        "qd": np.array(b.qd, np.float64),
        "poses": poses,
        "roots": np.array(b.roots, np.float64),
        "clamps": np.array(b.clamps, np.int64),
        "asleep": np.array([articulation.asleep for articulation in scene.articulations], bool),
        "coms": coms,
        "dof": tuple(b.dof),
        "unit": tuple(b.unit),
        "maximal_dof": tuple(name for name, _, _ in b.outer),
        "maximal_unit": tuple(unit for _, unit, _ in b.outer),
        "maximal_rows": np.array([row for _, _, row in b.outer], np.int64),
        "link": tuple(link.path for link in b.links),
        "maximal_joint": tuple(b.maximal_joint),
        "branch": tuple(b.branch),
        "collider": tuple(b.collider),
    }


def _poses(links: list[Link], coms: np.ndarray) -> np.ndarray:
    """Return the world poses of the centres of mass (L, 3) of links, (L, 7)."""
    positions = np.array([link.pose[0] for link in links], np.float64).reshape(-1, 3)
    turns = np.array([link.pose[1] for link in links], np.float64).reshape(-1, 4)
    return np.concatenate([positions + rotate(turns, coms), turns], axis=1)


def _add_scene_values(b: Builder, scene: Scene) -> None:
    """Append the parameters that a scene has once, or once per articulation."""
    b.rows["SLEEP_THRESHOLD"].extend(articulation.sleep_threshold for articulation in scene.articulations)
    b.rows["GRAVITY"].extend(scene.gravity)
    b.rows["METRE"].append(1.0)
    b.rows["CONTACT_BOUNCE_THRESHOLD"].append(scene.contacts.bounce_threshold)
    b.rows["FRICTION_OFFSET"].append(scene.contacts.friction_offset_threshold)
    b.rows["FRICTION_CORRELATION"].append(scene.contacts.friction_correlation_distance)


def _check_finite(scene: Scene, arrays: dict[str, np.ndarray]) -> None:
    """Raise InvalidScene if numbers of the scene overflowed; parameters are clipped, so that they are NaN."""
    for name, numbers in arrays.items():
        if not np.isfinite(numbers).all():
            fix = "author lengths, masses and inertias of a usual size"
            raise InvalidScene(file=scene.source, rule=f"a scene whose numbers do not overflow ({name})", fix=fix)


def _mark(tables: dict[str, np.ndarray]) -> None:
    """Mark the nodes that need their response, and the articulations that maximal joints hold or that have rows."""
    nodes, sides = tables["NODES"], tables["SIDES"]
    parents = nodes[:, NODE["PARENT"]]
    for node in nodes:  # parents come before children
        fixed = node[NODE["KIND"]] in (KINDS["FIXED_ROOT"], KINDS["FIXED"])
        node[NODE["IMMOVABLE"]] = fixed and (node[NODE["PARENT"]] < 0 or nodes[node[NODE["PARENT"]], NODE["IMMOVABLE"]])
    for k in np.flatnonzero(parents >= 0)[::-1]:  # children come before parents
        if nodes[k, NODE["KIND"]] == KINDS["PRISMATIC"] or nodes[k, NODE["CARRIES_SLIDE"]]:
            nodes[parents[k], NODE["CARRIES_SLIDE"]] = 1
    nodes[:, NODE["STORES_RESPONSE"]] = np.bincount(parents[parents >= 0], minlength=len(nodes)) > 1
    of_pairs = np.zeros(len(sides), bool)
    of_pairs[tables["PAIRS"][:, [TABLES["PAIRS"][word] for word in ("SIDE0", "SIDE1")]]] = True
    of_colliders = tables["COLLIDERS"][:, TABLES["COLLIDERS"]["SIDE"]]
    of_pairs[of_colliders[of_colliders >= 0]] = True
    held, roots = (sides[:, TABLES["SIDES"][word]] for word in ("NODE", "ROOT"))
    nodes[held[~of_pairs & (held >= 0)], NODE["STORES_RESPONSE"]] = STORES_AT_BRANCH
    joined = nodes[:, NODE["WORLD_JOINT_END"]] > nodes[:, NODE["WORLD_JOINT"]]
    nodes[joined, NODE["STORES_RESPONSE"]] = STORES_FOR_WORLD_JOINT
    of_members = tables["ARTICULATIONS"][tables["MEMBERS"][:, 0]]
    root = of_members[:, ARTICULATION["ROOT"]]
    held_alone = joined[root] | (nodes[root, NODE["BODY"]] >= 0)
    tables["MEMBERS"][:, TABLES["MEMBERS"]["HAS_ROWS"]] = held_alone | (of_members[:, ARTICULATION["FREE_BODY"]] == 0)
    for who, mark in ((of_pairs, IN_CONTACT), (~of_pairs, ALWAYS)):
        mine = np.isin(tables["ARTICULATIONS"][:, ARTICULATION["ROOT"]], roots[who])
        for word in ("NEEDS_LINK_VELOCITIES", "NEEDS_SUBSTEP_POSES"):
            own = tables["ARTICULATIONS"][:, ARTICULATION[word]]
            tables["ARTICULATIONS"][mine, ARTICULATION[word]] = np.where(own[mine] == ALWAYS, ALWAYS, mark)


def _add_articulation(b: Builder, articulation: Articulation) -> None:
    """Append the nodes of one articulation, depth first from its root."""
    if articulation.free and articulation.joints:
        raise InvalidScene(articulation.path, rule="without joints, as a free body", fix="make it an articulation")
    links = {link.path: link for link in articulation.links}
    between = _neighbours(articulation, links)
    anchored = WORLD in between and not articulation.fixed_base
    root = Link(WORLD, **MASSLESS) if anchored else articulation.links[0]
    fixed = anchored or articulation.fixed_base
    first = len(b.nodes)
    b.first_nodes.append(first)
    kind = KINDS["FIXED_ROOT"] if fixed else KINDS["FLOATING_ROOT"]
    index = add_link(b, root)
    node = add_node(b, ROOTED, KIND=kind, PARENT=-1, LINK=index, PARENT_LAST=-1)
    if not anchored:
        b.carriers[root.path] = node
    b.roots.append((0.0,) * 6 if fixed else (*root.angular_velocity, *root.velocity))
    placed = {root.path}
    _add_children(b, (root, first), between, links, placed)
    left = [path for path in links if path not in placed]
    if left:
        above = root.path or "the world"
        raise InvalidScene(left[0], rule=f"joined to {above}", fix="add a joint, or remove the link from the robot")
    kinds = {node[NODE["KIND"]] for node in b.nodes[first:]}
    slides, turns = KINDS["PRISMATIC"] in kinds, KINDS["SPHERICAL"] in kinds
    mimics = len(b.tables["MIMICS"])
    add_mimics(b, articulation.joints, first)
    actuators = len(b.tables["ACTUATORS"])
    add_actuators(b, articulation.joints, first)
    # A mimic joint needs q in every substep; a spherical joint computes q from its pose.
    poses = turns and len(b.tables["MIMICS"]) > mimics
    none = dict.fromkeys(ARTICULATION, 0)
    words = none | {
        "ROOT": first, "END": len(b.nodes), "FLOATING": int(not fixed),
        "NEEDS_SUBSTEP_POSES": int(poses), "NEEDS_LINK_VELOCITIES": int(turns), "SLIDES": int(slides),
        "FREE_BODY": int(articulation.free), "GYROSCOPIC": int(root.gyroscopic and not articulation.kinematic),
        "LOCKED": 0 if articulation.kinematic else root.locked_axes * articulation.free,
        "KINEMATIC": int(articulation.kinematic),
        "MIMIC": mimics, "MIMIC_END": len(b.tables["MIMICS"]),
        "ACTUATOR": actuators, "ACTUATOR_END": len(b.tables["ACTUATORS"]),
    }  # fmt: skip
    b.add("ARTICULATIONS", **words)


def _neighbours(articulation: Articulation, links: dict[str, Link]) -> dict[str, dict[str, list[Joint]]]:
    """Return {link: {neighbour: joints between them, in file order}}."""
    between: dict[str, dict[str, list[Joint]]] = {path: {} for path in links}
    for joint in articulation.joints:
        for here, there in ((joint.body0, joint.body1), (joint.body1, joint.body0)):
            if here != WORLD and here not in links:
                raise InvalidScene(
                    joint.path, "body0, body1", here, f"a link of articulation {articulation.path}", "name another"
                )
            between.setdefault(here, {}).setdefault(there, []).append(joint)
    return between


def _add_children(b: Builder, parent: tuple[Link, int], between: dict, links: dict, placed: set) -> None:
    """Append the links below a parent depth first, siblings by joint type, then joint path, as PhysX does."""
    stack = [(parent, path, joints) for path, joints in _siblings(between, parent[0].path, placed)]
    while stack:
        (link, node), path, joints = stack.pop()
        if path in placed or path == WORLD:
            raise InvalidScene(
                joints[0].path,
                rule="a joint that does not close a cycle",
                fix="author physics:excludeFromArticulation = true on it",
            )
        placed.add(path)
        child = links[path]
        _check_stack(joints, path)
        last = node
        for i, joint in enumerate(joints):
            last = add_joint(b, joint, link, last, child, (i, len(joints)))
        b.carriers[path] = last
        stack.extend(((child, last), p, j) for p, j in _siblings(between, path, placed, link.path))


def _check_stack(joints: list[Joint], child: str) -> None:
    """Raise InvalidScene for joints between the same two links with dependent motions."""
    if not independent(joints, child):
        paths = ", ".join(joint.path for joint in joints)
        raise InvalidScene(paths, rule=f"independent: each must add a motion of {child}", fix="remove one of them")


def _siblings(between: dict, path: str, placed: set, parent: str | None = None) -> list:
    """Return the children of a link in reverse order, for a stack."""
    others = {p: joints for p, joints in between.get(path, {}).items() if p != parent}
    children = [(p, joints) for p, joints in others.items() if p not in placed or parent is not None]
    return sorted(children, key=lambda child: physx_sort_key(child[1][0]), reverse=True)
