"""Links whose centres of mass the origins of joints are measured from."""

import numpy as np

from ..tables.topology import NODE
from .model import Model


def links_of_arms(model: Model) -> dict[str, np.ndarray]:
    """Return the row of the link from whose centre of mass each node's arm is measured, (N,), by parameter."""
    links = model.nodes[:, NODE["LINK"]]
    first = model.nodes[:, NODE["FIRST"]]
    return {"CHILD_ARM": links, "PARENT_ARM": links[model.nodes[first, NODE["PARENT_LAST"]]]}
