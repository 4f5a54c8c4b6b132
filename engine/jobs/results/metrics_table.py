"""The table of a finished job, from the files of its shards."""

from pathlib import Path

import numpy as np

from .. import InvalidJob
from ..description.table import read_columns
from ..shards.shard import METRICS_FOLDER
from .manifest import read_manifest


def read_metrics(folder: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return the columns of all finished worlds in the order of their numbers, and the unit of each metric.

    Raises:
        InvalidJob: the folder is not a job's, no shard has finished, or a table is damaged.
    """
    manifest = read_manifest(folder)
    files = sorted((folder / METRICS_FOLDER).glob("*.parquet"))
    if not files:
        raise InvalidJob(f"{folder}: must have a finished shard; run fajin batch -o {folder} --resume")
    tables = [read_columns(file) for file in files]
    columns = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    order = np.argsort(columns["world"], kind="stable")
    units = {name: about["unit"] for name, about in manifest["metrics"].items()}
    return {name: values[order] for name, values in columns.items()}, units
