"""The table of a finished job, from the files of its shards."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from .. import InvalidJob
from ..description.column_units import split_column
from ..shards.result_table import read_columns, read_metadata
from ..shards.shard import METRICS_FOLDER, check_format
from .manifest import read_manifest


def read_metrics(folder: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return the columns of all finished worlds in the order of their numbers, and the unit of each that has one.

    Raises:
        InvalidJob: the folder is not a job's, no shard has finished, or a table is damaged.
    """
    read_manifest(folder)
    place = folder / METRICS_FOLDER
    files = sorted([*place.glob("?????.parquet"), *place.glob("?????.csv")], key=lambda file: file.stem)
    if not files:
        raise InvalidJob(f"{folder}: must have a finished shard; run fajin batch -o {folder} --resume")
    for file in files:
        check_format(file)
    tables = [read_columns(file) for file in files]
    columns = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    order = np.argsort(columns["world"], kind="stable")
    return {name: values[order] for name, values in columns.items()}, json.loads(read_metadata(files[0])["fajin.units"])


def load(folder: str | Path) -> Any:
    """Return the results of a batch as a pandas DataFrame, one row per finished world.

    Columns have the levels name and quantity: ("joint2", "stiffness*") is a setting, ("joint2", "settling_time") a
    metric, ("joint2", "final_q") the final state. The index is the world. `attrs["units"]` has the units of columns.

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

    columns, units = read_metrics(Path(folder))
    labels = {name: split_column(name) for name in columns if name != "world"}
    index = pandas.Index(columns["world"], name="world")
    frame = pandas.DataFrame({i: columns[name] for i, name in enumerate(labels)}, index)
    frame.columns = pandas.MultiIndex.from_tuples(list(labels.values()), names=["name", "quantity"])
    frame.attrs["units"] = {labels[name]: unit for name, unit in units.items() if name in labels}
    return frame
