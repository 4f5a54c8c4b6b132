"""Bodies, the joints between them, and which of them form an articulation with which root."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pxr import Sdf, Usd

from ..scene import WORLD, InvalidScene, JointType
from .attributes import BODY, JOINT
from .stage import Source, schemas

JOINT_TYPES = {
    "PhysicsFixedJoint": JointType.FIXED,
    "PhysicsRevoluteJoint": JointType.REVOLUTE,
    "PhysicsPrismaticJoint": JointType.PRISMATIC,
    "PhysicsSphericalJoint": JointType.SPHERICAL,
    "PhysicsJoint": JointType.D6,
}
ENDS = ("physics:body0", "physics:body1")


@dataclass(frozen=True)
class Edge:
    """A joint prim and what it joins: paths of two rigid bodies, or `WORLD`, and the prims it names."""

    prim: Usd.Prim
    type: JointType
    bodies: tuple[str, str]
    targets: tuple[Usd.Prim | None, Usd.Prim | None]

    @property
    def path(self) -> str:
        """Path of the joint prim."""
        return str(self.prim.GetPath())

    def other(self, body: str) -> str:
        """The body at the other end."""
        return self.bodies[1] if self.bodies[0] == body else self.bodies[0]


@dataclass
class Tree:
    """The bodies and joints of one articulation, in the order of the stage."""

    prim: Usd.Prim | None  # the one that carries ArticulationRootAPI
    root: str
    bodies: list[str]
    edges: list[Edge] = field(default_factory=list)


def find_bodies(source: Source) -> dict[str, Usd.Prim]:
    """Rigid bodies that can move, by path; a disabled or kinematic body counts as the world."""
    bodies = {}
    for prim in source.prims:
        if "PhysicsRigidBodyAPI" not in schemas(prim):
            continue
        flags = source.values(prim, BODY)
        if flags["enabled"] and not flags["kinematic"]:
            bodies[str(prim.GetPath())] = prim
        else:
            source.report(prim, "", "a disabled or kinematic body does not move: part of the world")
    return bodies


def find_edges(source: Source, bodies: dict[str, Usd.Prim]) -> list[Edge]:
    """Joints that belong to articulations, in the order of the stage; the others are reported."""
    edges = []
    for prim in source.prims:
        kind = str(prim.GetTypeName())
        if kind not in JOINT_TYPES:
            if is_joint(prim):
                source.report(prim, "", f"{kind}: not simulated yet")
            continue
        flags = source.values(prim, [row for row in JOINT if row.field in ("enabled", "excluded")])
        if not flags["enabled"]:
            source.report(prim, "", "a disabled joint holds nothing")
            continue
        edge = connect(source, prim, bodies)
        if edge.bodies == (WORLD, WORLD):
            source.report(prim, "", "joins two prims that do not move: neither is a rigid body or inside one")
        elif flags["excluded"]:
            source.report(prim, "", "excluded from the articulation: joints that close a loop are not simulated yet")
        else:
            edges.append(edge)
    return edges


def is_joint(prim: Usd.Prim) -> bool:
    """Whether a prim is a joint, of a kind that is simulated or of another."""
    kind = str(prim.GetTypeName())
    return kind.startswith("Phys") and kind.endswith("Joint")


def connect(source: Source, prim: Usd.Prim, bodies: dict[str, Usd.Prim]) -> Edge:
    """Resolve both ends of a joint to rigid bodies at or above the prims it names.

    Raises:
        InvalidScene: an end names a prim that does not exist, both ends are missing, or both are the same body.
    """
    targets, ends = [], []
    for name in ENDS:
        path = source.target(prim, name)
        found = source.stage.GetPrimAtPath(path) if path else None
        if path and not (found and found.IsActive()):
            raise InvalidScene(
                f"{prim.GetPath()}.{name} = {path}: there is no such prim; name a rigid body, or nothing for the world"
            )
        targets.append(found)
        ends.append(body_above(found, bodies))
    if targets == [None, None]:
        raise InvalidScene(
            f"{prim.GetPath()}.physics:body0, physics:body1 are both empty: a joint joins two bodies; name at least one"
        )
    if ends[0] == ends[1] != WORLD:
        raise InvalidScene(
            f"{prim.GetPath()}.physics:body1 = {ends[1]}: a joint joins two different bodies; name another body"
        )
    return Edge(prim, JOINT_TYPES[prim.GetTypeName()], tuple(ends), tuple(targets))


def body_above(prim: Usd.Prim | None, bodies: dict[str, Usd.Prim]) -> str:
    """Path of the nearest rigid body at or above a prim; `WORLD` if there is none."""
    while prim:
        if str(prim.GetPath()) in bodies:
            return str(prim.GetPath())
        prim = prim.GetParent()
    return WORLD


def find_trees(source: Source, bodies: dict[str, Usd.Prim], edges: list[Edge]) -> list[Tree]:
    """One tree per connected group of bodies that an ArticulationRootAPI claims, in the order of the stage.

    Raises:
        InvalidScene: the joints of a group form a loop.
    """
    claims = {str(p.GetPath()): p for p in source.prims if "PhysicsArticulationRootAPI" in schemas(p)}
    unclaimed = dict(claims)
    graph = neighbours(bodies, edges)
    group_of: dict[str, str] = {}
    for body in bodies:
        if body not in group_of:
            group_of.update(dict.fromkeys(distances(body, graph), body))
    inside: dict[str, Tree] = {}
    for body in bodies:
        inside.setdefault(group_of[body], Tree(None, "", [])).bodies.append(body)
    for edge in edges:
        inside[group_of[edge.bodies[0] or edge.bodies[1]]].edges.append(edge)
    trees = []
    for tree in inside.values():
        mine = [claims[path] for path in claimants(tree) if path in claims]
        if mine:
            tree.prim = strongest(mine, bodies)
            unclaimed.pop(str(tree.prim.GetPath()), None)
            tree.root = elect(tree, graph)
            check_tree(tree)
            trees.append(tree)
    for prim in unclaimed.values():
        source.report(prim, "PhysicsArticulationRootAPI", "claims no body, or only bodies of another root")
    return trees


def find_free(source: Source, bodies: dict[str, Usd.Prim], trees: list[Tree]) -> dict[str, Usd.Prim]:
    """Bodies that no articulation claims and no joint of any kind holds, in the order of the stage."""
    claimed = {path for tree in trees for path in tree.bodies}
    free = {path: prim for path, prim in bodies.items() if path not in claimed}
    for prim in source.prims if free else ():
        if is_joint(prim) and source.authored(prim, "physics:jointEnabled") is not False:
            for name in ENDS:
                path = source.target(prim, name)
                free.pop(body_above(source.stage.GetPrimAtPath(path) if path else None, bodies), None)
    return free


def neighbours(bodies: Iterable[str], edges: list[Edge]) -> dict[str, list[str]]:
    """The bodies joined to each body, the world left out, in the order of the joints."""
    graph: dict[str, list[str]] = {body: [] for body in bodies}
    for edge in edges:
        if WORLD not in edge.bodies:
            for body in edge.bodies:
                graph[body].append(edge.other(body))
    return graph


def distances(start: str, graph: dict[str, list[str]]) -> dict[str, int]:
    """Number of joints between a body and every body it is joined to."""
    found, queue = {start: 0}, [start]
    for body in queue:
        for other in graph[body]:
            if other not in found:
                found[other] = found[body] + 1
                queue.append(other)
    return found


def claimants(tree: Tree) -> list[str]:
    """Where an ArticulationRootAPI may sit to mean this group: on its joints, on its bodies, above joined bodies."""
    paths = [edge.path for edge in tree.edges] + tree.bodies
    if tree.edges:
        paths += [str(path) for body in tree.bodies for path in reversed(Sdf.Path(body).GetPrefixes())]
    return list(dict.fromkeys(paths))


def strongest(claims: list[Usd.Prim], bodies: dict[str, Usd.Prim]) -> Usd.Prim:
    """The claim that decides: one on a joint before one on a body before one above them."""
    return min(claims, key=lambda p: (str(p.GetTypeName()) not in JOINT_TYPES, str(p.GetPath()) not in bodies))


def elect(tree: Tree, graph: dict[str, list[str]]) -> str:
    """The root: the body held by the world, else the body that carries the API, else the centre of the graph."""
    claim = str(tree.prim.GetPath())
    anchored = [edge for edge in tree.edges if WORLD in edge.bodies]
    anchored.sort(key=lambda edge: edge.path != claim)  # stable: the joint that carries the API comes first
    if anchored:
        return anchored[0].other(WORLD)
    if claim in tree.bodies:
        return claim
    return min(tree.bodies, key=lambda body: (max(distances(body, graph).values()), -len(graph[body])))


def check_tree(tree: Tree) -> None:
    """Raise InvalidScene where the joints close a loop; several joints between one pair of bodies do not."""
    leader: dict[str, str] = {}
    pairs: set[frozenset[str]] = set()

    def find(body: str) -> str:
        while leader.setdefault(body, body) != body:
            body = leader[body]
        return body

    for edge in sorted(tree.edges, key=lambda edge: WORLD in edge.bodies and tree.root not in edge.bodies):
        a, b = (find(body) for body in edge.bodies)
        if a == b and frozenset(edge.bodies) not in pairs:
            raise InvalidScene(
                f"{edge.path}.physics:excludeFromArticulation = False: the joint closes a loop and the joints of an "
                "articulation must form a tree; author physics:excludeFromArticulation = true on it"
            )
        leader[a] = b
        pairs.add(frozenset(edge.bodies))
