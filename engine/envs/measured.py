"""Properties that are computed once per state."""

from collections.abc import Callable
from typing import Any

import torch


def measured(compute: Callable[[Any], torch.Tensor]) -> property:
    """Return a property whose value holds until the owner's `values` are cleared."""
    name = compute.__name__

    def value(owner: Any) -> torch.Tensor:
        if name not in owner.values:
            owner.values[name] = compute(owner)
        return owner.values[name]

    return property(value, doc=compute.__doc__)
