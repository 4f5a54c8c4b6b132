"""Tables of results: one row per world, and metadata; .parquet, or .csv where pyarrow is not installed.

The first line of a .csv is a comment with the metadata and the types of the columns as JSON; empty cells are NaN.
"""

import csv
import json
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ...input_file import read_lines, read_parquet, read_parquet_metadata, split_rows
from ..description.table import arrow

COMMENT = "# "
SMALLEST_NORMAL = 2.0**-126  # in single precision


def has_arrow() -> bool:
    """Return whether tables can be written and read as parquet."""
    try:
        return find_spec("pyarrow") is not None
    except ValueError:  # a module that is blocked
        return False


def write_table(columns: dict[str, np.ndarray], path: Path, about: dict[str, str]) -> None:
    """Write columns, with `about` as metadata, in the format of the suffix. NaN becomes null, objects become text."""
    if path.suffix == ".csv":
        _write_csv(columns, path, about)
        return
    pyarrow, parquet = arrow()
    table = pyarrow.Table.from_arrays([_column(pyarrow, cells) for cells in columns.values()], names=list(columns))
    words = [name for name, cells in columns.items() if cells.dtype == object]
    parquet.write_table(table.replace_schema_metadata(about), path, use_dictionary=words)


def read_metadata(path: Path) -> dict[str, str]:
    """Return the metadata that `write_table` wrote.

    Raises:
        DAMAGED: the file is missing or damaged; among them UnreadableFile.
    """
    if path.suffix == ".csv":
        return _first_line(read_lines(path))["about"]
    arrow()
    return read_parquet_metadata(path)


def read_columns(path: Path) -> dict[str, np.ndarray]:
    """Return the columns that `write_table` wrote.

    Raises:
        DAMAGED: the file is missing or damaged; among them UnreadableFile.
    """
    if path.suffix == ".csv":
        return _read_csv(path)
    pyarrow, _ = arrow()
    table = read_parquet(path)
    words = pyarrow.types.is_string
    return {
        name: np.array(column.to_pylist(), object) if words(column.type) else column.to_numpy()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def _write_csv(columns: dict[str, np.ndarray], path: Path, about: dict[str, str]) -> None:
    types = {name: cells.dtype.str for name, cells in columns.items()}
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"{COMMENT}{json.dumps({'about': about, 'types': types}, ensure_ascii=False)}\n")
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(columns)
        lines.writerows(zip(*map(_texts, columns.values()), strict=True))


def _texts(cells: np.ndarray) -> list[str]:
    """Return the shortest texts of numbers that give the same bits again; "" for NaN."""
    return ["" if text == "nan" else text for text in map(str, cells)]


def _read_csv(path: Path) -> dict[str, np.ndarray]:
    lines = read_lines(path)
    types = _first_line(lines)["types"]
    head, *rows = split_rows(path, lines[1:])
    if head != list(types):
        raise ValueError("its columns are not those of its first line")
    cells = list(zip(*rows, strict=True)) or [()] * len(head)
    return {name: _cells(texts, types[name]) for name, texts in zip(head, cells, strict=True)}


def _first_line(lines: list[str]) -> dict[str, Any]:
    """Return the metadata and types of a table in text."""
    return json.loads("".join(lines[:1]).removeprefix(COMMENT))


def _cells(texts: tuple[str, ...], kind: str) -> np.ndarray:
    if np.dtype(kind) == object:
        return np.array(texts, object)
    numbers = np.array([text or "nan" for text in texts])
    return _singles(numbers.astype(np.float64)) if np.dtype(kind) == np.float32 else numbers.astype(kind)


def _singles(numbers: np.ndarray) -> np.ndarray:
    """Return numbers in single precision, also the subnormal ones, which some processes cast to zero."""
    small = np.abs(numbers) < SMALLEST_NORMAL
    steps = np.rint(np.where(small, np.abs(numbers) * 2.0**149, 0.0)).astype(np.uint32)
    bits = steps | (np.signbit(numbers).astype(np.uint32) << 31)
    return np.where(small, bits, np.where(small, 0.0, numbers).astype(np.float32).view(np.uint32)).view(np.float32)


def _column(pyarrow: ModuleType, cells: np.ndarray) -> Any:
    """Return an Arrow array built from buffers: `pyarrow.array` would import pandas, which takes half a second."""
    if cells.dtype == object:
        texts = [str(cell).encode() for cell in cells]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
        return pyarrow.StringArray.from_buffers(len(cells), pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(texts)))
    given = np.packbits(~np.isnan(cells), bitorder="little")
    buffers = [pyarrow.py_buffer(given), pyarrow.py_buffer(np.ascontiguousarray(cells))]
    return pyarrow.Array.from_buffers(pyarrow.from_numpy_dtype(cells.dtype), len(cells), buffers)
