"""Strip of plots below a film, with a line at the time of the picture; drawn once by matplotlib."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .table import print_message

if TYPE_CHECKING:
    import numpy as np

    from fajin.visual.motion.motion import Motion

RATES = {"q": "", "qd": "/s"}
EFFORTS = {"rad": "N·m", "m": "N"}
MOST_CURVES = 8
NARROW = 500  # [pixels]
CURSOR = (200, 30, 30)


@dataclass(frozen=True, eq=False)
class PlotStrip:
    """Plots as a picture, and the columns of pixels of its times."""

    picture: "np.ndarray"  # (h, w, 3) uint8
    times: tuple[float, float]  # [s] at the left and right edge of the axes
    columns: tuple[float, float]  # their columns of pixels
    rows: tuple[int, int]  # of the axes

    @property
    def height(self) -> int:
        """Return the height [pixels]."""
        return len(self.picture)

    @classmethod
    def of(cls, motion: "Motion", pattern: str, quantity: str, size: tuple[int, int]) -> "PlotStrip":
        """Return the plots of the degrees of freedom that match a pattern, of the first world.

        Raises:
            InputError: matplotlib is missing, the motion has no such data, or nothing matches.
        """
        import numpy as np

        from fajin.errors import InputError

        columns = drawn_columns(motion, matching(motion, pattern, quantity))
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError:
            raise InputError("--plots: matplotlib must be installed; pip install matplotlib") from None
        figure = Figure(figsize=(size[0] / 100.0, size[1] / 100.0), dpi=100, layout="constrained")
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        time, values = motion.track.time, motion.series[quantity]
        for column in columns:
            name = motion.dof[column].rpartition("/")[2].partition(":")[0]
            axes.plot(time[: len(values)], values[: len(time), 0, column], linewidth=1.2, label=name)
        unit = motion.unit[columns[0]]
        label = EFFORTS[unit] if quantity == "effort" else unit + RATES[quantity]
        axes.set_xlim(float(time[0]), max(float(time[-1]), float(time[0]) + 1e-9))
        points = 6 if size[0] < NARROW else 8
        axes.set_ylabel(f"{quantity} [{label}]", fontsize=points)
        axes.set_xlabel("time [s]", fontsize=points)
        axes.tick_params(labelsize=points)
        axes.grid(alpha=0.3)
        figure.legend(fontsize=points - 1, frameon=False, loc="outside right upper", handlelength=1.0)
        canvas.draw()
        picture = np.asarray(canvas.buffer_rgba())[..., :3].copy()
        box = axes.get_window_extent()
        rows = (round(len(picture) - box.y1), round(len(picture) - box.y0))
        first, last = axes.get_xlim()
        return cls(picture, (float(first), float(last)), (float(box.x0), float(box.x1)), rows)

    def below(self, picture: "np.ndarray", time: float) -> "np.ndarray":
        """Return a picture with the plots below it."""
        import numpy as np

        strip = self.picture.copy()
        share = (time - self.times[0]) / (self.times[1] - self.times[0])
        column = round(self.columns[0] + min(max(share, 0.0), 1.0) * (self.columns[1] - self.columns[0]))
        strip[self.rows[0] : self.rows[1], column : column + 2] = CURSOR
        if picture.shape[2] == 4:
            strip = np.dstack([strip, np.full(strip.shape[:2], 255, np.uint8)])
        return np.concatenate([picture, strip])


def drawn_columns(motion: "Motion", columns: list[int]) -> list[int]:
    """Return the first columns, of the first one's unit: radians and metres do not share an axis; note how many."""
    drawn = [column for column in columns if motion.unit[column] == motion.unit[columns[0]]][:MOST_CURVES]
    if len(drawn) < len(columns):
        line = (
            f"{len(drawn)} of {len(columns)} joints drawn, in {motion.unit[drawn[0]]}; choose others by --plots REGEX"
        )
        print_message(f"note: {line}")
    return drawn


def matching(motion: "Motion", pattern: str, quantity: str) -> list[int]:
    """Return the columns whose names match.

    Raises:
        InputError: an invalid pattern, or nothing matches.
    """
    from fajin.errors import InputError

    if quantity not in ("q", "qd", "effort"):
        raise InputError(f"--quantity {quantity}: must be q, qd or effort; correct the name")
    if quantity not in motion.series or not motion.series[quantity].shape[-1]:
        raise InputError(f"--plots {pattern}: must be of a joint log or batch with {quantity}; log by --joints LOG")
    try:
        found = [i for i, name in enumerate(motion.dof) if re.search(pattern, name)]
    except re.error as error:
        raise InputError(f"--plots {pattern}: must be a regular expression ({error}); escape its characters") from None
    if not found:
        raise InputError(
            f"--plots {pattern}: must match a joint; the first is {motion.dof[0] if motion.dof else 'none'}"
        )
    return found
