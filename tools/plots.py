"""Plots with matplotlib, written as .png, .svg or .pdf."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FORMATS = (".png", ".svg", ".pdf")


@contextmanager
def figure(path: Path, count: int = 1, across: int = 2, size: tuple[float, float] = (6.0, 3.6)) -> Iterator[Any]:
    """Yield a list of axes, row by row; write the plot when the block ends.

    Args:
        path: the file.
        count: number of axes.
        across: most axes in a row.
        size: width and height of axes [inches].

    Raises:
        OutputError: matplotlib is missing, or the plot cannot be written.
    """
    from fajin.atomic_write import OutputError, commit, staging_directory

    check_picture(path)
    from matplotlib.figure import Figure

    across = min(count, across)
    down = -(-count // across)
    drawn = Figure(figsize=(size[0] * across + 1.0, size[1] * down + 0.8), layout="constrained")
    axes = drawn.subplots(down, across, squeeze=False).ravel()
    for spare in axes[count:]:
        spare.remove()
    yield list(axes[:count])
    with staging_directory(path) as folder:
        try:
            drawn.savefig(folder / path.name, dpi=150)
            commit(folder / path.name, path)
        except OSError as error:
            raise OutputError.of(path, error) from None


def check_picture(path: Path) -> None:
    """Raise OutputError if a plot cannot be written."""
    from fajin.atomic_write import OutputError, staging_directory

    if path.suffix not in FORMATS:
        raise OutputError(f"{path}: must have a suffix of {', '.join(FORMATS)}; rename it")
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise OutputError(f"{path}: matplotlib must be installed; pip install matplotlib") from None
    with staging_directory(path):
        pass


def draw_answers(answers: dict[str, dict[str, tuple]], path: Path) -> None:
    """Plot step responses by joint and source."""
    with figure(path, len(answers)) as axes:
        for place, (joint, curves) in zip(axes, answers.items(), strict=True):
            place.axhline(1.0, color="0.8", linewidth=0.8)
            for (name, (time, position)), style in zip(curves.items(), ("-", "--"), strict=True):
                place.plot(time, position, style, marker=".", markersize=3.0, label=name)
            place.set(title=joint, xlabel="time [s]", ylabel="position per step of the target")
            place.legend(frameon=False)


def draw_envelopes(shown: dict[str, tuple], path: Path) -> None:
    """Plot envelopes in the velocity-effort plane, all four quadrants, with operating points if given.

    Args:
        shown: by joint: the four parameters by name, whether it is rotational, and its operating points or None.
        path: file of the plot.
    """
    with figure(path, len(shown)) as axes:
        for place, (joint, (parameters, rotational, points)) in zip(axes, shown.items(), strict=True):
            v, tau = _corners(parameters, points)
            place.fill(v, tau, color="tab:blue", alpha=0.15)
            place.plot(v, tau, color="tab:blue", label="envelope")
            place.axhline(0.0, color="0.8", linewidth=0.8)
            place.axvline(0.0, color="0.8", linewidth=0.8)
            if points is not None:
                place.plot(
                    points.velocity, points.effort, ".", color="tab:orange", markersize=2.5, label="operating points"
                )
            units = ("rad/s", "N·m") if rotational else ("m/s", "N")
            place.set(title=joint, xlabel=f"velocity [{units[0]}]", ylabel=f"effort [{units[1]}]")
            place.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _corners(parameters: dict[str, float], points: Any) -> tuple[list[float], list[float]]:
    """Return the border of the region; unbounded sides end beyond the points."""
    from fajin.motor.envelope_fit import FittedEnvelope

    reach = [1.0, 1.0] if points is None else [1.2 * float(abs(x).max()) for x in (points.velocity, points.effort)]
    envelope = FittedEnvelope(
        parameters["max_force"],
        parameters["max_actuator_velocity"],
        parameters["velocity_dependent_resistance"],
        parameters["speed_effort_gradient"],
    )
    v, tau = zip(*envelope.corners(*reach), strict=True)
    right = [*v, *reversed(v)], [*tau, *(-x for x in reversed(tau))]
    return [*right[0], *(-x for x in right[0]), v[0]], [*right[1], *(-x for x in right[1]), tau[0]]
