"""Bodies and joints of each articulation, its root, and the joints outside its tree."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pxr import Sdf, Usd

from ...scene import WORLD
from ..attributes import ARTICULATION
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from .joint_prims import JOINT_TYPES, JointPrim


@dataclass
class Tree:
    """Bodies and joints of one articulation, in stage order."""

    prim: Usd.Prim  # the prim with ArticulationRootAPI
    root: str
    bodies: list[str]
    edges: list[JointPrim]


def find_trees(source: StageReader, bodies: dict[str, Usd.Prim], edges: list[JointPrim]) -> list[Tree]:
    """Return one tree per connected group of bodies that an enabled ArticulationRootAPI claims, in stage order."""
    claims = find_claims(source)
    unclaimed = dict(claims)
    outside = [edge for edge in edges if not edge.may_be_in_tree]
    edges = [edge for edge in edges if edge.may_be_in_tree]
    graph = neighbours(bodies, edges)
    group_of: dict[str, str] = {}
    for body in bodies:
        if body not in group_of:
            group_of.update(dict.fromkeys(distances(body, graph), body))
    inside: dict[str, tuple[list[str], list[JointPrim]]] = {}
    for body in bodies:
        inside.setdefault(group_of[body], ([], []))[0].append(body)
    for edge in edges:
        inside[group_of[edge.bodies[0] or edge.bodies[1]]][1].append(edge)
    outside_of: dict[str, list[JointPrim]] = defaultdict(list)
    for edge in outside:
        for group in {group_of[body] for body in edge.bodies if body in group_of}:
            outside_of[group].append(edge)
    trees = []
    for group, (members, joints) in inside.items():
        mine = [claims[path] for path in root_candidates(members, joints) if path in claims]
        if mine:
            tree = Tree(preferred_root(mine, bodies), "", members, joints)
            unclaimed.pop(str(tree.prim.GetPath()), None)
            tree.root = choose_root(tree, tree.edges + outside_of[group])
            open_loops(source, tree)
            trees.append(tree)
    for prim in unclaimed.values():
        source.report(prim, "PhysicsArticulationRootAPI", Reason("root-claims-nothing"))
    return trees


def find_claims(source: StageReader) -> dict[str, Usd.Prim]:
    """Return prims with enabled ArticulationRootAPI, by path; a root below any other root does not count."""
    claims = {str(p.GetPath()): p for p in source.prims if "PhysicsArticulationRootAPI" in schemas(p)}
    for path in list(claims):
        outer = next((str(above) for above in Sdf.Path(path).GetPrefixes()[:-1] if str(above) in claims), None)
        if outer:
            reason = Reason("root-below-root", related=outer)
            source.report(claims.pop(path), "PhysicsArticulationRootAPI", reason)
    return {path: p for path, p in claims.items() if source.values(p, ARTICULATION)["enabled"]}


def neighbours(bodies: Iterable[str], edges: list[JointPrim]) -> dict[str, list[str]]:
    """Return the bodies joined to each body, except the world, in joint order."""
    graph: dict[str, list[str]] = {body: [] for body in bodies}
    for edge in edges:
        if WORLD not in edge.bodies:
            for body in edge.bodies:
                graph[body].append(edge.other(body))
    return graph


def distances(start: str, graph: dict[str, list[str]]) -> dict[str, int]:
    """Return the number of joints between a body and every connected body."""
    found, queue = {start: 0}, [start]
    for body in queue:
        for other in graph[body]:
            if other not in found:
                found[other] = found[body] + 1
                queue.append(other)
    return found


def root_candidates(bodies: list[str], edges: list[JointPrim]) -> list[str]:
    """Return prims whose ArticulationRootAPI can claim this group: its joints, its bodies, prims above bodies."""
    paths = [edge.path for edge in edges] + bodies
    if edges:
        paths += [str(path) for body in bodies for path in reversed(Sdf.Path(body).GetPrefixes())]
    return list(dict.fromkeys(paths))


def preferred_root(claims: list[Usd.Prim], bodies: dict[str, Usd.Prim]) -> Usd.Prim:
    """Return the deciding root prim: a joint before a body before a prim above the bodies."""
    return min(claims, key=lambda p: (str(p.GetTypeName()) not in JOINT_TYPES, str(p.GetPath()) not in bodies))


def choose_root(tree: Tree, touching: list[JointPrim]) -> str:
    """Return the root: a body fixed to the world, else the body with the API, else the topmost, else the central one.

    If several bodies are fixed to the world, the root is the body with the most joints; as in PhysX, excluded joints
    weigh more.

    Args:
        tree: the bodies and joints of one articulation.
        touching: all enabled joints of its bodies, including joints outside its tree.
    """
    claim = str(tree.prim.GetPath())
    anchored = {edge.path: edge.other(WORLD) for edge in tree.edges if WORLD in edge.bodies}
    if claim in anchored:
        return anchored[claim]
    bodies = in_depth(tree)
    if anchored:
        weights = Counter()
        for edge in touching:
            weights.update(dict.fromkeys(edge.bodies, weight(edge)))
        ends = {*anchored.values()}
        return max((body for body in bodies if body in ends), key=lambda body: weights[body])
    if claim in bodies:
        return claim
    above = min(bodies, key=len)
    if all(Sdf.Path(body).HasPrefix(above) for body in bodies):
        return above
    members = {*bodies}
    graph = neighbours(bodies, [edge for edge in touching if members.issuperset(edge.bodies)])
    joints = Counter(body for edge in touching for body in edge.bodies)
    longest = eccentricities(bodies, graph)
    return min(bodies, key=lambda body: (longest[body], -joints[body]))


def eccentricities(bodies: list[str], graph: dict[str, list[str]]) -> dict[str, int]:
    """Return the number of joints between each body and the body farthest from it, in a connected graph.

    In a tree, the farthest body is one of the two ends of a longest path.
    """
    if sum(len({*others}) for others in graph.values()) == 2 * (len(bodies) - 1):
        one = distances(max_key(distances(bodies[0], graph)), graph)
        other = distances(max_key(one), graph)
        return {body: max(one[body], other[body]) for body in bodies}
    return {body: max(distances(body, graph).values()) for body in bodies}


def max_key(numbers: dict[str, int]) -> str:
    """Return the key of the largest number."""
    return max(numbers, key=lambda key: numbers[key])


def weight(edge: JointPrim) -> int:
    """Return the weight of a joint for the choice of the root."""
    if not edge.may_be_in_tree:
        return 1_000
    return 100_000 if WORLD in edge.bodies else 100


def in_depth(tree: Tree) -> list[str]:
    """Return the bodies of a tree, depth first from the first path; PhysX takes the first of equals as the root."""
    graph = neighbours(tree.bodies, sorted(tree.edges, key=lambda edge: edge.path.split("/")))
    found: dict[str, None] = {}
    stack = [min(tree.bodies, key=lambda body: body.split("/"))]
    while stack:
        body = stack.pop()
        if body not in found:
            found[body] = None
            stack.extend(reversed(graph[body]))
    return list(found)


def open_loops(source: StageReader, tree: Tree) -> None:
    """Keep the joints that span the tree, breadth first in stage order; all other joints close loops.

    All joints between the same two bodies are kept. PhysX drops a joint that closes a loop of bodies, with an error. It
    keeps a joint that closes a loop through the world as a constraint.
    """
    kept, placed = {frozenset((WORLD, tree.root))}, {WORLD, tree.root}
    edges_of: dict[str, list[JointPrim]] = defaultdict(list)
    for edge in tree.edges:
        for body in edge.bodies:
            edges_of[body].append(edge)
    queue = [tree.root]
    for body in queue:
        for edge in edges_of[body]:
            other = edge.other(body)
            if other not in placed:
                placed.add(other)
                kept.add(frozenset(edge.bodies))
                queue.append(other)
    for edge in tree.edges:
        if frozenset(edge.bodies) not in kept and WORLD not in edge.bodies:
            source.report(edge.prim, "physics:excludeFromArticulation", Reason("loop-not-excluded"), False)
    tree.edges = [edge for edge in tree.edges if frozenset(edge.bodies) in kept]
