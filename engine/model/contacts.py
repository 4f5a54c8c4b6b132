"""Colliders and the pairs of them that may touch, as tables and parameters."""

import numpy as np

from ..quaternion import rotate
from ..scene import WORLD, Collider, CombineMode, ContactMaterial, ShapeKind
from ..tables.contacts import FACET_SLOTS, SHAPES, SUPPORT_SLOTS
from ..tables.topology import ARTICULATION, KINDS, NODE, TABLES
from .builder import Builder
from .collider_pair import ColliderPair
from .collision_pairs import collision_pairs
from .contact_bodies import add_bodies, add_groups, sort_by_bodies, sort_by_body
from .shapes import add_hull, add_tree
from .sides import pair_side, shared_joint_nodes
from .solve_order import articulation_of

CANDIDATES = 24
"""Most points of two clipped faces of boxes, and room for the ranges of a sort."""
ROUNDS = ("CYLINDER", "CONE")
POLYHEDRA = ("BOX", *ROUNDS, "CONVEX_HULL")
CONVEX = {(a, b) for a in ("SPHERE", "CAPSULE", *POLYHEDRA) for b in POLYHEDRA} - {("SPHERE", "BOX")}
"""Kinds of shapes A and B whose contacts begin with their nearest points."""
KEPT = CONVEX | {(kind, "PLANE") for kind in ("CAPSULE", "BOX", "CONVEX_HULL")}
"""Kinds of shapes A and B with a persistent manifold."""
POINTS = (
    {(kind, other): 4 for kind in POLYHEDRA for other in ("PLANE", *POLYHEDRA, "TRIANGLE_MESH")}
    | {("CAPSULE", other): 2 for other in ("PLANE", *POLYHEDRA)}
    | {(kind, "TRIANGLE_MESH"): 4 for kind in ("SPHERE", "CAPSULE")}
    | {("CAPSULE", "CAPSULE"): 4}
)
"""Most contact points of a pair of kinds; else 1."""
GENERATED = set(POINTS) | {("SPHERE", kind) for kind in ("SPHERE", "PLANE", "CAPSULE", *POLYHEDRA)}
"""Kinds of pairs that contacts are generated for."""

LINK = TABLES["COLLIDERS"]["LINK"]


def find_pairs(b: Builder) -> list[ColliderPair]:
    """Return the pairs of a scene that contacts are generated for, with their sides as PhysX orders them."""
    colliders, breadth = b.scene.colliders, breadth_first_numbers(b)
    count = range(len(colliders))
    order = sorted(count, key=[_side_key(b, one, breadth) for one in colliders].__getitem__)
    rank = {k: i for i, k in enumerate(order)}
    moves, things = [_movable(b, one) for one in colliders], [_thing_of(b, one) for one in colliders]
    found = []
    for pair in collision_pairs(b.scene).tolist():
        kinds = _kinds(*(colliders[k] for k in pair))
        if any(moves[k] for k in pair) and (kinds in GENERATED or kinds[::-1] in GENERATED):
            i, j = sorted(pair, key=rank.__getitem__)
            found.append(ColliderPair(i, j, things[i], things[j], rank[i], rank[j]))
    return found


def _kinds(one: Collider, two: Collider) -> tuple[str, str]:
    return ShapeKind(one.kind).name, ShapeKind(two.kind).name


def _thing_of(b: Builder, collider: Collider) -> int:
    """Return the articulation or free body of a collider, -1 for what is static."""
    return -1 if collider.body == WORLD else articulation_of(b, collider.body)


def _movable(b: Builder, collider: Collider) -> bool:
    """Return whether a collider can move: not the world's, a fixed base's or that of a link fixed to one."""
    k = b.carriers[collider.body] if collider.body != WORLD else -1
    while k >= 0 and b.nodes[k][NODE["KIND"]] == KINDS["FIXED"]:
        k = b.nodes[k][NODE["PARENT"]]
    return k >= 0 and b.nodes[k][NODE["KIND"]] != KINDS["FIXED_ROOT"]


def _side_key(b: Builder, collider: Collider, breadth: dict[int, int]) -> tuple:
    """Return the key by which sides are ordered: what PhysX created last comes first; statics last."""
    if collider.body == WORLD:
        return (2,)
    a = articulation_of(b, collider.body)
    free = bool(b.tables["ARTICULATIONS"][a][ARTICULATION["FREE_BODY"]])
    link = -breadth[b.carriers[collider.body]]
    return int(free), b.scene.articulations[a].path.split("/"), link, collider.path.split("/")


def breadth_first_numbers(b: Builder) -> dict[int, int]:
    """Return a number of each link's node, breadth first within its articulation."""
    numbers: dict[int, int] = {}
    for words in b.tables["ARTICULATIONS"]:
        root, end = words[ARTICULATION["ROOT"]], words[ARTICULATION["END"]]
        children: dict[int, list[int]] = {}
        for k in range(root + 1, end):
            if b.nodes[k][NODE["LAST"]] == k:
                children.setdefault(b.nodes[k][NODE["PARENT_LAST"]], []).append(k)
        queue = [root]
        for k in queue:
            numbers[k] = len(numbers)
            queue += children.get(k, [])
    return numbers


def add_colliders(b: Builder, members: list[int], pairs: list[ColliderPair]) -> dict[str, int]:
    """Append the colliders and pairs of an island; return its words."""
    mine = [pair for pair in pairs if pair.thing0 in members]
    inner = [pair for pair in mine if _inner(b, pair)]
    inner.sort(key=lambda pair: (b.carriers[b.scene.colliders[pair.side0].body], pair.side1))
    outer = sort_by_bodies(b, [pair for pair in mine if not _inner(b, pair)])
    breadth = breadth_first_numbers(b)
    collider, body, group, start = (len(b.tables[name]) for name in ("COLLIDERS", "BODIES", "GROUPS", "PAIRS"))
    partners = _partners(b, mine)
    numbers = {number: _add_collider(b, number, partners[number]) for number in sort_by_body(b, partners)}
    bodies = add_bodies(b, numbers)
    for pair in (*outer, *inner):
        _add_pair(b, pair, numbers, breadth)
    add_groups(b, [*outer, *inner], start, bodies)
    links = [b.scene.colliders[pair.side0].body for pair in inner]
    for link in links:
        b.nodes[b.carriers[link]][NODE["BODY"]] = bodies[link]
    return {
        "COLLIDER": collider, "COLLIDER_END": len(b.tables["COLLIDERS"]),
        "BODY": body, "BODY_END": len(b.tables["BODIES"]), "GROUP": group, "GROUP_END": len(b.tables["GROUPS"]),
        "PAIR": start, "EARLY_PAIR_END": start + len(outer), "PAIR_END": len(b.tables["PAIRS"]),
        "SLOT": start, "SLOT_END": len(b.tables["PAIRS"]),
        "ORDERS_PAIRS": int(len(outer) > 1 or len(set(links)) < len(links)),
    }  # fmt: skip


def add_slots(b: Builder) -> None:
    """Append the slots in which contact points are generated; call after all pairs were added."""
    corners = [words[1] - words[0] for words in b.tables["HULL_FACES"]]
    counts = {"CANDIDATES": max(CANDIDATES, 4 * max(corners, default=0)) if b.tables["PAIRS"] else 0}
    if any(words[TABLES["PAIRS"]["MANIFOLD"]] >= 0 for words in b.tables["PAIRS"]):
        counts |= {"SUPPORTS": SUPPORT_SLOTS, "FACETS": FACET_SLOTS, "FACET_SIDES": 3 * FACET_SLOTS}
    for table, count in counts.items():
        for i in range(count):
            b.add(table, SLOT=i)


def _inner(b: Builder, pair: ColliderPair) -> bool:
    """Return whether a pair is solved in the sweep of its link: a link and something static."""
    return pair.thing1 < 0 and not _is_free(b, pair.thing0)


def _is_free(b: Builder, a: int) -> bool:
    return bool(b.tables["ARTICULATIONS"][a][ARTICULATION["FREE_BODY"]])


def _partners(b: Builder, pairs: list[ColliderPair]) -> dict[int, set[str]]:
    """Return the kinds that each collider of these pairs may touch, by the collider's number."""
    kinds: dict[int, set[str]] = {}
    for pair in pairs:
        for one, other in ((pair.side0, pair.side1), (pair.side1, pair.side0)):
            kinds.setdefault(one, set()).add(ShapeKind(b.scene.colliders[other].kind).name)
    return kinds


def needs_hull(kind: str, others: set[str]) -> bool:
    """Return whether contacts with shapes of other kinds need the convex hull of a shape."""
    if kind == "BOX":
        return bool(others & {"CAPSULE", *ROUNDS, "CONVEX_HULL", "TRIANGLE_MESH"})
    return kind == "CONVEX_HULL" or (kind in ROUNDS and others != {"PLANE"})


def _add_collider(b: Builder, number: int, partners: set[str]) -> int:
    """Append a collider with its parameters; return its index."""
    collider = b.scene.colliders[number]
    position, rotation = (np.array(v) for v in collider.pose)
    node = link = -1
    if collider.body != WORLD:
        node = b.carriers[collider.body]
        link = b.nodes[node][NODE["LINK"]]
        position = position - np.array(b.links[link].com)
    kind = ShapeKind(collider.kind)
    size = collider.half_extents if kind == ShapeKind.BOX else (collider.radius, collider.half_height, 0.0)
    hull = add_hull(b, collider) if needs_hull(kind.name, partners) else -1
    tree = -1
    if kind == ShapeKind.TRIANGLE_MESH:  # its frame moves to the centre of its bounding box
        points, faces = np.array(collider.points, float), np.array(collider.faces, int)
        centre, size = (points.max(axis=0) + points.min(axis=0)) / 2.0, np.ptp(points, axis=0) / 2.0
        position = position + rotate(rotation, centre)
        trees = b.__dict__.setdefault("trees", {})  # a static mesh may be in several islands
        if id(collider) not in trees:
            trees[id(collider)] = add_tree(b, points - centre, faces)
        tree = trees[id(collider)]
    rows = {
        "COLLIDER_POSITION": position, "COLLIDER_ROTATION": rotation, "COLLIDER_SIZE": size,
        "CONTACT_OFFSET": [collider.contact_offset],
    }  # fmt: skip
    for name, values in rows.items():
        b.rows[name].extend(float(v) for v in values)
    c = len(b.collider)
    b.collider.append(collider.path)
    first = next((i for i, words in enumerate(b.tables["COLLIDERS"]) if link >= 0 and words[LINK] == link), c)
    return b.add(
        "COLLIDERS", SHAPE=SHAPES[kind.name], NODE=node, LINK=link, HULL=hull, TREE=tree,
        ARTICULATION=_thing_of(b, collider), FIRST=first,
    )  # fmt: skip


def _add_pair(b: Builder, pair: ColliderPair, numbers: dict[int, int], breadth: dict[int, int]) -> int:
    """Append a pair with its sides, points and parameters; return its index."""
    sides = [b.scene.colliders[k] for k in (pair.side0, pair.side1)]
    reverse = sides[0].kind == ShapeKind.PLANE or (sides[1].kind < sides[0].kind and sides[1].kind != ShapeKind.PLANE)
    a, other = sides[::-1] if reverse else sides
    kinds = _kinds(a, other)
    nodes = [b.carriers.get(side.body, -1) for side in sides]
    lost = shared_joint_nodes(b, nodes)
    manifold = -1
    if kinds in KEPT:
        manifold, b.manifolds = b.manifolds, b.manifolds + 1
    first, points = b.points, POINTS.get(kinds, 1)
    b.points += points
    things = pair.thing0, pair.thing1
    values = pair_values(b, *sides)
    for name, value in values.items():
        b.rows[name].append(value)
    b.pair.append("|".join(side.path for side in sides))
    return b.add(
        "PAIRS",
        COLLIDER_A=numbers[pair.side1 if reverse else pair.side0],
        COLLIDER_B=numbers[pair.side0 if reverse else pair.side1],
        REVERSED=int(reverse), SIDE0=pair_side(b, nodes[0], lost), SIDE1=pair_side(b, nodes[1], lost),
        INNER=int(_inner(b, pair)),
        HAS_LINK=int(any(thing >= 0 and not _is_free(b, thing) for thing in things)),
        TWISTS=int(values["TORSIONAL_RADIUS"] > 0.0 or values["MIN_TORSIONAL_RADIUS"] > 0.0),
        COMPLIANT=int(values["CONTACT_STIFFNESS"] > 0.0),
        POINTS=points, CONTACT=first, MANIFOLD=manifold,
        THING0=things[0], THING1=things[1], LINK_RANK=breadth[nodes[0]], RANK0=pair.rank0, RANK1=pair.rank1,
    )  # fmt: skip


def pair_values(b: Builder, one: Collider, two: Collider) -> dict[str, float]:
    """Return the parameters of a pair of colliders, from their materials, offsets and bodies."""
    m, k = one.material, two.material
    rule = CombineMode(max(m.friction_combine, k.friction_combine))
    bounce = CombineMode(max(m.restitution_combine, k.restitution_combine))
    static = combine(rule, m.static_friction, k.static_friction)
    dynamic = combine(rule, m.dynamic_friction, k.dynamic_friction)
    links = [b.links[b.nodes[b.carriers[c.body]][NODE["LINK"]]] for c in (one, two) if c.body != WORLD]
    stiffness, damping = _spring(m, k)
    return {
        "CONTACT_DISTANCE": one.contact_offset + two.contact_offset,
        "REST_DISTANCE": one.rest_offset + two.rest_offset,
        "CONTACT_STATIC_FRICTION": max(static, dynamic),
        "CONTACT_DYNAMIC_FRICTION": dynamic,
        "CONTACT_RESTITUTION": combine(bounce, m.restitution, k.restitution),
        "CONTACT_STIFFNESS": stiffness,
        "CONTACT_DAMPING": damping,
        "CONTACT_ACCELERATION": float(m.acceleration_spring or k.acceleration_spring),
        "TORSIONAL_RADIUS": max(one.torsional_patch_radius, two.torsional_patch_radius),
        "MIN_TORSIONAL_RADIUS": max(one.min_torsional_patch_radius, two.min_torsional_patch_radius),
        "MAX_DEPENETRATION": min(link.max_depenetration_velocity for link in links),
    }


def combine(rule: CombineMode, a: float, b: float) -> float:
    """Return the value of a pair of materials."""
    return {
        CombineMode.AVERAGE: (a + b) / 2.0,
        CombineMode.MIN: min(a, b),
        CombineMode.MULTIPLY: a * b,
        CombineMode.MAX: max(a, b),
    }[rule]


def _spring(m: ContactMaterial, k: ContactMaterial) -> tuple[float, float]:
    """Return stiffness and damping of a compliant contact: combined, or those of the only compliant material."""
    if m.stiffness > 0.0 and k.stiffness > 0.0:
        stiffness = combine(CombineMode(max(m.restitution_combine, k.restitution_combine)), m.stiffness, k.stiffness)
        return stiffness, combine(CombineMode(max(m.damping_combine, k.damping_combine)), m.damping, k.damping)
    one = m if m.stiffness > 0.0 else k
    return one.stiffness, one.damping
