"""The page of a running simulation: its scene, a slider per drive, and the states that it receives."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..look.pack import Buffers, pack_page, page_head, scene_head
from ..look.page import Page
from ..look.series import short_names
from ..look.track import Track
from ..motion.motion import Motion
from ..scene import Axis
from ..simulation import Simulation
from ..usd.look.look_scene import read_look_scene
from .motion_page import first_view

FREE = {True: np.pi, False: 0.5}  # ends of sliders without limits [rad | m]
ROOM = 1.6  # around the first poses, into which the robot will move
FAR = {True: 4.0 * np.pi, False: 10.0}  # limits beyond these count as none
HEAD_NUMBERS = 8  # of a state: time, real-time factor, paused, speed, late, three spare


def live_motion(sim: Simulation) -> Motion:
    """Return the present poses of a simulation as a motion, its worlds side by side."""
    look = read_look_scene(sim.scene)
    order = link_order(sim, [link.path for link in look.links])
    pose = np.asarray(sim.link_pose)[None][:, :, order]
    return Motion(sim.scene, look, Track(np.zeros(1), pose, np.zeros((pose.shape[1], 3)))).side_by_side()


def link_order(sim: Simulation, paths: list[str]) -> list[int]:
    """Return the columns of the links in the order of a look scene."""
    place = {str(path): i for i, path in enumerate(sim.link)}
    return [place[path] for path in paths]


def live_page(sim: Simulation, motion: Motion, title: str, passive: bool) -> tuple[bytes, bytes]:
    """Return the page and its data."""
    buffers = Buffers()
    head = page_head("live", title, motion.notes)
    camera = first_view(motion, motion.track)
    head |= scene_head(motion.look, motion.track, buffers, replace(camera, distance=ROOM * camera.distance))
    names = short_names([str(name) for name in sim.dof])
    head["joints"] = [{"name": name, "path": str(path)} for name, path in zip(names, sim.dof, strict=True)]
    head["panels"] = live_panels(sim, names)
    head |= {"controls": controls(sim, names), "passive": passive}
    return Page("motion", title).html().encode(), pack_page(head, buffers)


def live_panels(sim: Simulation, names: list[str]) -> list[dict[str, Any]]:
    """Return plots of positions with targets, and of efforts; their values come with the states."""
    count = len(names)
    driven = set(driven_axes(sim))
    buffer = {"at": 0, "count": 0, "type": "f8"}

    def curves(row: int, dash: bool, columns: list[int]) -> list[dict[str, Any]]:
        return [{"name": names[i], "joint": i, "dash": dash, "row": row * count + i, "values": buffer} for i in columns]

    positions = curves(0, False, list(range(count))) + curves(1, True, sorted(driven))
    unit = "rad | m" if len(set(sim.unit)) > 1 else next(iter(sim.unit), "rad")
    shared = {"time": buffer, "bands": [], "note": ""}
    effort = {"rad": "N·m", "m": "N"}.get(unit, "N·m | N")
    panels = [
        shared | {"title": "q", "label": "position", "unit": unit, "curves": positions, "note": "dashed: target"},
        shared | {"title": "effort", "label": "effort", "unit": effort, "curves": curves(2, False, list(range(count)))},
    ]
    return panels if count else []


def driven_axes(sim: Simulation) -> dict[int, Axis]:
    """Return {column: axis} of the degrees of freedom with a drive that has a position target."""
    axes = {f"{joint.path}:{axis.token}": axis for part in sim.scene.articulations for joint in part.joints
            for axis in joint.axes}  # fmt: skip
    stiffness = np.asarray(sim.stiffness)[0]
    found = {i: axes.get(str(name)) for i, name in enumerate(sim.dof)}
    return {i: axis for i, axis in found.items() if axis is not None and axis.drive is not None and stiffness[i] > 0.0}


def controls(sim: Simulation, names: list[str]) -> list[dict[str, Any]]:
    """Return a slider per drive: its joint, its ends and its present target."""
    lower, upper, target = (np.asarray(getattr(sim, name))[0] for name in ("lower", "upper", "target_q"))
    found = []
    for i, axis in driven_axes(sim).items():
        low, high = float(lower[i]), float(upper[i])
        far, free, now = FAR[axis.rotational], FREE[axis.rotational], float(target[i])
        low = low if abs(low) <= far else min(-free, now)
        high = high if abs(high) <= far else max(free, now)
        found.append(
            {"column": i, "dof": str(sim.dof[i]), "name": names[i], "low": low, "high": max(high, low + 1e-6),
             "value": now, "unit": str(sim.unit[i])}
        )  # fmt: skip
    return found
