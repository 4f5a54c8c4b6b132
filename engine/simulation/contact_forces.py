"""Forces of the contacts of the last step: of pairs, and of links, negative where the link is the second."""

import numpy as np

from .contacts import read_pair_forces
from .field import FieldValues


def pair_force(fields: FieldValues) -> np.ndarray:
    """Return the force on the first collider of every pair [N], (W, P, 3)."""
    (world, pair), forces = read_pair_forces(fields.state)
    total = np.zeros((fields.state.worlds, len(fields.columns.pair), 3), forces.dtype)
    total[world, pair] = forces
    return total


def link_contact_force(fields: FieldValues) -> np.ndarray:
    """Return the net contact force on every link [N], (W, L, 3)."""
    (world, pair), forces = read_pair_forces(fields.state)
    total = np.zeros((fields.state.worlds, len(fields.columns.link), 3), forces.dtype)
    for side, sign in enumerate((1, -1)):
        links = fields.columns.pair_links[pair, side]
        moves = links >= 0
        np.add.at(total, (world[moves], links[moves]), sign * forces[moves])  # in the order of the pairs of a world
    return total
