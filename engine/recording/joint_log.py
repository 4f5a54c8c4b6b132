"""Joint logs: position, speed and effort of joints, and the error of mimic joints, as .npz, .csv, .parquet or .mcap.

SI units and radians; one row per recorded frame, the initial state first. npz contains time (T,), dof (D,), unit (D,),
q, qd, effort (T, D), mimic (M,), mimic_unit (M,), residual (T, M), link (L,), pose (T, L, 7) and complete. csv and
parquet contain a column "time [s]", and per degree of freedom "q NAME [rad]", "qd NAME [rad/s]" and "effort NAME
[N·m]", or metres and newtons; per mimic joint "residual NAME [rad]", or metres. A mimic joint has the name of its
follower. mcap contains q, qd and effort as messages sensor_msgs/msg/JointState.
"""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..atomic_write import OutputError, commit, staging_directory
from .mcap_log import McapWriter, check_mcap
from .recorder import FIELDS, UNITS, Recording

ROWS = 4096  # frames in memory at once
INCOMPLETE = "incomplete: the simulation ended early"


def check_joint_log(path: str | Path) -> None:
    """Check before a simulation that its log can be written afterwards.

    Raises:
        OutputError: unknown suffix, pyarrow or mcap missing, or a folder that is not writable.
    """
    path = Path(path)
    if path.suffix not in FORMATS:
        raise OutputError(f"{path}: joint logs must be {', '.join(FORMATS)}; choose one of these suffixes")
    if path.suffix == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise OutputError(
                f"{path}: parquet needs pyarrow; run pip install pyarrow, or choose .npz or .csv"
            ) from None
    if path.suffix == ".mcap":
        check_mcap(path)
    with staging_directory(path):
        pass


def write_joint_log(recording: Recording, path: str | Path) -> None:
    """Write one world's joint data atomically, in constant memory.

    Raises:
        OutputError: unknown suffix, pyarrow or mcap missing, full disk, or a folder that is not writable.
        ValueError: the recording contains several worlds.
    """
    path = Path(path)
    if recording.worlds != 1:
        raise ValueError("recording: must contain one world; choose it by recording.world(index)")
    check_joint_log(path)
    with staging_directory(path) as folder:
        try:
            FORMATS[path.suffix](recording, folder / path.name)
            commit(folder / path.name, path)
        except OSError as error:
            raise OutputError.of(path, error) from None


def _pieces(recording: Recording) -> Iterator[Recording]:
    return (recording[start : start + ROWS] for start in range(0, len(recording), ROWS))


def _npz(recording: Recording, path: Path) -> None:
    followers = recording.mimics
    names = {"dof": recording.dof, "unit": recording.unit, "link": recording.link}
    names |= {"mimic": tuple(followers), "mimic_unit": tuple(_unit(recording, name) for name in followers)}
    small = {name: np.array(values, dtype=str) for name, values in names.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, values in {**small, "complete": np.array(recording.complete)}.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, values, allow_pickle=False)
        for name in (*FIELDS, "residual"):
            none = _of_file(recording[:0], name)
            header = {
                "descr": np.lib.format.dtype_to_descr(none.dtype),
                "fortran_order": False,
                "shape": (len(recording), *none.shape[1:]),
            }
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array_header_1_0(file, header)
                for piece in _pieces(recording):
                    file.write(np.ascontiguousarray(_of_file(piece, name)).tobytes())


def _of_file(recording: Recording, name: str) -> np.ndarray:
    """Return a quantity of the only world, without the axis of worlds: (T, D) or (T, L, 7); or the times."""
    values = getattr(recording, name)
    return values if name == "time" else values[:, 0]


def _unit(recording: Recording, dof: str) -> str:
    """Return the unit of a degree of freedom's position."""
    return recording.unit[recording.dof.index(dof)]


def _columns(recording: Recording) -> list[str]:
    """Return column names: time; position, speed and effort per degree of freedom; errors of mimic joints."""
    named = zip(recording.dof, recording.unit, strict=True)
    joints = [f"{field} {dof} [{unit}]" for dof, of in named for field, unit in UNITS[of].items()]
    return ["time [s]", *joints, *(f"residual {name} [{_unit(recording, name)}]" for name in recording.mimics)]


def _rows(piece: Recording) -> np.ndarray:
    """Return the values of the columns after the time, (T, 3 D + M)."""
    joints = np.stack([_of_file(piece, name) for name in ("q", "qd", "effort")], axis=-1).reshape(len(piece), -1)
    return np.concatenate([joints, _of_file(piece, "residual")], axis=1)


def _csv(recording: Recording, path: Path) -> None:
    digits = "%.9g" if recording.q.dtype == np.float32 else "%.17g"  # enough digits to read the number back exactly
    columns = _columns(recording)
    row = ",".join(["%.17g"] + [digits] * (len(columns) - 1)) + "\n"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(",".join(columns) + "\n")
        for piece in _pieces(recording):
            values = _rows(piece).tolist()
            file.writelines(row % (time, *rest) for time, rest in zip(piece.time.tolist(), values, strict=True))
        if not recording.complete:
            file.write(f"# {INCOMPLETE}\n")


def _parquet(recording: Recording, path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    about = {
        "dof": recording.dof,
        "unit": recording.unit,
        "mimic": tuple(recording.mimics),
        "complete": recording.complete,
    }
    columns = _columns(recording)
    types = [pyarrow.float64()] + [pyarrow.from_numpy_dtype(recording.q.dtype)] * (len(columns) - 1)
    fields = zip(columns, types, strict=True)
    schema = pyarrow.schema(list(fields), metadata={"fajin": json.dumps(about)})
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for piece in _pieces(recording):
            columns = [np.asarray(piece.time), *np.ascontiguousarray(_rows(piece).T)]
            writer.write_table(pyarrow.table([pyarrow.array(column) for column in columns], schema=schema))


def _mcap(recording: Recording, path: Path) -> None:
    writer = McapWriter(path, recording.dof)
    for piece in _pieces(recording):
        named = (_of_file(piece, name) for name in ("q", "qd", "effort"))
        for time, *values in zip(piece.time.tolist(), *named, strict=True):
            writer.add(time, values)
    writer.close()


FORMATS = {".npz": _npz, ".csv": _csv, ".parquet": _parquet, ".mcap": _mcap}
