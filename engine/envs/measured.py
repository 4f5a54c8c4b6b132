"""Properties that are computed once per state."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from .robot import Robot


def measured(compute: Callable[["Robot"], torch.Tensor]) -> property:
    """Return a property whose value holds until the robot's state changes."""
    name = compute.__name__

    def value(robot: "Robot") -> torch.Tensor:
        if name not in robot._values:
            robot._values[name] = compute(robot)
        return robot._values[name]

    return property(value, doc=compute.__doc__)
