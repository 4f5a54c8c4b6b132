"""Results of contacts in a step: points, impulses along the normals, and the force of every pair.

    force on side 0 = (Σ N λ + Σ (t0 f0 + t1 f1)) / h,  minus that on side 1

λ is the impulse of a contact point and f that of a friction anchor. Points are those of the start of the step.
"""

import taichi as ti

from ..spatial import select, zero_vector


@ti.func
def pair_force(w: ti.template(), g, h):
    """Return the force of pair g on side 0, 0 without contact points."""
    pair, total = w.pair[g], zero_vector()
    count = w.pair[g].point_count
    for i in range(pair.contact, pair.contact_end):
        push = w.contact[i].normal * w.contact[i].impulse
        total = total + select(count > 1.0 * (i - pair.contact), push, zero_vector())
    for i in range(2):
        anchor = w.anchor[2 * g + i]
        rub = w.pair[g].tangent0 * anchor.impulse0 + w.pair[g].tangent1 * anchor.impulse1
        total = total + select((count > 0.0) & (w.contacts.anchor_count[g] > 1.0 * i), rub, zero_vector())
    return total * (1.0 / h)


@ti.func
def write_contact_forces(w: ti.template(), island_id, params):
    """Write number of points, force and contact points of every pair of an island."""
    island = w.island[island_id]
    for g in range(island.pair, island.pair_end):
        count = w.pair[g].point_count
        w.results.pair_points[g] = count
        w.results.pair_force[g] = pair_force(w, g, params.h)
        for i in range(w.pair[g].contact, w.pair[g].contact_end):
            exists, contact = count > 1.0 * (i - w.pair[g].contact), w.contact[i]
            w.results.contact_point[i] = select(exists, contact.point, zero_vector())
            w.results.contact_normal[i] = select(exists, contact.normal, zero_vector())
            w.results.contact_separation[i] = ti.select(exists, contact.separation, 0.0)
            w.results.contact_impulse[i] = ti.select(exists, contact.impulse, 0.0)
