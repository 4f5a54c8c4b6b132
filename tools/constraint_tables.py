"""Tables of constraints besides trees: mimic joints, tendons, maximal joints."""

from math import inf, radians
from typing import Any

from .cli_units import angle_unit, shown_angle
from .table import every_axis, number, table

TENDON_COLUMNS = ("stiffness\n[N/m]", "damping\n[N·s/m]", "limit stiffness\n[N/m]")


def mimics(scene: Any) -> Any:
    """Return one row per reference of a mimic joint, in units of the file and in SI."""
    result = table(
        "Mimic joints: q + Σ gearing q_reference + offset = 0; hard where frequency or damping ratio is 0",
        2,
        *("joint", "reference", "gearing\nas in the file", "gearing\n[rad | m per rad | m]"),
        *(
            "offset\nas in the file\n[deg | length]",
            f"offset\n[{angle_unit()} | m]",
            "natural frequency\n[rad/s]",
            "damping\nratio",
        ),
    )
    for joint, axis in every_axis(scene.articulations):
        mimic = axis.mimic
        name = f"{joint.path}:{axis.token}"
        for reference, gearing in mimic.references if mimic else ():
            own, other = (position_unit(scene, path) for path in (name, reference))
            offset = shown_angle(mimic.offset, axis.rotational)
            values = (gearing * other / own, gearing, mimic.offset / own, offset)
            values += (mimic.natural_frequency, mimic.damping_ratio)
            result.add_row(name, reference, *map(number, values))
    return result


def position_unit(scene: Any, dof: str) -> float:
    """Return the SI value of 1 in the file for a degree of freedom's position [rad | m]."""
    return radians(1.0) if dof.rpartition(":")[2].startswith("rot") else scene.meters_per_unit


def fixed_tendons(scene: Any) -> Any:
    """Return one row per fixed tendon."""
    result = table(
        "Fixed tendons: length = Σ gearing q + offset",
        1,
        *("tendon", *TENDON_COLUMNS, "rest length\n[m]", "offset\n[m]", "lower\n[m]", "upper\n[m]"),
    )
    for tendon in (tendon for a in scene.articulations for tendon in a.fixed_tendons):
        lengths = (tendon.rest_length, tendon.offset, tendon.lower, tendon.upper)
        result.add_row(tendon.path, *map(number, (*tendon_gains(tendon), *lengths)))
    return result


def tendon_axes(scene: Any) -> Any:
    """Return one row per degree of freedom of a fixed tendon."""
    result = table(
        "Joints of fixed tendons",
        2,
        *("tendon", "joint", "gearing\nas in the file\n[length/deg | 1]", "gearing\n[m/rad | 1]"),
        "force coefficient\n[m | 1]",
    )
    for tendon in (tendon for a in scene.articulations for tendon in a.fixed_tendons):
        for axis in tendon.axes:
            said = axis.gearing * position_unit(scene, axis.dof) / scene.meters_per_unit
            result.add_row(tendon.path, axis.dof, *map(number, (said, axis.gearing, axis.force_coefficient)))
    return result


def spatial_tendons(scene: Any) -> Any:
    """Return one row per spatial tendon."""
    result = table("Spatial tendons: length = Σ gearing |piece| + offset", 1, "tendon", *TENDON_COLUMNS, "offset\n[m]")
    for tendon in (tendon for a in scene.articulations for tendon in a.spatial_tendons):
        result.add_row(tendon.path, *map(number, (*tendon_gains(tendon), tendon.offset)))
    return result


def attachments(scene: Any) -> Any:
    """Return one row per attachment of a spatial tendon; only leaves have lengths."""
    result = table(
        "Attachments of spatial tendons, leaves in solving order",
        4,
        *("tendon", "attachment", "after", "link", "point in the link [m]", "gearing", "rest length\n[m]"),
        *("lower\n[m]", "upper\n[m]"),
    )
    for tendon in (tendon for a in scene.articulations for tendon in a.spatial_tendons):
        for index, item in enumerate(tendon.attachments):
            after = str(item.parent) if item.parent >= 0 else "root"
            place = ", ".join(map(number, item.position))
            lengths = tuple(map(number, (item.rest_length, item.lower, item.upper))) if item.leaf else ("",) * 3
            result.add_row(tendon.path, str(index), after, item.link, place, number(item.gearing), *lengths)
    return result


def tendon_gains(tendon: Any) -> tuple[float, float, float]:
    """Return the values of the columns TENDON_COLUMNS."""
    return tendon.stiffness, tendon.damping, tendon.limit_stiffness


def loops(scene: Any) -> Any:
    """Return one row per free axis of a maximal joint, or one row for a joint without free axes."""
    unit = angle_unit()
    result = table(
        "Maximal joints: all other axes are locked",
        5,
        *("joint", "type", "body0", "body1", "axis", f"lower\n[{unit} | m]", f"upper\n[{unit} | m]"),
        *("limit stiffness\n[N·m/rad | N/m]", "limit damping\n[N·m·s/rad | N·s/m]", "restitution"),
        f"bounce above\n[{unit}/s | m/s]",
    )
    for joint in scene.joints:
        head = (joint.path, joint.type.name.lower(), joint.body0 or "world", joint.body1 or "world")
        rows = [("none", ())] if not joint.axes else [(axis.token, limit_columns(axis)) for axis in joint.axes]
        if joint.distance:
            rows = [("distance", bounds(joint.distance))]
        for axis, values in rows:
            result.add_row(*head, axis, *map(number, values))
    return result


def limit_columns(axis: Any) -> tuple[float, ...]:
    """Return the limits of an axis, and their compliance."""
    spring = axis.limit
    lower, upper, bounce = (shown_angle(x, axis.rotational) for x in (axis.lower, axis.upper, spring.bounce_threshold))
    return lower, upper, spring.stiffness, spring.damping, spring.restitution, bounce


def bounds(distance: Any) -> tuple[float, ...]:
    """Return the bounds of a distance, and their compliance."""
    ends = (end if end >= 0.0 else sign * inf for end, sign in ((distance.minimum, -1.0), (distance.maximum, 1.0)))
    spring = (distance.stiffness, distance.damping) if distance.spring else (0.0, 0.0)
    return *ends, *spring
