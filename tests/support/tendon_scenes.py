"""Robots with tendons as text: chains of joints for fixed ones, chains of links for spatial ones."""

from itertools import pairwise

from usda import ANCHOR, ROOT, body, joint, prim

TURN, SLIDE, BALL, FIXED = (f"Physics{kind}Joint" for kind in ("Revolute", "Prismatic", "Spherical", "Fixed"))
HEAD, NEXT = "PhysxTendonAxisRootAPI:t", "PhysxTendonAxisAPI:t"
API = {kind: f"PhysxTendonAttachment{kind}API" for kind in ("Root", "", "Leaf")}
CENTRED = """float physics:mass = 1
    point3f physics:centerOfMass = (0, 0, 0)
    float3 physics:diagonalInertia = (1, 1, 1)
    """


def finger(*bones: tuple[str, str, str], ends: tuple[tuple[str, str], ...] = (), root: str = "") -> str:
    """A robot whose joints j1, j2, … are given as kind, lines and schemas, a chain from the base unless `ends` say."""
    names = ["base", *(f"l{i}" for i in range(1, len(bones) + 1))]
    ends = ends or tuple(pairwise(names))
    parts = [body(name) for name in names]
    parts += [ANCHOR] + [
        joint(f"j{i + 1}", kind, *(f"/robot/{end}" for end in ends[i]), lines, apis)
        for i, (kind, lines, apis) in enumerate(bones)
    ]
    return prim("Xform", "robot", root + "\n".join(parts), f"{ROOT} PhysxArticulationAPI")


def gear(value: float, more: str = "") -> str:
    """The lines of an axis of the tendon t."""
    return f"float[] physxTendon:t:gearing = [{value}]\n{more}"


def point(name: str, parent: str = "", **values) -> str:
    """The lines of an attachment; the parent is "link:name"."""
    lines = [f"{'point3f' if k == 'localPos' else 'float'} physxTendon:{name}:{k} = {v}" for k, v in values.items()]
    if parent:
        link, _, other = parent.partition(":")
        lines.append(f"rel physxTendon:{name}:parentLink = </robot/{link}>")
        lines.append(f'uniform token physxTendon:{name}:parentAttachment = "{other}"')
    return "\n".join(lines) + "\n"


def chain(*links: tuple[str, str], mass: str = CENTRED) -> str:
    """A robot of links a, b, c, …, each given as lines and schemas, on hinges in this order."""
    names = "abcdef"[: len(links)]
    parts = [body(name, mass + lines, apis) for name, (lines, apis) in zip(names, links, strict=True)]
    hinges = [joint(f"j{x}{y}", "PhysicsRevoluteJoint", f"/robot/{x}", f"/robot/{y}") for x, y in pairwise(names)]
    return prim("Xform", "robot", "\n".join(parts + hinges), ROOT)


def schemas(**named: str) -> str:
    """Applied schemas, instance = kind."""
    return " ".join(f"{API[kind]}:{name}" for name, kind in named.items())
