"""Net contact forces of links in the last step: the forces of their pairs, negative where the link is the second."""

import numpy as np

from .field import FieldValues


def link_contact_force(fields: FieldValues) -> np.ndarray:
    """Return the net contact force on every link [N], (W, L, 3)."""
    forces = fields.read("pair_force")
    total = np.zeros((len(forces), len(fields.columns.link), 3), forces.dtype)
    for side, sign in enumerate((1, -1)):
        links = fields.columns.pair_links[:, side]
        for pair in np.flatnonzero(links >= 0):  # one by one: the sums of a world do not depend on other worlds
            total[:, links[pair]] += sign * forces[:, pair]
    return total
