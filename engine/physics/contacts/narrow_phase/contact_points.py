"""Contact points of a pair in this step, in the order in which its rows are solved."""

import taichi as ti

from ...lanes import Struct
from ...spatial import Vec3


class ContactPoint(Struct):
    """Points on shapes A and B, each in the frame of its shape, the normal from B to A in that of B, the distance."""

    parts, types = ("on_a", "on_b", "normal", "distance"), (Vec3, Vec3, Vec3, None)


@ti.func
def add_contact(w: ti.template(), g, point, normal, separation):
    """Add a contact point of pair g; the normal points from shape B to shape A."""
    count = w.slot[g].point_count
    i = w.slot[g].contact + count
    if i < w.slot[g].contact_end:
        side = normal.copy()
        if w.slot[g].reversed:
            side = normal * -1.0
        w.contact[i].point = point
        w.contact[i].normal = side
        w.contact[i].separation = separation
        w.slot[g].point_count = count + 1
