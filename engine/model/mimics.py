"""Mimic joints of an articulation: their terms, and checks of what they relate."""

from math import inf

from ..scene import InvalidScene, Joint, Mimic, physx_sort_key
from ..tables.topology import NODE
from .builder import Builder


def add_mimics(b: Builder, joints: tuple[Joint, ...], root: int) -> None:
    """Append the mimic joints of one articulation in PhysX's order: by type and path of the follower's joint.

    The nodes of the articulation start at `root`.

    Raises:
        InvalidScene: a mimic joint does not relate degrees of freedom of the articulation.
    """
    node_of = {b.dof[node[NODE["DOF"]]]: k for k, node in enumerate(b.nodes[root:], root) if node[NODE["DOF"]] >= 0}
    mine = {f"{joint.path}:{axis.token}" for joint in joints for axis in joint.axes}
    for joint in sorted(joints, key=physx_sort_key):
        for axis in joint.axes:
            if axis.mimic is None:
                continue
            own, first = f"{joint.path}:{axis.token}", len(b.tables["TERMS"])
            _check_mimic(own, axis.mimic, mine)
            for name, gearing in ((own, 1.0), *axis.mimic.references):
                b.add("TERMS", NODE=node_of[name])
                b.rows["MIMIC_GEARING"].append(gearing)
            b.add("MIMICS", TERM=first, TERM_END=len(b.tables["TERMS"]))
            b.rows["MIMIC_OFFSET"].append(axis.mimic.offset)
            b.rows["MIMIC_FREQUENCY"].append(axis.mimic.natural_frequency)
            b.rows["MIMIC_DAMPING_RATIO"].append(axis.mimic.damping_ratio)


def _check_mimic(own: str, mimic: Mimic, mine: set[str]) -> None:
    """Raise InvalidScene for a mimic joint that does not relate degrees of freedom of one articulation."""
    if not mimic.references:
        raise InvalidScene(own, "mimic.references", (), "one degree of freedom or more", "add a pair (name, gearing)")
    names = [own]
    for name, gearing in mimic.references:
        pair = f"({name}, {gearing})"
        if name not in mine:
            raise InvalidScene(
                own, "mimic.references", pair, "a degree of freedom of the articulation", "name one that is"
            )
        if name in names:
            raise InvalidScene(
                own,
                "mimic.references",
                pair,
                "a degree of freedom that appears once",
                "add up its gearings, or name another",
            )
        if not 0.0 < abs(gearing) < inf:
            raise InvalidScene(
                own,
                "mimic.references",
                pair,
                "a pair with a gearing that is finite and not zero",
                "give a number, or remove the pair",
            )
        names.append(name)
    for field_name in ("offset", "natural_frequency", "damping_ratio"):
        value = getattr(mimic, field_name)
        if not (abs(value) < inf and (value >= 0.0 or field_name == "offset")):
            least = "" if field_name == "offset" else " and not negative"
            raise InvalidScene(own, f"mimic.{field_name}", value, f"finite{least}", "give such a number")
