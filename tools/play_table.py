"""The table of `fajin play`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from fajin.tools.table import number, print_table

if TYPE_CHECKING:
    from fajin.envs.playing import Played


def print_played(task: str, runs: "Mapping[str, Played]") -> None:
    """Print what was measured, a column for each engine, and how far the engines are apart."""
    rows = [
        ["worlds that survived", *(f"{run.survived.sum()} of {len(run.survived)}" for run in runs.values())],
        ["path length of the root [m]", *(number(run.path_length) for run in runs.values())],
        ["reward [1/s]", *(f"{run.reward.mean():.4g}" if name == "fajin" else "–" for name, run in runs.items())],
    ]
    for name in next(iter(runs.values())).error:
        rows.append([f"mean |error| of {name}", *(_with_error(run.error[name]) for run in runs.values())])
    if len(runs) == 2:
        first, second = runs.values()
        apart = np.linalg.norm(first.pose[..., :3] - second.pose[..., :3], axis=-1) * 1e3
        joints = np.abs(first.joint_pos - second.joint_pos)
        middle = "end" if apart.shape[1] == 1 else "median at the end"
        rows.append([f"roots apart, {middle} (most) [mm]", "", f"{np.median(apart[-1]):.1f} ({apart.max():.1f})"])
        rows.append(["joints apart, most [rad]", "", f"{joints.max():.4f}"])
    title = f"{task}: {len(next(iter(runs.values())).pose) * next(iter(runs.values())).dt:.4g} s"
    print_table(title, 1, ("", *runs), rows)


def _with_error(values: np.ndarray) -> str:
    """Return the mean over worlds, with its standard error if there are several."""
    several = len(values) > 1
    return f"{values.mean():.4f}" + (f" ± {values.std(ddof=1) / len(values) ** 0.5:.4f}" if several else "")
