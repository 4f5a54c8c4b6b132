"""Fixed tendons: springs over joint positions, from PhysxTendonAxisRootAPI and PhysxTendonAxisAPI on joints.

An axis that PhysX does not use is dropped, with a diagnostic.
"""

from collections import defaultdict
from collections.abc import Sequence
from math import inf, isinf

from pxr import Usd

from ...scene import WORLD, Attachment, FixedTendon, InvalidScene, Joint, JointType, TendonAxis, physx_sort_key
from ..attributes import LENGTHS, TENDON, TENDON_AXIS
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, instances
from .joints import INSTANCES

AXIS_ROOT_API, AXIS_API = "PhysxTendonAxisRootAPI", "PhysxTendonAxisAPI"


def read_fixed_tendons(source: StageReader, root: str, joints: tuple[Joint, ...]) -> tuple[FixedTendon, ...]:
    """Return the fixed tendons of an articulation in PhysX's order of their root joints: by type, then by path.

    Raises:
        InvalidScene: a tendon axis without a root, a tendon axis on a fixed joint, or gearings that are all 0.
    """
    steps = descent(root, joints)
    tendons, taken = [], set()
    for joint in sorted((joint for joint, _, _ in steps), key=physx_sort_key):
        for name in sorted(instances(source.prim(joint.path), AXIS_ROOT_API)):  # PhysX's order on one joint
            taken.add((joint.path, name))
            tendon = read_fixed_tendon(source, steps, joint, name, taken)
            tendons += [tendon] if tendon else []
    for joint, _, _ in steps:
        for name in instances(source.prim(joint.path), AXIS_API):
            if (joint.path, name) not in taken:
                drop(source, steps, joint, name)
    return tuple(tendons)


def descent(root: str, joints: tuple[Joint, ...]) -> list[tuple[Joint, str, str]]:
    """Return joints with their parent and child links, breadth first, siblings in PhysX's order."""
    ordered, found, queue = [], {WORLD, root}, [WORLD, root]
    joints_of: dict[str, list[Joint]] = defaultdict(list)
    for joint in sorted(joints, key=physx_sort_key):
        for link in {joint.body0, joint.body1}:
            joints_of[link].append(joint)
    taken: set[str] = set()
    for link in queue:
        for joint in joints_of[link]:
            if joint.path in taken:
                continue
            taken.add(joint.path)
            child = joint.body1 if joint.body0 == link else joint.body0
            ordered.append((joint, link, child))
            if child not in found:
                found.add(child)
                queue.append(child)
    return ordered


def read_fixed_tendon(
    source: StageReader, steps: list[tuple[Joint, str, str]], root: Joint, name: str, taken: set[tuple[str, str]]
) -> FixedTendon | None:
    """Return the tendon of a root, with every axis that is reached joint by joint; None if it is disabled or empty."""
    prim = source.prim(root.path)
    values = source.values(prim, (*TENDON, *LENGTHS), name)
    axes = []
    reached: set[str] = set()
    for joint, parent, child in steps:
        if joint is root or (parent in reached and name in instances(source.prim(joint.path), AXIS_API)):
            taken.add((joint.path, name))
            found = read_tendon_axes(source, joint, name)
            reached |= {child} if found else set()
            axes += found
    if not values.pop("enabled"):
        source.report(prim, f"physxTendon:{name}:tendonEnabled", Reason("tendon-disabled"), False)
        return None
    if root.type not in INSTANCES:
        return None
    if not any(axis.gearing for axis in axes):
        raise InvalidScene(
            root.path,
            f"physxTendon:{name}:gearing",
            0,
            "a number other than 0 on one joint of the tendon, or it has no length",
            "author the length per position of at least one of its joints",
        )
    if isinf(values["rest_length"]):
        values["rest_length"] = 0.0
    check_lengths(source, prim, name, values)
    tendon = FixedTendon(f"{root.path}:{name}", tuple(axes), **values)
    report_idle_limit(source, prim, name, tendon.limit_stiffness, [tendon])
    return tendon


def read_tendon_axes(source: StageReader, joint: Joint, name: str) -> list[TendonAxis]:
    """Return the tendon's axis at a joint; empty for a joint with several axes, which PhysX's tendons do not support.

    Raises:
        InvalidScene: the joint does not move.
    """
    prim = source.prim(joint.path)
    if joint.type is JointType.FIXED or not joint.axes:
        raise InvalidScene(
            joint.path,
            f"physxTendon:{name}:gearing",
            rule="on a joint that moves, and this joint is fixed or locked",
            fix="apply its schema to a revolute or prismatic joint",
        )
    source.used.add((joint.path, f"physxTendon:{name}:jointAxis"))  # has an effect only on joints with several axes
    if joint.type not in INSTANCES:
        report_instance(source, prim, name, Reason("tendon-joint"))
        return []
    rotational = joint.axes[0].rotational
    values = source.values(prim, TENDON_AXIS, name, rotational)
    for row in TENDON_AXIS:
        if not isinstance(values[row.field], float) and len(values[row.field]) > 1:
            attribute = row.named(name)
            source.report(prim, attribute, Reason("tendon-first-number"), source.authored(prim, attribute))
    numbers = {row.field: first_number(values[row.field], source.scale(row, rotational)) for row in TENDON_AXIS}
    return [TendonAxis(f"{joint.path}:{joint.axes[0].token}", **numbers)]


def first_number(value: float | tuple[float, ...], unit: float) -> float:
    """Return the only number, or the first number of an array; 1 in the file's unit if nothing is authored."""
    if not isinstance(value, tuple):
        return value
    return value[0] if value else unit


def drop(source: StageReader, steps: list[tuple[Joint, str, str]], joint: Joint, name: str) -> None:
    """Report an axis that its tendon does not reach joint by joint.

    Raises:
        InvalidScene: the articulation does not have a root of this tendon.
    """
    if not any(name in instances(source.prim(other.path), AXIS_ROOT_API) for other, _, _ in steps):
        raise InvalidScene(
            joint.path,
            f"{AXIS_API}:{name}",
            rule=f"on a joint of an articulation with {AXIS_ROOT_API}:{name}",
            fix="apply it to the first joint of the tendon",
        )
    report_instance(source, source.prim(joint.path), name, Reason("tendon-gap"))


def report_instance(source: StageReader, prim: Usd.Prim, name: str, reason: Reason) -> None:
    """Report all attributes that a prim authors for a tendon as unused."""
    head = f"physxTendon:{name}:"
    names = sorted(n for n in prim.GetAuthoredPropertyNames() if n.startswith(head))
    source.report(prim, ", ".join(names or [f"physxTendon:{name}"]), reason)


def check_lengths(source: StageReader, prim: Usd.Prim, name: str, values: dict) -> None:
    """Raise InvalidScene if a tendon's lower limit is above its upper limit."""
    if values["lower"] > values["upper"]:
        lower, upper = (source.authored(prim, f"physxTendon:{name}:{end}Limit") for end in ("lower", "upper"))
        raise InvalidScene(
            prim.GetPath(),
            f"physxTendon:{name}:lowerLimit",
            f"{lower:g}",
            f"at most upperLimit = {upper:g}",
            "exchange them",
        )


def report_idle_limit(
    source: StageReader, prim: Usd.Prim, name: str, stiffness: float, ends: Sequence[FixedTendon | Attachment]
) -> None:
    """Report a limit stiffness of a tendon without limits."""
    if stiffness and not any(end.lower > -inf or end.upper < inf for end in ends):
        attribute = f"physxTendon:{name}:limitStiffness"
        source.report(prim, attribute, Reason("tendon-without-limits"), source.authored(prim, attribute))
