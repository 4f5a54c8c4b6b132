"""Checksums in the metadata of a shard's table; they show that a shard is complete and belongs to its job."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..description.job import FILES, IN_SCENE, Job
from ..description.prepared_job import prepare

SIZE = 16  # bytes: against damage and mistakes, not against forgery
ANYWHERE = {*FILES, *IN_SCENE, "threads"}
"""Fields of a job that name its machine, or that its compiled scene contains; they may differ between machines."""


@lru_cache(maxsize=1)
def of_job(job: Job) -> str:
    """Return a checksum of a job's options and file contents, equal on every machine."""
    options = {name: value for name, value in asdict(job).items() if name not in ANYWHERE}
    said = json.dumps([options, prepare(job).digest, job.files()], sort_keys=True)
    return hashlib.blake2b(said.encode(), digest_size=SIZE).hexdigest()


def of_table(columns: Mapping[str, np.ndarray], about: Mapping[str, str]) -> str:
    """Return a checksum of names, types and values of a table's columns, and of its metadata.

    Args:
        columns: numbers (all NaN bit patterns count as one value) or objects (compared as text).
        about: metadata by key.
    """
    found = hashlib.blake2b(json.dumps(sorted(about.items())).encode(), digest_size=SIZE)
    for name, cells in columns.items():
        texts = json.dumps(list(map(str, cells))).encode() if cells.dtype == object else None
        found.update(json.dumps([name, "text" if texts else cells.dtype.str, len(cells)]).encode())
        found.update(texts or _one_nan(cells).data)
    return found.hexdigest()


def _one_nan(cells: np.ndarray) -> np.ndarray:
    """Return the numbers with equal bits for all NaN values; a file may store other NaN bits, or null."""
    return np.ascontiguousarray(
        np.where(np.isnan(cells), np.array(np.nan, cells.dtype), cells) if cells.dtype.kind == "f" else cells
    )


def of_output(path: Path) -> str:
    """Return a checksum of a file, or of all files of a folder and their names."""
    found = hashlib.blake2b(digest_size=SIZE)
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            found.update(json.dumps([file.relative_to(path).as_posix(), file.stat().st_size]).encode())
            with file.open("rb") as opened:
                while part := opened.read(1 << 20):
                    found.update(part)
    return found.hexdigest()
