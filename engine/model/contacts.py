"""Colliders and the pairs of them that may touch, as tables and parameters."""

from itertools import chain

import numpy as np

from ..geometry.reciprocals import COARSE, FINE
from ..quaternion import rotate
from ..scene import WORLD, InvalidScene, ShapeKind
from ..tables.collision_table import COLLISIONS, LAWS
from ..tables.contacts import FACET_SLOTS, MOST_LISTED, MOST_PAIRS, SHAPES, SUPPORT_SLOTS
from ..tables.topology import NODE, TABLES
from ..tables.word_values import SWEPT
from .builder import Builder
from .collider_facts import ColliderFacts
from .collider_kinds import UnlistedPairs
from .collider_pairs import ColliderPairs, is_inner, join, reverses, table_of_laws
from .contact_bodies import BODY, add_bodies, add_groups, note_groups, sort_by_bodies, sort_by_body
from .pair_values import pair_values
from .shapes import add_hull, add_tree
from .sides import pair_sides

CANDIDATES, MESH_CANDIDATES, DIRECTIONS = 24, 112, 64
"""Most points of two clipped faces of boxes, and room for the ranges of a sort; room for points and lists on meshes."""

CROWD = 500
"""Groups of pairs from which on they are found by sorting the bodies."""

COLLIDER, SIDE = TABLES["COLLIDERS"], TABLES["SIDES"]

POINTS, MANIFOLDS, LAW, IS_CORE = (
    table_of_laws(value)
    for value in (
        lambda law: law.points,
        lambda law: law.manifolds,
        lambda law: LAWS[law.name],
        lambda law: law.is_core,
    )
)
"""Numbers of the laws by kinds of shapes A and B."""


def add_colliders(
    b: Builder, facts: ColliderFacts, pairs: ColliderPairs, joined: bool, unlisted: UnlistedPairs | None = None
) -> dict[str, int]:
    """Append the colliders and pairs of an island; return its words.

    Args:
        b: the builder.
        facts: properties of all colliders.
        pairs: the pairs that are listed.
        joined: whether the island has joints outside the sweeps.
        unlisted: its other pairs.
    """
    b.pair_sides.clear()  # islands share no side, not even that of the world
    if not (len(pairs) or unlisted):
        return _no_colliders(b)
    inner = is_inner(facts, pairs)
    swept, outer = pairs[inner], sort_by_bodies(facts, pairs[~inner])
    swept = swept[np.lexsort((swept.side1, facts.node[swept.side0]))]
    pairs = join(outer, swept)
    collider, body, group = (len(b.tables[name]) for name in ("COLLIDERS", "BODIES", "GROUPS"))
    start = b.pairs
    partners = unlisted.partners() if unlisted else _partners(facts, pairs)
    ordered = sort_by_body(facts, np.array(list(partners), int)).tolist()
    numbers = {number: _add_collider(b, facts, number, partners[number]) for number in ordered}
    places = np.full(len(facts.colliders), -1)
    places[list(numbers)] = list(numbers.values())
    bodies = add_bodies(b, facts, numbers)
    early_end = start + len(outer)
    if unlisted:
        early_end = number_pairs(b, list(bodies.values()), start)
        add_kinds(b, facts, unlisted, places, bodies)
    row = len(b.tables["PAIRS"])
    add_pairs(b, facts, pairs, places)
    note_groups(b, bodies, group, add_groups(b, facts, outer, start, bodies))
    early = len(b.tables["GROUPS"])
    add_groups(b, facts, swept, early_end, bodies)
    links = facts.node[swept.side0]
    for number in np.unique(swept.side0).tolist():
        b.nodes[facts.node[number]][NODE["BODY"]] = bodies[int(facts.body[number])]
    b.pairs = early_end + len(swept)
    check_number(b)
    return {
        "COLLIDER": collider, "COLLIDER_END": len(b.tables["COLLIDERS"]),
        "BODY": body, "BODY_END": len(b.tables["BODIES"]), "GROUP": group, "GROUP_END": len(b.tables["GROUPS"]),
        "EARLY_GROUP_END": early, "SORTS_BODIES": int(unlisted is not None or early - group > CROWD),
        "PAIR": start, "EARLY_PAIR_END": early_end, "PAIR_END": b.pairs,
        "LISTS_PAIRS": int(unlisted is None), "PAIR_SHIFT": row - (early_end if unlisted else start),
        "SLOT": start, "SLOT_END": b.pairs,
        "ORDERS_PAIRS": int(early_end - start + joined > 1 or len(np.unique(links)) < len(links)),
    }  # fmt: skip


def _no_colliders(b: Builder) -> dict[str, int]:
    """Return the words of an island without pairs of colliders."""
    words = {}
    for word, table in (("COLLIDER", "COLLIDERS"), ("BODY", "BODIES"), ("GROUP", "GROUPS")):
        words |= dict.fromkeys((word, f"{word}_END"), len(b.tables[table]))
    words |= dict.fromkeys(("PAIR", "EARLY_PAIR_END", "PAIR_END", "SLOT", "SLOT_END"), b.pairs)
    words |= {"EARLY_GROUP_END": words["GROUP"], "SORTS_BODIES": 0, "LISTS_PAIRS": 1, "ORDERS_PAIRS": 0}
    return words | {"PAIR_SHIFT": len(b.tables["PAIRS"]) - b.pairs}


def check_number(b: Builder) -> None:
    """Raise InvalidScene for more pairs than there are numbers, or than are listed."""
    for count, most in ((b.pairs, MOST_PAIRS), (len(b.tables["PAIRS"]), MOST_LISTED)):
        if count > most:
            value, rule = f"{count:,} pairs of colliders that may touch", f"at most {most:,} of them"
            raise InvalidScene("", "scene", value, rule, "filter pairs by collision groups")


def number_pairs(b: Builder, bodies: list[int], start: int) -> int:
    """Number the pairs of an island that does not list them, from `start` on; return the number after the last one."""
    end = len(b.tables["COLLIDERS"])
    for body in bodies:
        words = b.tables["BODIES"][body]
        words[BODY["PAIR"]] = start
        start += (words[BODY["COLLIDER_END"]] - words[BODY["COLLIDER"]]) * (end - words[BODY["COLLIDER_END"]])
    return start


def add_kinds(
    b: Builder, facts: ColliderFacts, unlisted: UnlistedPairs, places: np.ndarray, bodies: dict[int, int]
) -> None:
    """Append what the pairs of two kinds have in common, and write the words of colliders from which pairs follow.

    Args:
        b: the builder.
        facts: properties of all colliders.
        unlisted: the pairs of the island.
        places: index of each collider by its number.
        bodies: index of each body by its number.
    """
    row, first = len(b.tables["PAIRS"]), len(b.tables["PAIR_KINDS"])
    add_pairs(b, facts, unlisted.samples, places)
    for item in unlisted.items.ravel().tolist():
        b.add("PAIR_KINDS", PAIR=row + item if item >= 0 else -1)
    numbers, kinds = unlisted.colliders.tolist(), unlisted.kind.tolist()
    nodes = facts.node[unlisted.colliders]
    sides = pair_sides(b, nodes, nodes, np.zeros(len(nodes), bool))[0].tolist()
    for number, kind, side in zip(numbers, kinds, sides, strict=True):
        apart = len(b.tables["APART"])
        for other in sorted(places[unlisted.apart(number)].tolist()):
            b.add("APART", COLLIDER=other)
        words = {
            "BODY": bodies[int(facts.body[number])], "KIND": kind, "KIND_ROW": first + kind * len(unlisted.items),
            "SIDE": side, "RANK": int(facts.rank[number]), "APART": apart, "APART_END": len(b.tables["APART"]),
            "OWN_PAIR": len(b.tables["OWN_PAIRS"]), "OWN_PAIR_END": add_own_pairs(b, facts, number, unlisted, places),
        }  # fmt: skip
        for word, value in words.items():
            b.tables["COLLIDERS"][places[number]][COLLIDER[word]] = value


def add_own_pairs(b: Builder, facts: ColliderFacts, number: int, unlisted: UnlistedPairs, places: np.ndarray) -> int:
    """Append the pairs of a collider with links of its articulation on the way to or from its own; return their end.

    Such a pair has sides of its own, which leave out a joint; see `sides.pair_sides`.
    """
    others = unlisted.of_one_articulation(number)
    if not len(others):
        return len(b.tables["OWN_PAIRS"])
    others = others[np.argsort(places[others])]
    nodes = np.full(len(others), facts.node[number]), facts.node[others]
    for other, side0, side1 in zip(others.tolist(), *pair_sides(b, *nodes, np.ones(len(others), bool)), strict=True):
        if b.tables["SIDES"][side0][SIDE["SKIPPED_END"]] >= 0:
            b.add("OWN_PAIRS", COLLIDER=int(places[other]), SIDE0=int(side0), SIDE1=int(side1))
    return len(b.tables["OWN_PAIRS"])


def add_slots(b: Builder) -> None:
    """Append the slots in which contact points are generated; call after all pairs were added."""
    corners = [words[1] - words[0] for words in b.tables["HULL_FACES"]]
    least = MESH_CANDIDATES if b.tables["TRIANGLES"] else CANDIDATES
    counts = {"CANDIDATES": max(least, 4 * max(corners, default=0)) if b.tables["PAIRS"] else 0}
    if b.tables["TRIANGLES"]:
        counts["DIRECTIONS"] = DIRECTIONS
    if b.cores:
        counts["CORES"] = 2
    if b.manifolds or b.cores or any(words[COLLIDER["SPECULATES"]] & SWEPT for words in b.tables["COLLIDERS"]):
        counts |= {"SUPPORTS": SUPPORT_SLOTS, "FACETS": FACET_SLOTS, "FACET_SIDES": 3 * FACET_SLOTS}
    island = TABLES["ISLANDS"]
    crowds = [words for words in b.tables["ISLANDS"] if words[island["SORTS_BODIES"]]]
    counts["CROWD"] = max((words[island["BODY_END"]] - words[island["BODY"]] for words in crowds), default=0)
    for table, count in counts.items():
        for i in range(count):
            b.add(table, SLOT=i)


def add_reciprocals(b: Builder) -> None:
    """Append the table of reciprocals if a box may touch a box; call after all pairs were added."""
    laws = np.array(b.tables["PAIRS"]).reshape(-1, len(TABLES["PAIRS"]))[:, TABLES["PAIRS"]["LAW"]]
    if (laws == LAWS["BOX_ON_BOX"]).any():
        for coarse, fine in zip(chain(*COARSE), chain(*FINE), strict=True):
            b.add("RECIPROCALS", COARSE=coarse, FINE=fine)


def _partners(facts: ColliderFacts, pairs: ColliderPairs) -> dict[int, set[str]]:
    """Return the kinds that each collider of these pairs may touch, by the collider's number."""
    ones, others = (np.concatenate(sides) for sides in ((pairs.side0, pairs.side1), (pairs.side1, pairs.side0)))
    found: dict[int, set[str]] = {}
    for code in np.unique(ones * len(ShapeKind) + facts.kind[others]).tolist():
        number, kind = divmod(code, len(ShapeKind))
        found.setdefault(number, set()).add(ShapeKind(kind).name)
    return found


def needs_hull(kind: str, others: set[str]) -> bool:
    """Return whether contacts with shapes of other kinds need the convex hull of a shape."""
    laws = (COLLISIONS.get((kind, other)) or COLLISIONS.get((other, kind)) for other in others)
    return kind == "CONVEX_HULL" or (kind == "BOX" and any(law and law.hulls_of_boxes for law in laws))


def _add_collider(b: Builder, facts: ColliderFacts, number: int, partners: set[str]) -> int:
    """Append a collider with its parameters; return its index."""
    collider = b.scene.colliders[number]
    position, rotation = (np.array(v) for v in collider.pose)
    node = link = -1
    if collider.body != WORLD:
        node = b.carriers[collider.body]
        link = b.nodes[node][NODE["LINK"]]
        position = position - np.array(b.links[link].com)
    kind = ShapeKind(collider.kind)
    size = collider.half_extents if any(collider.half_extents) else (collider.radius, collider.half_height, 0.0)
    hull = add_hull(b, collider) if needs_hull(kind.name, partners) else -1
    tree, centre = -1, np.zeros(3)
    if kind == ShapeKind.TRIANGLE_MESH:  # its frame moves to the centre of its bounding box
        points = np.array(collider.points, float)
        centre, size = (points.max(axis=0) + points.min(axis=0)) / 2.0, np.ptp(points, axis=0) / 2.0
        position = position + rotate(rotation, centre)
        if id(collider) not in b.trees:  # a static mesh may be in several islands
            b.trees[id(collider)] = add_tree(b, collider, centre)
        tree = b.trees[id(collider)]
    rows = {
        "COLLIDER_POSITION": position, "COLLIDER_ROTATION": rotation, "COLLIDER_SIZE": size,
        "MESH_ORIGIN": -centre, "CONTACT_OFFSET": [collider.contact_offset],
    }  # fmt: skip
    for name, values in rows.items():
        b.rows[name].extend(float(v) for v in values)
    first = whole = c = len(b.collider)
    if c and link >= 0 and b.tables["COLLIDERS"][-1][COLLIDER["LINK"]] == link:  # those of a link lie together
        first = b.tables["COLLIDERS"][-1][COLLIDER["FIRST"]]
        if b.collider[-1] == collider.path:
            whole = b.tables["COLLIDERS"][-1][COLLIDER["WHOLE"]]
    b.collider.append(collider.path)
    return b.add(
        "COLLIDERS", SHAPE=SHAPES[kind.name], NODE=node, LINK=link, HULL=hull, TREE=tree,
        ARTICULATION=int(facts.owner[number]), FIRST=first, SPECULATES=int(facts.speculates[number]),
        WHOLE=whole, BODY=-1, KIND=-1, KIND_ROW=-1, SIDE=-1, RANK=-1, APART=0, APART_END=0,
        OWN_PAIR=0, OWN_PAIR_END=0,
    )  # fmt: skip


def add_pairs(b: Builder, facts: ColliderFacts, pairs: ColliderPairs, places: np.ndarray) -> None:
    """Append pairs with their sides, points and parameters; `places`: index of each collider by its number."""
    side0, side1 = pairs.side0, pairs.side1
    reverse = reverses(facts.kind[side0], facts.kind[side1])
    a, other = np.where(reverse, side1, side0), np.where(reverse, side0, side1)
    kinds = facts.kind[a], facts.kind[other]
    points = POINTS[kinds]
    kept = MANIFOLDS[kinds]
    values = pair_values(facts, side0, side1)
    sides = pair_sides(b, facts.node[side0], facts.node[side1], facts.owner[side0] == facts.owner[side1])
    links = [(facts.owner[side] >= 0) & ~facts.free[side] & ~facts.kinematic[side] for side in (side0, side1)]
    words = {
        "COLLIDER_A": places[a], "COLLIDER_B": places[other], "LAW": LAW[kinds],
        "REVERSED": reverse, "SIDE0": sides[0], "SIDE1": sides[1],
        "INNER": is_inner(facts, pairs),
        "HAS_LINK": links[0] | links[1],
        "TWISTS": (values["TORSIONAL_RADIUS"] > 0.0) | (values["MIN_TORSIONAL_RADIUS"] > 0.0),
        "SURFACES": facts.moves_surface[side0] + 2 * facts.moves_surface[side1],
        "COMPLIANT": values["CONTACT_STIFFNESS"] > 0.0,
        "POINTS": points, "CONTACT": b.points + np.cumsum(points) - points,
        "MANIFOLD": np.where(kept > 0, b.manifolds + np.cumsum(kept) - kept, -1),
        "OWNER0": pairs.owner0, "OWNER1": pairs.owner1, "LINK_RANK": facts.breadth[facts.node[side0]],
        "RANK0": facts.rank[side0], "RANK1": facts.rank[side1],
    }  # fmt: skip
    rows = np.empty((len(pairs), len(TABLES["PAIRS"])), np.int32)
    for column, word in enumerate(TABLES["PAIRS"]):
        rows[:, column] = words[word]
    b.tables["PAIRS"].append(rows)
    b.points, b.manifolds = b.points + int(points.sum()), b.manifolds + int(kept.sum())
    b.cores += int(IS_CORE[kinds].sum())
    for name, numbers in values.items():
        b.rows[name].append(numbers)
