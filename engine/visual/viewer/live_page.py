"""The page of a running simulation: its scene, a slider per drive, and the states that it receives."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...scene import Axis
from ...simulation import Simulation
from ..look.choices import PLAIN, LookChoices
from ..look.contact_marks import MarkSizes
from ..look.mark_pack import marks_head
from ..look.pack import Buffers, pack_page, page_head, scene_head
from ..look.page import Page
from ..look.panels import DASHES, by_unit
from ..look.series import short_names
from ..look.track import Track
from ..look_file import read_look
from ..motion.motion import Motion
from ..picture import with_overlays
from .live_state import MOST_POINTS, link_order
from .motion_page import choices_head, first_view

FREE = {True: np.pi, False: 0.5}  # ends of sliders without limits [rad | m]
ROOM = 1.6  # around the first poses, into which the robot will move
FAR = {True: 4.0 * np.pi, False: 10.0}  # limits beyond these count as none


@dataclass(frozen=True)
class LiveOptions:
    """Options of the page of a running simulation: marks, and the layout of its worlds."""

    look: LookChoices = PLAIN
    grid: bool = True  # False: the worlds stand in one place


PLAIN_LIVE = LiveOptions()
"""The options of who chooses nothing."""


def live_motion(sim: Simulation, options: LiveOptions) -> Motion:
    """Return the present poses of a simulation as a motion of its worlds."""
    look = read_look(sim.scene)
    order = link_order(sim, [link.path for link in look.links])
    pose = np.asarray(sim.link_pose)[None][:, :, order]
    motion = Motion(sim.scene, look, Track(np.zeros(1), pose, np.zeros((pose.shape[1], 3))))
    return motion.side_by_side() if options.grid else motion


def live_page(sim: Simulation, motion: Motion, title: str, passive: bool, look: LookChoices) -> tuple[bytes, bytes]:
    """Return the page and its data."""
    motion = with_overlays(motion, [name for name in look.show if name == "bones"])
    buffers = Buffers()
    head = page_head("live", title, motion.notes)
    camera = first_view(motion, motion.track, look)
    room = 1.0 if "distance" in look.camera else ROOM
    head |= scene_head(motion.look, motion.track, buffers, replace(camera, distance=room * camera.distance))
    head |= choices_head(motion.look, motion.track, look)
    sizes = MarkSizes.of(motion.scene, motion.extent)
    head |= marks_head(motion.look, sizes, MOST_POINTS if len(sim.pair) else 0, buffers)
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
        """Return the curves of a row of the states, one per column; targets are dashed."""
        return [
            {
                "name": names[i],
                "joint": i,
                "dash": DASHES if dash else [],
                "target": dash,
                "row": row * count + i,
                "values": buffer,
            }
            for i in columns
        ]

    shared = {"time": buffer, "bands": []}
    found = []
    for title, label, row, units in (("q", "position", 0, {}), ("effort", "effort", 2, {"rad": "N·m", "m": "N"})):
        for unit, columns in by_unit(range(count), lambda i: str(sim.unit[i])).items():
            aimed = [i for i in columns if i in driven] if title == "q" else []
            panel = {
                "title": title,
                "label": label,
                "unit": units.get(unit, unit),
                "note": "dashed: target" if aimed else "",
            }
            found.append(shared | panel | {"curves": curves(row, False, columns) + curves(1, True, aimed)})
    return found


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
