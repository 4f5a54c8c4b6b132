"""Joints that gears relate: their numbers, and the senses of their positions."""

from ..scene import Joint
from ..tables.topology import TABLES
from .builder import Builder

WORD = TABLES["JOINTS"]


def relate_gears(b: Builder) -> None:
    """Write which maximal joints or degrees of freedom the gears relate; -1 for a joint that does not exist."""
    tree = {joint.path: joint for a in b.scene.articulations for joint in a.joints}
    loops = {joint.path: joint for joint in b.scene.joints}
    for number, path in enumerate(b.maximal_joint):
        gear = loops.get(path)
        if gear is None:
            continue
        for end, part in enumerate(gear.parts):
            joint = loops.get(part) or tree.get(part)
            if joint is None:
                continue
            words = b.tables["JOINTS"][number]
            words[WORD[f"PART_SIGN{end}"]] = 1 if (gear.body0, gear.body1)[end] == joint.body1 else -1
            if part in loops:
                words[WORD[f"PART{end}"]] = b.maximal_joint.index(part)
            else:
                words[WORD[f"PART_DOF{end}"]] = b.dof.index(dof_of(joint))


def dof_of(joint: Joint) -> str:
    """Return the name of the only degree of freedom of a joint."""
    return f"{joint.path}:{joint.axes[0].token}"
