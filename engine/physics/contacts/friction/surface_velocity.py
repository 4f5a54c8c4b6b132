"""Surface velocities of bodies: conveyor belts and turntables move what touches them, and stand still themselves.

    wanted     u(p) = Σ v_s + ω_s × (p − c), over the sides with a surface velocity; axes of the body or the world
    normal     v_T = N · u, added to that of a bounce
    friction   f ← f − m (J v − t · u);  with a link under TGS also − m (J moved − t · u elapsed) / δ

c is where the body was when the simulation began. As in PhysX, J v is side 0 against side 1, whichever has the surface:
a body with a surface velocity is driven along the ground. A patch keeps no anchors from the step before, where u = 0
neither; t · u is that at the anchor, with a link that at the first point of the patch.
"""

import taichi as ti

from ...lanes import broadcast
from ...spatial import select, zero_vector
from ..pair_sleep import keep_pair_asleep
from ..patches import is_in_patch, patch_at, patches_per_slot


@ti.func
def wanted_velocity(w: ti.template(), g, point):
    """Return the velocity of side 0 against side 1 that the surfaces of pair g want at a point [m/s]."""
    total = zero_vector()
    for i in range(2):
        if (w.slot[g].surfaces >> i) & 1:
            total = total + surface_velocity(w, w.slot[g].side(i), point)
    return total


@ti.func
def surface_velocity(w: ti.template(), s, point):
    """Return the surface velocity of the body at side s at a point [m/s]."""
    link, turned = w.node[w.side[s].node].link, w.side[s].start_orientation
    share = w.param.surface_velocity_is_local[link]
    linear, angular = w.param.surface_velocity[link], w.param.surface_angular_velocity[link]
    linear = turned.rotate(linear) * share + linear * (1.0 - share)
    angular = turned.rotate(angular) * share + angular * (1.0 - share)
    return linear + angular.cross(point - w.param.surface_pivot[link])


@ti.func
def anchor_velocity(w: ti.template(), g, at, point):
    """Return the velocity that the surfaces of pair g want at an anchor of the patch at a place [m/s]."""
    place = point.copy()
    if w.slot[g].has_link:
        place = first_point(w, g, at - patch_at(w, g, 0))
    return wanted_velocity(w, g, place)


@ti.func
def first_point(w: ti.template(), g, k):
    """Return the first contact point of patch k of pair g."""
    point, found = zero_vector(), broadcast(0.0)
    for i in range(w.slot[g].most_points):
        contact = w.contact[w.slot[g].contact + i]
        takes = is_in_patch(w, contact, k, w.slot[g].point_count > 1.0 * i) & (found == 0.0)
        point = select(takes, contact.point, point)
        found = ti.select(takes, 1.0, found)
    return point


@ti.func
def forget_anchors(w: ti.template(), g):
    """Clear the anchors that pair g has from the step before if a side has a surface velocity."""
    if w.slot[g].surfaces:
        for k in range(patches_per_slot(w)):
            at = patch_at(w, g, k)
            w.contacts.anchor_count[at] = keep_pair_asleep(w, g, broadcast(0.0), w.contacts.anchor_count[at])


@ti.func
def closing_rate(w: ti.template(), g, error, moved, iteration):
    """Return the rate that a friction row of pair g under TGS is to end, beside J v [m/s].

    error: distance of the anchors along the row at the start of the step; of a surface, minus the velocity wanted.
    moved: what the bodies have moved along it since.
    """
    rate = (error + moved) * iteration.inv_delta
    if ti.static(w.features.surfaces):
        if w.slot[g].surfaces:
            rate = error
            if w.slot[g].has_link:
                elapsed = iteration.elapsed
                if iteration.corrects_position == 0:
                    elapsed = iteration.h
                rate += (moved + error * elapsed) * iteration.inv_delta
    return rate


@ti.func
def parting_rate(w: ti.template(), g, error, iteration):
    """Return the rate that a friction row of pair g under PGS is to end, beside J v [m/s]; `error` as under TGS."""
    rate = error * iteration.inv_delta
    if iteration.corrects_position == 0:
        rate = rate * 0.0
    if ti.static(w.features.surfaces):
        if w.slot[g].surfaces:
            rate = error
    return rate
