"""A motion with everything that is needed to draw it, from a recording, a log, a USD file or a batch."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from ...model.model import compile
from ...recording.contact_log import ContactLog, read_contact_log
from ...recording.joint_log_reader import JointLog, read_joint_log
from ...recording.log_columns import READERS
from ...scene import InvalidScene, Scene
from ...scene_file import read
from ...selection import match_names
from ..look.contact_marks import turn_normals
from ..look.framing import Framing
from ..look.scene import LookScene
from ..look.track import Track, grid_origins, track_of
from ..look_file import read_animation, read_look
from .engine_poses import engine_poses, in_order
from .trajectories import read_trajectories

if TYPE_CHECKING:
    from ...recording.recorder import Recording

USD = (".usda", ".usdc", ".usd", ".usdz")
SPACING = 1.15  # of worlds side by side, by their size


@dataclass(frozen=True, eq=False)
class Motion:
    """A scene, its drawn shapes, the track of its links, and joint data where the source has them."""

    scene: Scene
    look: LookScene
    track: Track
    dof: tuple[str, ...] = ()
    unit: tuple[str, ...] = ()  # of q, "rad" or "m"
    series: dict[str, np.ndarray] = field(default_factory=dict)  # q, qd, effort: (T, W, D)
    notes: tuple[str, ...] = ()
    contacts: ContactLog | None = None  # of one world

    @property
    def extent(self) -> float:
        """Return the size [m] of what is drawn of one world at the start."""
        framing = Framing.of(self.look, self.track[:1])
        return float(np.linalg.norm(framing.high - framing.low)) / np.sqrt(self.track.worlds)

    def side_by_side(self) -> "Motion":
        """Return the motion with its worlds in a grid on the floor."""
        if self.track.worlds == 1:
            return self
        first = Track(self.track.time, self.track.pose[:, :1])
        framing = Framing.of(self.look, first)
        floor = [0, 1] if self.look.up == "Z" else [0, 2]
        spacing = SPACING * float((framing.high - framing.low)[floor].max())
        origins = grid_origins(self.track.worlds, spacing, self.look.up)
        return replace(self, track=replace(self.track, origins=origins))


def motion_of(recording: "Recording") -> Motion:
    """Return the motion of a recording.

    Raises:
        InvalidScene: the USD file of its scene is missing.
    """
    look = read_look(recording.scene)
    track = track_of(recording)
    series = {name: np.asarray(getattr(recording, name)) for name in ("q", "qd", "effort")}
    return Motion(
        recording.scene, look, _matched(track, recording.link, look), recording.dof, recording.unit, series, look.notes
    )


def read_motion(path: str | Path, scene: str | Path | None = None, worlds: slice | None = None) -> Motion:
    """Read a motion.

    Args:
        path: a USD file, animated or not; a joint log; or the folder of a batch with trajectories.
        scene: the scene of a joint log, or of a batch whose scene is elsewhere now.
        worlds: the worlds of a batch; None for all that were recorded.

    Raises:
        InvalidScene, InputError: the file is missing, damaged, or not of this scene; the message says what to do.
    """
    path = Path(path)
    if path.is_dir():
        return _of_batch(path, scene, worlds)
    if path.suffix in USD:
        return _of_usd(path)
    if path.suffix in READERS:
        return _of_log(path, scene)
    kinds = ", ".join((*USD, *READERS))
    raise InputError(f"{path}: must be a file of {kinds}, or the folder of a batch; name one of these")


def with_contacts(motion: Motion, path: Path) -> Motion:
    """Return a motion of one world with the contacts of a contact log.

    Raises:
        InputError: the log cannot be read, is of another scene, or the motion has several worlds.
    """
    log = read_contact_log(path)
    if motion.track.worlds > 1:
        raise InputError(f"{path}: must be of a motion of one world; select one by --worlds")
    known = {collider.path for collider in motion.scene.colliders}
    strange = [name for pair in log.pairs for name in pair.split("|") if name not in known]
    if strange:
        raise InputError(f"{path}: must be of this scene, but {strange[0]} is not a collider of it; name another log")
    return replace(motion, contacts=turn_normals(log, motion.scene))


def _of_usd(path: Path) -> Motion:
    scene = read(path)
    look = read_look(scene)
    axes = [(joint, axis) for item in scene.articulations for joint in item.joints for axis in joint.axes]
    dof = tuple(f"{joint.path}:{axis.token}" for joint, axis in axes)
    unit = tuple("rad" if axis.rotational else "m" for _, axis in axes)
    found = read_animation(path, tuple(link.path for link in look.links), dof)
    if not found.q.size:
        return Motion(scene, look, found.track, notes=look.notes)
    series = {"q": found.q[:, None], "qd": found.qd[:, None]}
    return Motion(scene, look, found.track, dof, unit, series, look.notes)


def _of_log(path: Path, scene: str | Path | None) -> Motion:
    log = read_joint_log(path)
    if scene is None:
        raise InputError(f"{path}: must have its scene to be drawn; add --scene SCENE")
    source = read(scene)
    model = compile(source)
    dof = tuple(model.dof)
    series, notes = _series_of_log(log, dof, str(path))
    look = read_look(source)
    notes = (*look.notes, *notes)
    if log.pose is None:
        link, pose = engine_poses(source, series["q"])
        if any(not a.fixed_base for a in source.articulations):
            notes += (f"{path}: has no poses of links: what floats stays where it starts; log to .npz",)
    else:
        link, pose = log.link, log.pose
    track = _matched(Track(log.time, np.asarray(pose)[:, None]), link, look)
    worlds = {name: values[:, None] for name, values in series.items()}
    return Motion(source, look, track, dof, tuple(model.unit), worlds, notes)


def _series_of_log(log: JointLog, dof: tuple[str, ...], place: str) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """Return q, qd and effort of a log as it has them, (T, D) in the order `dof`, and a note on what is left out.

    Raises:
        InputError: a degree of freedom has no position in the log.
    """
    known = match_names(log.dof, dof)
    columns = [i for i, name in enumerate(log.dof) if name in known]
    named = tuple(known[log.dof[i]] for i in columns)
    values = {"q": np.empty((len(log.time), 0)), **log.values}
    series = {
        name: in_order(dof, named, values[name][:, columns], place) for name in ("q", "qd", "effort") if name in values
    }
    unused = [name for name in log.dof if name not in known]
    if unused:
        more = f" and {len(unused) - 1} more" if unused[1:] else ""
        return series, (f"{place}: {unused[0]}{more} left out, no joint of the scene",)
    return series, ()


def _of_batch(folder: Path, scene: str | Path | None, worlds: slice | None) -> Motion:
    found = read_trajectories(folder, worlds)
    file = Path(scene or found.scene)
    if not file.is_file():
        raise InvalidScene(file=file, rule="the scene of the batch", fix="name it by --scene SCENE")
    source = read(file)
    dof = tuple(compile(source).dof)
    series = {name: in_order(dof, found.dof, values, str(folder)) for name, values in found.series.items()}
    frames, count = series["q"].shape[:2]
    roots = found.root_pose.reshape(frames * count, -1, 7)
    link, pose = engine_poses(source, series["q"].reshape(frames * count, -1), roots)
    look = read_look(source)
    track = Track(found.time, pose.reshape(frames, count, -1, 7), np.zeros((count, 3)))
    unit = tuple(found.unit[found.dof.index(name)] for name in dof)
    return Motion(source, look, _matched(track, link, look), dof, unit, series, look.notes)


def _matched(track: Track, link: tuple[str, ...], look: LookScene) -> Track:
    """Return the track with its links in the order of the look scene.

    Raises:
        InputError: a link of the look scene is missing.
    """
    place = {path: i for i, path in enumerate(link)}
    missing = [one.path for one in look.links if one.path not in place]
    if missing:
        raise InputError(f"motion: must be of this scene, but lacks the link {missing[0]}; name its scene by --scene")
    order = [place[one.path] for one in look.links]
    if order == list(range(len(link))):
        return track
    return replace(track, pose=track.pose[:, :, order])
