"""Tables on disk: parameters that a user gives, a value a world and setting, and results, a row a world."""

import csv
from pathlib import Path

import numpy as np

from . import InvalidJob
from .validation import shown

EXTRA = "pip install 'fajin[batch]'"
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, NotImplementedError, MemoryError, csv.Error)
"""What csv and pyarrow raise for files of other kinds, and for damaged ones."""


def arrow():
    """The modules pyarrow and pyarrow.parquet.

    Raises:
        InvalidJob: they are not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise InvalidJob(f"tables in .parquet need pyarrow: {EXTRA}") from None
    return pyarrow, parquet


def read_table(path: Path) -> dict[str, np.ndarray]:
    """The columns of a .csv or .parquet file, numbers in all of them, the rows in the order of a column `world`.

    Raises:
        InvalidJob: there is no such file, it has no rows, a cell is no number, or `world` does not count the rows.
    """
    readers = {".csv": _read_csv, ".parquet": _read_parquet}
    if path.suffix not in readers:
        raise InvalidJob(f"{path}: must be a .csv or .parquet file")
    if not path.is_file():
        raise InvalidJob(f"{path}: there is no such file; give a table with a column for each setting")
    try:
        named = [(name.strip(), cells) for name, cells in readers[path.suffix](path)]
    except InvalidJob:
        raise
    except UNREADABLE as error:
        reason = " ".join(str(error).split())[:120]
        raise InvalidJob(f"{path}: is no {path.suffix[1:]} file ({reason}); write the table again") from None
    columns = dict(named)
    if len(columns) < len(named):
        raise InvalidJob(f"{path}: names a column twice; give each once")
    if not set(columns) - {"world"} or not len(next(iter(columns.values()))):
        raise InvalidJob(f"{path}: has no rows; give one a world, below a line of names such as elbow:stiffness")
    return _in_order(path, {name: _numbers(path, name, cells) for name, cells in columns.items()})


def _in_order(path: Path, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The rows of worlds 0, 1, 2, …, where a column says which each is of; without that column."""
    world = columns.pop("world", None)
    if world is None:
        return columns
    order = np.argsort(world, kind="stable")
    wrong = world[order] != np.arange(len(world))
    if wrong.any():
        row = order[wrong.argmax()]
        raise InvalidJob(
            f"{path}, row {row}, world = {world[row]:g}: must be each number from 0 to {len(world) - 1} once, "
            "in any order; number the rows so, or take the column out"
        )
    return {name: cells[order] for name, cells in columns.items()}


def _read_csv(path: Path) -> list[tuple[str, list[str]]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        head, *rows = [row for row in csv.reader(file) if row] or [[]]
    for number, row in enumerate(rows):
        if len(row) != len(head):
            raise InvalidJob(f"{path}, row {number}: has {len(row)} cells, the first line has {len(head)} names")
    return [(name, [row[i] for row in rows]) for i, name in enumerate(head)]


def _read_parquet(path: Path) -> list[tuple[str, list]]:
    _, parquet = arrow()
    table = parquet.read_table(path, partitioning=None)
    return [(name, column.to_pylist()) for name, column in zip(table.column_names, table.columns, strict=True)]


def _numbers(path: Path, name: str, cells: list) -> np.ndarray:
    numbers = np.empty(len(cells))
    for row, cell in enumerate(cells):
        try:
            numbers[row] = float(cell)
        except (TypeError, ValueError, OverflowError):
            raise InvalidJob(f"{path}, row {row}, {name} = {shown(cell)}: must be a number") from None
        if np.isnan(numbers[row]):
            raise InvalidJob(f"{path}, row {row}, {name} = {cell}: must be a number; fill the cell or take the row out")
    return numbers


def read_footer(path: Path) -> dict[str, str]:
    """What `write_table` was given to write about a table.

    Raises:
        UNREADABLE: there is no such file, or it is damaged.
    """
    _, parquet = arrow()
    return {key.decode(): value.decode() for key, value in (parquet.read_schema(path).metadata or {}).items()}


def read_columns(path: Path) -> dict[str, np.ndarray]:
    """The columns that `write_table` wrote.

    Raises:
        UNREADABLE: there is no such file, or it is damaged.
    """
    pyarrow, parquet = arrow()
    table = parquet.read_table(path, partitioning=None)
    words = pyarrow.types.is_string
    return {
        name: np.array(column.to_pylist(), object) if words(column.type) else column.to_numpy()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def write_table(columns: dict[str, np.ndarray], path: Path, about: dict[str, str]) -> None:
    """Write columns as parquet; `about` goes with them as metadata. NaN becomes null, objects become text."""
    pyarrow, parquet = arrow()
    table = pyarrow.Table.from_arrays([_column(pyarrow, cells) for cells in columns.values()], names=list(columns))
    words = [name for name, cells in columns.items() if cells.dtype == object]
    parquet.write_table(table.replace_schema_metadata(about), path, use_dictionary=words)


def _column(pyarrow, cells: np.ndarray):
    """An arrow array, made of its buffers: `pyarrow.array` would import pandas, which takes half a second."""
    if cells.dtype == object:
        texts = [str(cell).encode() for cell in cells]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
        return pyarrow.StringArray.from_buffers(len(cells), pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(texts)))
    given = np.packbits(~np.isnan(cells), bitorder="little")
    buffers = [pyarrow.py_buffer(given), pyarrow.py_buffer(np.ascontiguousarray(cells))]
    return pyarrow.Array.from_buffers(pyarrow.from_numpy_dtype(cells.dtype), len(cells), buffers)


def as_frame(columns: dict[str, np.ndarray]):
    """The columns as a pandas DataFrame where pandas is installed, else as a structured NumPy array."""
    try:
        import pandas
    except ImportError:
        types = [(name, cells.dtype) for name, cells in columns.items()]
        frame = np.empty(len(next(iter(columns.values()))), types)
        for name, cells in columns.items():
            frame[name] = cells
        return frame
    return pandas.DataFrame(columns)
