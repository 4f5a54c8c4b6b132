"""Named arrays in one .npz file, with a format name."""

import math
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from tokenize import TokenError

import numpy as np

from .atomic_write import commit, staging_directory
from .errors import reason_of
from .input_file import UnreadableFile, check_input, missing

NOT_AN_ARCHIVE = (
    *(ValueError, EOFError, AttributeError, TypeError, KeyError, OverflowError, MemoryError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error, TokenError, SyntaxError),
)
"""Exceptions that NumPy raises for damaged or encrypted files and for files of other kinds, such as single arrays."""


LAST_LETTER = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)


def write_archive(path: str | Path, form: str, arrays: dict[str, np.ndarray], compressed: bool = False) -> None:
    """Write arrays of any shape atomically.

    Args:
        path: the .npz file.
        form: name and version of the format.
        arrays: by name.
        compressed: True for a smaller file, which takes longer to write.

    Raises:
        OutputError: the file cannot be written.
    """
    path = Path(path)
    with staging_directory(path) as folder:
        draft = folder / path.name
        with draft.open("wb") as file:
            save = np.savez_compressed if compressed else np.savez
            save(file, allow_pickle=False, format=np.array(form), **arrays)
        commit(draft, path)


def read_archive(path: str | Path, form: str, broken: Callable[[str], ValueError]) -> dict[str, np.ndarray]:
    """Read the arrays that `write_archive` wrote, by name.

    Args:
        path: the file.
        form: the required format.
        broken: returns the error to raise for a broken rule: "an .npz file (reason)".

    Raises:
        ValueError: the error of `broken`: the file is missing, is not an .npz file or has another format.
    """
    try:
        arrays = load_arrays(path)
    except UnreadableFile as error:
        raise broken(error.rule) from None
    if str(arrays.pop("format", "")) != form:
        raise broken(f"a {form}")
    return arrays


def load_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """Read the arrays of any .npz file by name, after checking their sizes.

    Raises:
        UnreadableFile: the file is missing, damaged, of another kind, or unpacks to too much.
    """
    try:
        check_input(path)
        with np.load(path, allow_pickle=False) as file:
            _check_sizes(file.zip)
            return {name: _checked(name, file[name]) for name in file.files}
    except OSError as error:
        raise missing(path, error) from None
    except NOT_AN_ARCHIVE as error:
        raise UnreadableFile(path, f"an .npz file ({reason_of(error)})") from None


def _checked(name: str, array: np.ndarray) -> np.ndarray:
    """Return an array; raise ValueError if it has text that is not Unicode, of which no string can be made."""
    if array.dtype.kind == "U" and array.size:
        letters = np.frombuffer(array.tobytes(), f"{array.dtype.str[0]}u4")
        if ((letters > LAST_LETTER) | ((letters >= SURROGATES[0]) & (letters <= SURROGATES[1]))).any():
            raise ValueError(f"{name} has text that is not Unicode")
    return array


def _check_sizes(archive: zipfile.ZipFile) -> None:
    """Raise ValueError, before memory is allocated, for an array whose header claims more data than the file has."""
    for item in archive.infolist():
        with archive.open(item) as file:
            major, _ = np.lib.format.read_magic(file)
            header = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
            shape, _, kind = header(file)
        if math.prod(shape) * kind.itemsize > item.file_size:
            raise ValueError(f"{item.filename} has shape {shape} in its header, more than it contains")
