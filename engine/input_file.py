"""Sizes of input files, checked before they are read: regular files, of bounded length, that unpack to bounded sizes.

Small files unpack to any size: zeros compress a thousandfold, and a column of equal values takes a few bytes.
"""

import stat
import zipfile
from pathlib import Path

MOST_TEXT = 1 << 28  # bytes of a text file
MOST_UNPACKED = 1 << 28  # bytes that any archive or table may unpack to
RATIO = 100  # unpacked bytes per byte of a file that may be larger


def check_input(path: str | Path) -> None:
    """Check the size of a file by its suffix: .npz, .parquet, or text.

    Raises:
        OSError: the file is missing, or not readable.
        ValueError: the file is not regular, or too large.
        zipfile.BadZipFile, pyarrow.ArrowException: the file is damaged.
    """
    path = Path(path)
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):  # reading a pipe or device might never end
        raise ValueError("not a regular file")
    if path.suffix == ".npz":
        _check_unpacked(_archive_size(path), found.st_size)
    elif path.suffix == ".parquet":
        _check_unpacked(_table_size(path), found.st_size)
    elif found.st_size > MOST_TEXT:
        raise ValueError(f"{found.st_size:,} bytes, more than {MOST_TEXT:,}")


def _check_unpacked(unpacked: int, size: int) -> None:
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
