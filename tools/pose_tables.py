"""Tables at the initial pose: condition of the mass matrix, gravity efforts of drives, reach of links."""

from math import dist, inf
from typing import TYPE_CHECKING, Any

from .cli_units import angle_unit, shown_angle
from .table import every_axis, number, table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NO_EFFORT = 1e-12
"""Fraction of the largest gravity effort that counts as zero."""


def pose(scene: Any, inertia: dict[str, float]) -> list[Any]:
    """Return tables of a scene's articulations at the initial pose; `inertia` is per joint alone [kg·m² | kg]."""
    from fajin import Simulation

    sim = Simulation(scene, device="cpu", precision="f64", threads=1)
    robots = [(i, a) for i, a in enumerate(scene.articulations) if not a.free]
    return [conditions(sim, robots), gravity_table(sim, robots, inertia), reach_table(sim, robots)]


def conditions(sim: Any, robots: list[tuple[int, Any]]) -> Any:
    """Return one row per articulation."""
    import numpy as np

    from fajin.dynamics import coordinates, mass_matrix

    title = "Mass matrix at the initial pose, rotors included, in kg, m and rad"
    result = table(title, 1, "prim", "coordinates", "largest eigenvalue", "smallest eigenvalue", "condition")
    for i, robot in robots:
        count = len(coordinates(sim, articulation=i))
        if count:
            values = np.linalg.eigvalsh(mass_matrix(sim, articulation=i)[0])
            shown = values[-1], values[0], values[-1] / values[0]
            result.add_row(robot.path, str(count), *map(number, shown))
    return result


def gravity_table(sim: Any, robots: list[tuple[int, Any]], inertia: dict[str, float]) -> Any:
    """Return one row per drive: the effort against gravity, with the base held."""
    from fajin.dynamics import coordinates, gravity_compensation

    result = table(
        "Drives against gravity at the initial pose, a floating base held",
        1,
        *("joint", "gravity effort τ_g\n[N·m | N]", "max effort\n[N·m | N]", "share of it\n[%]"),
        f"sag τ_g/stiffness\n[{angle_unit()} | m]",
    )
    for i, robot in robots:
        found = -gravity_compensation(sim, articulation=i)[0]
        found[abs(found) < abs(found).max(initial=0.0) * NO_EFFORT] = 0.0
        effort = dict(zip(coordinates(sim, articulation=i), found, strict=True))
        for joint, axis in every_axis([robot]):
            if axis.drive:
                name, drive = f"{joint.path}:{axis.token}", axis.drive
                unit = inertia[name] if drive.type.name == "ACCELERATION" else 1.0
                sag = quotient(effort[name], drive.stiffness * unit)
                share = 100.0 * abs(quotient(effort[name], drive.max_force))
                sag = shown_angle(sag, axis.rotational)
                result.add_row(name, *map(number, (effort[name], drive.max_force, share, sag)))
    return result


def quotient(x: float, y: float) -> float:
    """Return x / y; 0 / 0 is 0, and x / 0 is infinite."""
    return x / y if y else inf * x if abs(x) > 0.0 else 0.0


def reach_table(sim: Any, robots: list[tuple[int, Any]]) -> Any:
    """Return one row per moving link."""
    import numpy as np

    from fajin.quaternion import rotate

    recording = sim.run(steps=0)
    poses = dict(zip(recording.link, recording.pose[0, 0], strict=True))

    def place(path: str, point: "ArrayLike") -> np.ndarray:
        return poses[path][:3] + rotate(poses[path][3:], np.array(point)) if path else np.array(point)

    title = "Reach of links: centre of mass from the joint that leaves the root"
    result = table(title, 2, "link", "from", "now [m]", "at most, stretched [m]")
    for _, robot in robots:
        chains = stretches(robot)
        for link in (link for link in robot.links if link.path in chains):
            joint, root, start, most = chains[link.path]
            now = dist(place(root, start), place(link.path, link.com))
            result.add_row(link.path, joint, number(now), number(most))
    return result


def stretches(robot: Any) -> dict[str, tuple[str, str, tuple, float]]:
    """Return, by link: first joint from the root, root, the joint's position on it, length of the stretched chain."""
    links = {link.path: link for link in robot.links}
    anchored = any("" in (joint.body0, joint.body1) for joint in robot.joints) and not robot.fixed_base
    root = "" if anchored else robot.links[0].path
    found: dict[str, tuple] = {root: (None, root, None, 0.0)}
    entries: dict[str, Any] = {root: None}
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        first, _, start, length = found[parent]
        for joint in (joint for joint in robot.joints if parent in (joint.body0, joint.body1)):
            swapped = joint.body1 == parent
            child = joint.body0 if swapped else joint.body1
            near, far = (joint.frame1[0], joint.frame0[0]) if swapped else (joint.frame0[0], joint.frame1[0])
            if child in found or child not in links:
                continue
            way = length + (dist(entries[parent], near) if entries[parent] else 0.0)
            between = [j for j in robot.joints if {j.body0, j.body1} == {parent, child}]
            way += sum(max(abs(a.lower), abs(a.upper)) for j in between for a in j.axes if not a.rotational)
            found[child] = first or joint.path, root, start or near, way
            entries[child] = far
            waiting.append(child)
    return {p: (*s[:3], s[3] + dist(entries[p], links[p].com)) for p, s in found.items() if p != root}
