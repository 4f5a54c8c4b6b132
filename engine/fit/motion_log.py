"""Logs of recorded motion: what a robot was commanded, and what its joints did."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..input_file import sha256_of
from ..recording.joint_log_reader import JointLog, LogOptions, read_joint_log
from ..selection import match_names
from .mapping import LogMapping, map_log, read_mapping
from .torch_archive import read_torch_archive

QUANTITIES = ("q", "target_q", "target_qd", "qd", "effort")
MOST_ROWS = 2_000_000
PACE = {"dof_pos": "q", "des_dof_pos": "target_q", "dof_vel": "qd", "dof_torque": "effort", "time": "time"}
"""Names of PACE's arrays, and the quantities that they hold."""


@dataclass(frozen=True, eq=False)
class MotionLog:
    """Commands and measurements of D joints at T times, in the order of a scene's degrees of freedom."""

    name: str
    sha256: str
    time: np.ndarray  # (T,) [s], from 0
    dof: tuple[str, ...]  # D names of the scene
    column: tuple[int, ...]  # D indices among the scene's degrees of freedom
    q: np.ndarray  # (T, D) measured [rad | m]
    target_q: np.ndarray | None = None  # (T, D) commanded [rad | m]
    target_qd: np.ndarray | None = None  # (T, D) commanded [rad/s | m/s]
    qd: np.ndarray | None = None  # (T, D) measured, often filtered
    effort: np.ndarray | None = None  # (T, D) measured [N·m | N]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.time)

    @property
    def period(self) -> float:
        """Median time between two rows [s]."""
        return float(np.median(np.diff(self.time)))

    @property
    def seconds(self) -> float:
        """Duration [s]."""
        return float(self.time[-1] - self.time[0])

    def rows(self, rows: slice, suffix: str) -> "MotionLog":
        """Return consecutive rows as a log of its own, whose time starts at 0."""
        cut = {name: None if (x := getattr(self, name)) is None else x[rows] for name in QUANTITIES}
        time = self.time[rows]
        return replace(self, name=f"{self.name}{suffix}", time=time - time[0], **cut)

    def joints(self, keep: list[int]) -> "MotionLog":
        """Return the log of some of its joints."""
        cut = {name: None if (x := getattr(self, name)) is None else x[:, keep] for name in QUANTITIES}
        dof, column = tuple(self.dof[i] for i in keep), tuple(self.column[i] for i in keep)
        return replace(self, dof=dof, column=column, **cut)


def read_motion_log(path: str | Path, dof: tuple[str, ...], mapping: str | Path | None = None) -> MotionLog:
    """Read a log of a robot's joints: .npz, .csv, .parquet, .mcap, or PACE's .pt.

    Args:
        path: the file.
        dof: names of the scene's degrees of freedom.
        mapping: a mapping file; see `mapping`.

    Raises:
        InputError: the file cannot be read, its joints are not the scene's, or rows are not finite.
    """
    path = Path(path)
    said = read_mapping(mapping) if mapping else LogMapping()
    found = _read_pace(path) if path.suffix == ".pt" else _read_any(path, said)
    if len(found.time) > MOST_ROWS:
        raise InputError(f"{path}: must have at most {MOST_ROWS:,} rows; it has {len(found.time):,}; cut it")
    return check_rows(log_of_joints(map_log(found, said), dof, path))


def _read_any(path: Path, said: LogMapping) -> JointLog:
    """Return the joints of a file; a pickle is refused, whatever its suffix."""
    if path.is_file() and path.suffix not in (".csv", ".npz"):
        with path.open("rb") as file:
            if file.read(2)[:1] == b"\x80":
                raise InputError(f"{path}: must not be a pickle, which may run code; save the arrays as .npz")
    return read_joint_log(path, LogOptions(said.time_column, said.unit))


def _read_pace(path: Path) -> JointLog:
    """Return the joints of a log of PACE; its joints have no names."""
    arrays = {PACE[name]: values for name, values in read_torch_archive(path).items() if name in PACE}
    if not {"time", "q", "target_q"} <= set(arrays):
        raise InputError(f"{path}: must have the tensors time, dof_pos and des_dof_pos; record them")
    time = arrays.pop("time").ravel()
    count = arrays["q"].shape[-1]
    shape = (len(time), count)
    for name, values in arrays.items():
        if values.shape != shape:
            raise InputError(f"{path}: {name} must have the shape {shape}, but has {values.shape}; record all rows")
    names = tuple(f"joint{i}" for i in range(count))
    return JointLog(path.name, time - time[0], names, ("rad",) * count, arrays)


def log_of_joints(found: JointLog, dof: tuple[str, ...], path: Path) -> MotionLog:
    """Return the log of the scene's joints; columns are matched by name.

    Raises:
        InputError: no joint, or two joints, of the log have a name of the scene, or there are no positions.
    """
    if "q" not in found.values:
        raise InputError(f"{path}: must have measured positions, q; record them")
    pairs = match_names(list(found.dof), list(dof))
    lost = [name for name in found.dof if name not in pairs]
    if not pairs:
        raise InputError(f"{path}: {_unmatched(lost, dof)}")
    twice = [name for name in pairs.values() if list(pairs.values()).count(name) > 1]
    if twice:
        both = ", ".join(name for name, joint in pairs.items() if joint == twice[0])
        raise InputError(f"{path}: {both} must be one column of {twice[0]}; remove or rename one")
    order = sorted(pairs, key=lambda name: dof.index(pairs[name]))
    columns = [found.dof.index(name) for name in order]
    values = {name: np.asarray(found.values[name][:, columns], float) for name in QUANTITIES if name in found.values}
    values = {name: array for name, array in values.items() if name == "q" or np.isfinite(array).any()}
    if lost and _wanted(found, lost):
        raise InputError(f"{path}: {_unmatched(lost, dof)}")
    begin = _first_command(values)
    values = {name: array[begin:] for name, array in values.items()}
    digest = sha256_of(path) if path.is_file() else ""
    time = np.asarray(found.time, float)[begin:]
    names = tuple(pairs[name] for name in order)
    return MotionLog(found.name, digest, time - time[0], names, tuple(dof.index(n) for n in names), **values)


def _first_command(values: dict[str, np.ndarray]) -> int:
    """Return the first row with all commands; a recorder may start before the controller."""
    targets = values.get("target_q")
    if targets is None or len(targets) == 0 or np.isfinite(targets[0]).any():
        return 0
    return int(np.isfinite(targets).all(1).argmax())


def _wanted(found: JointLog, lost: list[str]) -> bool:
    """Return whether a joint without a counterpart was commanded, so that it belongs to the robot."""
    targets = found.values.get("target_q")
    return targets is not None and bool(np.isfinite(targets[:, [found.dof.index(name) for name in lost]]).any())


def _unmatched(lost: list[str], dof: tuple[str, ...]) -> str:
    """Return the text of an error about names that the scene does not have, with the nearest names."""
    from difflib import get_close_matches

    short = [name.partition(":")[0].rpartition("/")[2] for name in dof]
    near = [f"{name} (nearest: {', '.join(get_close_matches(name, short, 2, 0.4)) or 'none'})" for name in lost[:6]]
    return (
        f"joints {', '.join(near)} must be joints of the scene, {', '.join(short)}; "
        "name them in a mapping file, --map map.toml"
    )


def check_rows(log: MotionLog) -> MotionLog:
    """Return the log.

    Raises:
        InputError: a measured or commanded value is not finite, or the log has fewer than three rows.
    """
    if len(log) < 3:
        raise InputError(f"{log.name}: must have at least three rows; it has {len(log)}; record a longer motion")
    for name in QUANTITIES:
        values = getattr(log, name)
        if values is None or np.isfinite(values).all():
            continue
        rows, columns = np.nonzero(~np.isfinite(values))
        named = ", ".join(map(str, np.unique(rows)[:5]))
        raise InputError(
            f"{log.name}: {name} of {log.dof[columns[0]]} is not finite in {len(np.unique(rows))} of {len(log)} rows "
            f"(row {named}); remove these rows, or fill them from the recorder's own data"
        )
    return log
