"""Jumps: parameters that change the motion discontinuously, so that its derivatives do not describe the change.

A joint whose static friction exceeds the dynamic one sticks and slips. It lets go one step earlier or later as a
parameter changes, and rests elsewhere until it moves again. Differences of two lengths then disagree.
"""

from collections.abc import Sequence

import numpy as np

from .identifiability import SHOWN
from .levenberg_marquardt import Optimum, Space, jacobian_at
from .problem import Problem
from .profiles import kinked_places

LONGER = 10.0  # factor between the two steps of finite differences
STICKY = 1.001  # static by dynamic friction above which joints stick and slip
SMOOTH = 0.3  # part by which columns of both may differ; those of smooth motions differ by less than 0.05


def jumping_parameters(problem: Problem, found: Optimum) -> list[int]:
    """Return the places of parameters that change the motion in jumps.

    There are none where static friction is the dynamic one; where kinked parameters are profiled, none are looked for.

    Args:
        problem: the problem.
        found: its optimum, of parameters, or of parameters and starts.
    """
    base = problem.rollout.base
    if kinked_places(problem) or not (base["static_friction"] > STICKY * base["dynamic_friction"]).any():
        return []
    count, space = len(problem.parameters), problem.space
    rows = sum(one.values.size for some in problem.measured() for one in some)
    long = Space(space.low, space.high, LONGER * space.step)
    wide = jacobian_at(problem.residuals, found.x[:count], long)[1][:rows]
    narrow = found.jacobian[:rows, :count]
    sizes = np.maximum(*(np.linalg.norm(J, axis=0) for J in (wide, narrow)))
    apart = np.linalg.norm(wide - narrow, axis=0) > SMOOTH * sizes
    return [int(i) for i in np.flatnonzero(apart & ~found.at_bound[:count])]


def jumps(names: Sequence[str], rate: float) -> str:
    """Return what is wrong with parameters that change the motion in jumps, and what to do."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return (
        f"{', '.join(names[:SHOWN])}{more}: the motion jumps where they change, because joints stick and slip at "
        f"{rate:g} steps/s; fit at a smaller step (--dt), record faster motion, or fit static_ratio, too"
    )
