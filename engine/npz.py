"""Named arrays in one .npz file, with the format that they are in."""

import math
import zipfile
import zlib
from pathlib import Path

import numpy as np

from .atomic_write import commit, staging_directory

NOT_AN_ARCHIVE = (
    *(ValueError, EOFError, AttributeError, TypeError, KeyError, OverflowError, MemoryError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error),
)
"""What NumPy raises for files of other kinds, single arrays among them, and for damaged and encrypted ones."""


def write_archive(path: str | Path, form: str, arrays: dict[str, np.ndarray], compressed: bool = False) -> None:
    """Write arrays of any shape, whole or not at all.

    Args:
        path: the .npz file.
        form: name and version of what the arrays mean.
        arrays: by name.
        compressed: smaller, and slower to write.

    Raises:
        OutputError: it cannot be written.
    """
    path = Path(path)
    with staging_directory(path) as folder:
        draft = folder / path.name
        with draft.open("wb") as file:
            (np.savez_compressed if compressed else np.savez)(file, format=np.array(form), **arrays)
        commit(draft, path)


def read_archive(path: str | Path, form: str, mend: str, refused: type[ValueError]) -> dict[str, np.ndarray]:
    """The arrays that `write_archive` wrote, by name.

    Args:
        path: the file.
        form: the format that is wanted.
        mend: what to give instead, for the message: "give a snapshot".
        refused: the error to raise.

    Raises:
        refused: the file is missing, is no such file, or is of another format; in one line.
    """
    if Path(path).is_fifo():  # nobody may ever write to it
        raise refused(f"{path}: is no file; {mend}")
    try:
        with np.load(path, allow_pickle=False) as file:
            _check_sizes(file.zip)
            arrays = {name: file[name] for name in file.files}
    except OSError as error:
        raise refused(f"{path}: cannot be read ({error.strerror or error}); {mend}") from None
    except NOT_AN_ARCHIVE as error:
        raise refused(f"{path}: is no .npz file ({' '.join(str(error).split())}); {mend}") from None
    if str(arrays.pop("format", "")) != form:
        raise refused(f"{path}: is no {form}; {mend}")
    return arrays


def _check_sizes(archive: zipfile.ZipFile) -> None:
    """Raise ValueError for an array that says to be larger than it is, before memory is taken for it."""
    for item in archive.infolist():
        with archive.open(item) as file:
            major, _ = np.lib.format.read_magic(file)
            header = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
            shape, _, kind = header(file)
        if math.prod(shape) * kind.itemsize > item.file_size:
            raise ValueError(f"{item.filename} says to be of shape {shape}, more than it holds")
