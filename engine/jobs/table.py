"""Tables on disk: parameters that a user gives, a value a world and setting, and results, a row a world."""

import csv
from pathlib import Path

import numpy as np

from . import InvalidJob

EXTRA = "pip install 'fajin[batch]'"


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
    """The columns of a .csv or .parquet file, numbers in all of them; a column `world` counts rows and is left out.

    Raises:
        InvalidJob: there is no such file, it has no rows, or a cell is no number.
    """
    readers = {".csv": _read_csv, ".parquet": _read_parquet}
    if path.suffix not in readers:
        raise InvalidJob(f"{path}: must be a .csv or .parquet file")
    if not path.is_file():
        raise InvalidJob(f"{path}: there is no such file; give a table with a column for each setting")
    columns = {name: cells for name, cells in readers[path.suffix](path).items() if name != "world"}
    if not columns or not len(next(iter(columns.values()))):
        raise InvalidJob(f"{path}: has no rows; give one a world, below a line of names such as elbow:stiffness")
    return {name: _numbers(path, name, cells) for name, cells in columns.items()}


def _read_csv(path: Path) -> dict[str, list[str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        head, *rows = [row for row in csv.reader(file) if row] or [[]]
    for number, row in enumerate(rows):
        if len(row) != len(head):
            raise InvalidJob(f"{path}, row {number}: has {len(row)} cells, the first line has {len(head)} names")
    if len(set(head)) < len(head):
        raise InvalidJob(f"{path}: names a column twice; give each once")
    return {name.strip(): [row[i] for row in rows] for i, name in enumerate(head)}


def _read_parquet(path: Path) -> dict[str, list]:
    pyarrow, parquet = arrow()
    try:
        return parquet.read_table(path).to_pydict()
    except pyarrow.ArrowException as error:
        raise InvalidJob(f"{path}: is no parquet file ({error})") from None


def _numbers(path: Path, name: str, cells: list) -> np.ndarray:
    numbers = np.empty(len(cells))
    for row, cell in enumerate(cells):
        try:
            numbers[row] = float(cell)
        except (TypeError, ValueError):
            raise InvalidJob(f"{path}, row {row}, {name} = {cell!r}: must be a number") from None
        if np.isnan(numbers[row]):
            raise InvalidJob(f"{path}, row {row}, {name} = {cell}: must be a number; fill the cell or take the row out")
    return numbers


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
