"""Groups and lists of touching pairs as they are stored; see `touch_lists`.

Articulations that maximal joints connect count as the first of them: the *node* of each.
"""

import taichi as ti

from ...lanes import traced
from ..broad_phase.active_pairs import slot_at
from ..scalars import whole


@traced
def node_of(w, a):
    """Return the first articulation of those that maximal joints connect with articulation a."""
    return w.articulation[a].joined


@traced
def root_of(w, a):
    """Return the root of the group of node a."""
    return whole(w.contacts.group_root[a]) - 1


@traced
def root_of_pair(w, g):
    """Return the root of the group of pair g."""
    return root_of(w, node_of(w, w.slot[g].owner0))


@ti.func
def list_length(w: ti.template(), root):
    """Return the length of the list of a group."""
    length = 0
    for at in range(w.pairs):
        g = slot_at(w, at)
        if w.contacts.touch_number[g] > 0.0 and root_of_pair(w, g) == root:
            length += 1
    return length


@ti.func
def last_touch(w: ti.template(), g):
    """Return the last pair of the list in which pair g is."""
    root, last = root_of_pair(w, g), g + 0
    for at in range(w.pairs):
        other = slot_at(w, at)
        if w.contacts.touch_number[other] > w.contacts.touch_number[last] and root_of_pair(w, other) == root:
            last = other
    return last
