"""The table of a finished job, from the files of its shards."""

from pathlib import Path
from typing import Any

import numpy as np

from ...selection import short_names
from .. import InvalidJob
from ..description.column_units import column_units
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


def load(folder: str | Path) -> Any:
    """Return the results of a batch as a pandas DataFrame, one row per finished world.

    Columns have the levels name and quantity: ("joint2", "stiffness*") is a setting, ("joint2", "settling_time") a
    metric, ("joint2", "q") the final state. Joints and links have their shortest unique names. The index is the world.
    `attrs["units"]` gives the unit of each column that has one.

    Args:
        folder: folder of `fajin batch -o`.

    Raises:
        ImportError: pandas is not installed.
        InvalidJob: the folder is not a job's, no shard has finished, or a table is damaged.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("load needs pandas; run pip install pandas") from None

    columns, _ = read_metrics(Path(folder))
    units = column_units(list(columns), read_manifest(Path(folder))["metrics"])
    full = {name: _parts(name) for name in columns if name != "world"}
    paths = list(dict.fromkeys(owner for owner, _ in full.values() if owner.startswith("/")))
    short = dict(zip(paths, short_names(paths), strict=True))
    labels = {name: (short.get(owner, owner), quantity) for name, (owner, quantity) in full.items()}
    index = pandas.Index(columns["world"], name="world")
    names = pandas.MultiIndex.from_tuples(list(labels.values()), names=["name", "quantity"])
    frame = pandas.DataFrame({i: columns[name] for i, name in enumerate(labels)}, index)
    frame.columns = names
    frame.attrs["units"] = {labels[name]: unit for name, unit in units.items() if name in labels}
    return frame


def _parts(column: str) -> tuple[str, str]:
    """Return name and quantity of a column: of a setting "elbow:stiffness*", of a metric "work:/arm/elbow:rotZ"."""
    first, _, rest = column.partition(":")
    if rest.startswith("/"):
        return rest, first
    owner, _, quantity = column.rpartition(":")
    return owner, quantity
