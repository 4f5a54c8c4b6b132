"""The page of a comparison: its table, both logs and their difference; with a scene the robot and a ghost of it."""

from pathlib import Path

import numpy as np

from ...errors import InputError
from ...model.model import compile
from ...scene import Scene
from ...scene_file import read
from ...selection import match_names
from ..look.choices import PLAIN
from ..look.comparison import Comparison
from ..look.pack import Buffers, Ghost, add_ghost, pack_page, page_head, scene_head, track_head
from ..look.page import Page
from ..look.panels import add_comparison
from ..look.track import Track
from ..look_file import read_look
from ..motion.engine_poses import engine_poses
from ..motion.motion import Motion
from .motion_page import choices_head, draw_poster, first_view, thin_track


def compared_motions(found: Comparison, scene: Path) -> tuple[Motion, Motion]:
    """Return the motions of both logs; poses are computed by the engine from joint positions.

    Raises:
        InputError: the logs are not of the scene's joints or the comparison is not of positions.
    """
    if found.quantity != "q":
        raise InputError(f"--quantity {found.quantity}: must be q to draw the robot; leave --scene out")
    source = read(scene)
    return _motion(source, found, found.a), _motion(source, found, found.b)


def compare_page(found: Comparison, names: tuple[str, str], motions: tuple[Motion, Motion] | None = None) -> Page:
    """Return the page; with the motions of both logs it draws the robot and a ghost of it."""
    title, buffers = f"{names[1]} against {names[0]}", Buffers()
    head = page_head("plots" if motions is None else "motion", title)
    add_comparison(head, found, names, buffers)
    if motions is None:
        return Page("document", title, pack_page(head, buffers))
    motion, ghost = motions
    track = thin_track(motion.track, None)
    camera = first_view(motion, track)
    head |= scene_head(motion.look, track, buffers, camera) | choices_head(motion.look, motion.track, PLAIN)
    both = add_ghost(head, motion.look, track, Ghost(thin_track(ghost.track, None)))
    head |= track_head(both, buffers)
    head["notes"] = [*motion.notes, f"translucent: {names[1]}"]
    return Page("motion", title, pack_page(head, buffers), draw_poster(motion, camera))


def _motion(scene: Scene, found: Comparison, values: np.ndarray) -> Motion:
    """Return the motion of joint positions; joints that were not compared stay where the scene has them."""
    model = compile(scene)
    place = {name: i for i, name in enumerate(model.dof)}
    known = match_names([joint.dof for joint in found.joints], list(place))
    if not known:
        raise InputError(f"--scene {scene.source}: must have the joints of the logs; name another scene")
    start = {f"{joint.path}:{axis.token}": axis.q for part in scene.articulations for joint in part.joints
             for axis in joint.axes}  # fmt: skip
    q = np.tile([start.get(name, 0.0) for name in model.dof], (len(found.time), 1))
    for i, joint in enumerate(found.joints):
        if joint.dof in known:
            q[:, place[known[joint.dof]]] = values[:, i]
    link, pose = engine_poses(scene, q)
    look = read_look(scene)
    order = [link.index(one.path) for one in look.links]
    return Motion(scene, look, Track(found.time, pose[:, None][:, :, order]), notes=look.notes)
