"""Reading of files from others: text, JSON, TOML, and tables in .csv and .parquet; `npz` reads archives.

Every file is regular and of bounded length, and unpacks to a bounded size: zeros compress a thousandfold, and a column
of equal values takes a few bytes. Whatever else is wrong with it is one exception.
"""

import csv
import hashlib
import json
import stat
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .errors import reason_of

MOST_TEXT = 1 << 28  # bytes of a text file
MOST_UNPACKED = 1 << 28  # bytes that any archive or table may unpack to
RATIO = 100  # unpacked bytes per byte of a file that may be larger
PIECE = 1 << 20  # bytes read at once for a hash

DAMAGED = (
    *(ValueError, LookupError, TypeError, AttributeError, ArithmeticError, EOFError, RuntimeError, MemoryError),
    csv.Error,
)
"""Exceptions of readers for damaged files and for files of other kinds."""


class UnreadableFile(ValueError):
    """A file that cannot be read. `rule` continues "must be", with the reason; `found` is False for a missing file."""

    def __init__(self, path: str | Path, rule: str, found: bool = True):
        super().__init__(f"{path}: must be {rule}")
        self.rule, self.found = rule, found


def check_input(path: str | Path) -> None:
    """Check the size of a file by its suffix: .npz and .pt, .parquet, .mcap, or text.

    Raises:
        OSError: the file is missing, or not readable.
        ValueError: the file is not regular, or too large.
        zipfile.BadZipFile, pyarrow.ArrowException: the file is damaged.
    """
    path = Path(path)
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):  # reading a pipe or device might never end
        raise ValueError("not a regular file")
    if path.suffix in (".npz", ".pt"):
        check_unpacked(_archive_size(path), found.st_size)
    elif path.suffix == ".parquet":
        check_unpacked(_table_size(path), found.st_size)
    elif path.suffix != ".mcap" and found.st_size > MOST_TEXT:
        raise ValueError(f"{found.st_size:,} bytes, more than {MOST_TEXT:,}")


def read_text(path: str | Path, kind: str = "text in UTF-8") -> str:
    """Return the text of a file, without a byte-order mark; `kind` names what it should be, with an article if needed.

    Raises:
        UnreadableFile: the file is missing, not regular, too large, or not UTF-8.
    """
    try:
        check_input(path)
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise missing(path, error) from None
    except DAMAGED as error:
        raise UnreadableFile(path, f"{kind} ({reason_of(error)})") from None


def read_json(path: str | Path) -> Any:
    """Return the value of a JSON file.

    Raises:
        UnreadableFile: as of `read_text`, or the text is not JSON.
    """
    text = read_text(path, "JSON")
    try:
        return json.loads(text)
    except DAMAGED as error:
        raise UnreadableFile(path, f"JSON ({reason_of(error)})") from None


def read_toml(path: str | Path) -> dict[str, Any]:
    """Return the table of a TOML file.

    Raises:
        ImportError: neither tomllib nor tomli is installed.
        UnreadableFile: as of `read_text`, or the text is not TOML.
    """
    try:
        import tomllib
    except ImportError:
        import tomli as tomllib  # pyright: ignore[reportMissingImports]
    text = read_text(path, "TOML")
    try:
        return tomllib.loads(text)
    except DAMAGED as error:
        raise UnreadableFile(path, f"TOML ({reason_of(error)})") from None


def read_lines(path: str | Path) -> list[str]:
    """Return the lines of a table in text, with their ends: cells may contain some.

    Raises:
        UnreadableFile: as of `read_text`.
    """
    try:
        check_input(path)
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            return list(file)
    except OSError as error:
        raise missing(path, error) from None
    except UnicodeDecodeError:
        raise UnreadableFile(path, "a csv file in UTF-8; save it again as such") from None
    except DAMAGED as error:
        raise UnreadableFile(path, f"a csv file ({reason_of(error)})") from None


def split_rows(path: str | Path, lines: Iterable[str], mark: str = ",") -> list[list[str]]:
    """Return the cells of lines, row by row; empty rows are empty lists.

    Raises:
        UnreadableFile: a cell has more than 131,072 letters, or is not csv.
    """
    try:
        return list(csv.reader(lines, delimiter=mark))
    except DAMAGED as error:
        raise UnreadableFile(path, f"a csv file ({reason_of(error)})") from None


def read_rows(path: str | Path) -> list[list[str]]:
    """Return the cells of a .csv file, row by row; empty rows are empty lists.

    Raises:
        UnreadableFile: as of `read_lines` and `split_rows`.
    """
    return split_rows(path, read_lines(path))


def read_parquet(path: str | Path) -> Any:
    """Return the table of a .parquet file, of pyarrow.

    Raises:
        ImportError: pyarrow is not installed.
        UnreadableFile: the file is missing, damaged, or unpacks to too much.
    """
    from pyarrow import ArrowException, parquet

    try:
        check_input(path)
        return parquet.read_table(path, partitioning=None)  # pyright: ignore[reportArgumentType]  None: no folders
    except FileNotFoundError as error:
        raise missing(path, error) from None
    except (OSError, ArrowException, *DAMAGED) as error:  # pyarrow raises OSError for damaged pages, too
        raise UnreadableFile(path, f"a parquet file ({reason_of(error)})") from None


def read_parquet_metadata(path: str | Path) -> dict[str, str]:
    """Return the metadata of the schema of a .parquet file.

    Raises:
        ImportError, UnreadableFile: as of `read_parquet`.
    """
    from pyarrow import ArrowException, parquet

    try:
        check_input(path)
        found = parquet.read_schema(path).metadata or {}
        return {key.decode(): value.decode() for key, value in found.items()}
    except FileNotFoundError as error:
        raise missing(path, error) from None
    except (OSError, ArrowException, *DAMAGED) as error:
        raise UnreadableFile(path, f"a parquet file ({reason_of(error)})") from None


def sha256_of(path: str | Path) -> str:
    """Return the SHA-256 of a regular file, read piece by piece.

    Raises:
        UnreadableFile: the file is missing, or not regular.
    """
    found = hashlib.sha256()
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            raise UnreadableFile(path, "a regular file")
        with Path(path).open("rb") as file:
            while piece := file.read(PIECE):
                found.update(piece)
    except OSError as error:
        raise missing(path, error) from None
    return found.hexdigest()


def missing(path: str | Path, error: OSError) -> UnreadableFile:
    """Return the exception of a file that the system does not open."""
    return UnreadableFile(path, f"a file that can be read ({reason_of(error.strerror or error)})", found=False)


def check_unpacked(unpacked: int, size: int) -> None:
    """Raise ValueError if a file of `size` bytes unpacks to too many."""
    most = max(MOST_UNPACKED, RATIO * size)
    if unpacked > most:
        raise ValueError(f"it unpacks to {unpacked:,} bytes, more than {most:,}")


def _archive_size(path: Path) -> int:
    if not zipfile.is_zipfile(path):
        return 0
    with zipfile.ZipFile(path) as archive:
        items = archive.infolist()
    other = [item for item in items if item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)]
    if other:
        raise ValueError(f"{other[0].filename} is compressed by another method than deflate")
    return sum(item.file_size for item in items)


def _table_size(path: Path) -> int:
    """Return the bytes of a table in memory, at 8 per cell, from its footer."""
    try:
        from pyarrow import parquet
    except ImportError:  # the reader of the table says so
        return 0
    about = parquet.read_metadata(path)
    packed = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    return max(8 * about.num_rows * about.num_columns, packed)
