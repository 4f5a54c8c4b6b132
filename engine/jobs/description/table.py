"""Tables of the user: one value per world and setting, in a .csv or .parquet file; and results as a frame."""

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ...input_file import UnreadableFile, read_parquet, read_rows
from .. import InvalidJob
from .validation import shown


def arrow() -> tuple[ModuleType, ModuleType]:
    """Return the modules pyarrow and pyarrow.parquet.

    Raises:
        InvalidJob: they are not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise InvalidJob(".parquet: pyarrow must be installed; pip install pyarrow") from None
    return pyarrow, parquet


def read_table(path: Path) -> dict[str, np.ndarray]:
    """Return the numeric columns of a .csv or .parquet file, with rows in the order of an optional column `world`.

    Raises:
        InvalidJob: the file is missing or empty, a cell is not a number, or `world` does not number the rows.
    """
    readers = {".csv": _read_csv, ".parquet": _read_parquet}
    if path.suffix not in readers:
        raise InvalidJob(f"{path}: must be a .csv or .parquet file")
    if not path.is_file():
        raise InvalidJob(f"{path}: does not exist; pass a table with one column per setting")
    try:
        named = [(name.strip(), cells) for name, cells in readers[path.suffix](path)]
    except UnreadableFile as error:
        raise InvalidJob(f"{path}: must be {error.rule}; write the table again") from None
    columns = dict(named)
    if len(columns) < len(named):
        raise InvalidJob(f"{path}: must name each column once; rename one")
    if not set(columns) - {"world"} or not len(next(iter(columns.values()))):
        raise InvalidJob(f"{path}: must have rows; add one per world, below a line of names such as elbow:stiffness")
    return _in_order(path, {name: _numbers(path, name, cells) for name, cells in columns.items()})


def _in_order(path: Path, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the columns without `world`, with rows sorted by it."""
    world = columns.pop("world", None)
    if world is None:
        return columns
    order = np.argsort(world, kind="stable")
    wrong = world[order] != np.arange(len(world))
    if wrong.any():
        row = order[wrong.argmax()]
        raise InvalidJob(
            f"{path}, row {row}, world = {world[row]:g}: must be each number from 0 to {len(world) - 1} once, "
            "in any order; renumber the rows, or remove the column"
        )
    return {name: cells[order] for name, cells in columns.items()}


def _read_csv(path: Path) -> list[tuple[str, list[str]]]:
    head, *rows = [row for row in read_rows(path) if row] or [[]]
    for number, row in enumerate(rows):
        if len(row) != len(head):
            raise InvalidJob(f"{path}, row {number}: has {len(row)} cells; must be {len(head)}, one per name")
    return [(name, [row[i] for row in rows]) for i, name in enumerate(head)]


def _read_parquet(path: Path) -> list[tuple[str, list]]:
    arrow()
    table = read_parquet(path)
    return [(name, column.to_pylist()) for name, column in zip(table.column_names, table.columns, strict=True)]


def _numbers(path: Path, name: str, cells: list) -> np.ndarray:
    numbers = np.empty(len(cells))
    for row, cell in enumerate(cells):
        try:
            numbers[row] = float(cell)
        except (TypeError, ValueError, OverflowError):
            raise InvalidJob(f"{path}, row {row}, {name} = {shown(cell)}: must be a number") from None
        if np.isnan(numbers[row]):
            raise InvalidJob(f"{path}, row {row}, {name} = {cell}: must be a number; fill the cell or remove the row")
    return numbers


def as_frame(columns: dict[str, np.ndarray]) -> Any:
    """Return the columns as a pandas DataFrame if pandas is installed, else as a structured NumPy array."""
    try:
        import pandas
    except ImportError:
        types = [(name, cells.dtype) for name, cells in columns.items()]
        frame = np.empty(len(next(iter(columns.values()))), types)
        for name, cells in columns.items():
            frame[name] = cells
        return frame
    return pandas.DataFrame(columns)
