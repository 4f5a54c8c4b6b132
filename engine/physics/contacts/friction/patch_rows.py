"""Rows of a friction patch at the start of a step: two friction rows per anchor, torsion, and the least normal impulse.

friction: rows along t0, the tangential velocity of the mass centres, and t1 = N × t0, at each anchor
least normal impulse for friction, of links: a quarter of the mean that stops the approach
torsion, of one anchor under TGS: a row about N
"""

import taichi as ti

from ...lanes import broadcast, maximum, minimum, traced
from ...row_jacobian import Jacobian
from ...spatial import Vec3, select, zero_vector
from ...stored import first_lane
from ..patches import is_in_patch, patch_at, patch_count
from .contact_slop import anchor_gap, friction_arms
from .row_responses import pair_cfm, responses
from .surface_velocity import anchor_velocity

TANGENT_SPEED = 1e-4  # squared tangential speed from which on it sets the direction [m²/s²]
MIN_LINK_RESPONSE = 1.2e-7


@ti.func
def prepare_patches(w: ti.template(), g, params):
    """Compute the rows of the friction patches of pair g; call after its normal rows."""
    for k in range(patch_count(w, g)):
        at = patch_at(w, g, k)
        prepare_patch(w, g, at)
        prepare_tangents(w, g, at)
        for i in range(first_lane(w.patch[at].most_anchors)):
            prepare_anchor(w, g, at, i, params)
        if w.slot[g].twists:
            prepare_torsion(w, g, at, params)


@ti.func
def clear_sums(w: ti.template(), g):
    """Clear the sums over the points of each patch of pair g."""
    for k in range(patch_count(w, g)):
        patch = w.patch[patch_at(w, g, k)]
        patch.points = broadcast(0.0)
        patch.min_force = broadcast(0.0)
        patch.deepest = broadcast(0.0)


@ti.func
def add_to_patch(w: ti.template(), g, contact: ti.template(), approach, point):
    """Add a contact point, its error and whether it exists, to the sums of its patch."""
    error, exists = point
    for k in range(patch_count(w, g)):
        mine, patch = is_in_patch(w, contact, k, exists), w.patch[patch_at(w, g, k)]
        patch.points += ti.select(mine, 1.0, broadcast(0.0))
        patch.min_force += ti.select(mine, approach, 0.0)
        patch.deepest = minimum(patch.deepest, ti.select(mine, error, 0.0))


@ti.func
def prepare_patch(w: ti.template(), g, at):
    """Compute the least normal impulse for friction and the radius of torsion of the patch at a place of pair g."""
    patch = w.patch[at]
    mean = patch.min_force * (0.25 / maximum(patch.points, 1.0))
    patch.min_force = 0.0
    if w.slot[g].has_link:
        patch.min_force = mean
    depth = 0.0 - patch.deepest
    radius = ti.sqrt(maximum(depth, 0.0) * w.param.torsional_radius[w.slot[g].pair])
    patch.torsion_radius = maximum(w.param.min_torsional_radius[w.slot[g].pair], radius)


@ti.func
def prepare_tangents(w: ti.template(), g, at):
    """Compute the two directions of friction of the patch at a place of pair g."""
    patch = w.patch[at]
    n = patch.normal
    v = w.side[w.slot[g].side0].v.lin - w.side[w.slot[g].side1].v.lin
    v = v - n * n.dot(v)
    speed = v.dot(v)
    along_x = n.x * n.x > 0.5
    zero = broadcast(0.0)
    other = select(along_x, Vec3(0.0 - n.y, n.x, zero), Vec3(zero, 0.0 - n.z, n.y))
    t = select(speed > TANGENT_SPEED * w.param.meters_per_unit[0] * w.param.meters_per_unit[0], v, other)
    t = t * (1.0 / maximum(t.norm(), 1e-30))
    patch.tangent0 = t
    patch.tangent1 = n.cross(t)
    patch.share = ti.select(w.contacts.anchor_count[at] > 1.0, 0.5, broadcast(1.0))


@ti.func
def prepare_anchor(w: ti.template(), g, at, i, params):
    """Compute the friction rows of anchor i of the patch at a place of pair g."""
    anchor = w.anchor[2 * at + i]
    here, there = w.side[w.slot[g].side0], w.side[w.slot[g].side1]
    exists = w.contacts.anchor_count[at] > 1.0 * i
    arm0 = here.start_orientation.rotate(w.contacts.anchor0[2 * at + i])
    arm1 = there.start_orientation.rotate(w.contacts.anchor1[2 * at + i])
    apart = anchor_gap(w, g, (arm0 + here.start) - (arm1 + there.start), params.tgs)
    if ti.static(w.features.surfaces):
        if w.slot[g].surfaces:
            apart = anchor_velocity(w, g, at, arm1 + there.start) * -1.0
    cfm = pair_cfm(w, g)
    least = broadcast(0.0)
    if w.slot[g].has_link:
        least = broadcast(MIN_LINK_RESPONSE)
    anchor.acts = ti.select(exists, 1.0, broadcast(0.0))
    for t in ti.static(range(2)):
        along = select(exists, tangent_of(w.patch[at], t), zero_vector())
        jacobian = friction_arms(w, g, Jacobian(along, arm0.cross(along), arm1.cross(along)))
        one, two, r = responses(w, g, jacobian)
        write_friction_row(anchor, t, jacobian, one, two)
        multiplier = ti.select(exists & (r > least), params.contact_bias / maximum(r + cfm, 1e-30), 0.0)
        write_friction_scalars(anchor, t, multiplier, apart.dot(along))


@traced
def tangent_of(patch, t):
    """Return direction t of friction of a patch."""
    return getattr(patch, f"tangent{t}")


@traced
def write_friction_row(anchor, t, jacobian, one, two):
    """Write the Jacobian and the responses of the row along tangent t."""
    setattr(anchor, f"jacobian{t}", jacobian)
    setattr(anchor, f"response{t}0", one)
    setattr(anchor, f"response{t}1", two)


@traced
def write_friction_scalars(anchor, t, multiplier, error):
    """Write multiplier and error of the row along tangent t, and clear its impulse."""
    setattr(anchor, f"multiplier{t}", multiplier)
    setattr(anchor, f"error{t}", error)
    setattr(anchor, f"impulse{t}", broadcast(0.0))


@ti.func
def prepare_torsion(w: ti.template(), g, at, params):
    """Compute the row of torsional friction about the normal, which a patch with one anchor has under TGS."""
    patch = w.patch[at]
    n = patch.normal
    exists = (w.contacts.anchor_count[at] == 1.0) & (patch.torsion_radius > 0.0)
    along = select(exists, n, zero_vector())
    jacobian = Jacobian(zero_vector(), along, along)
    one, two, r = responses(w, g, jacobian)
    patch.torsion = jacobian
    patch.torsion_response0 = one
    patch.torsion_response1 = two
    gain = params.contact_bias / maximum(r + pair_cfm(w, g), 1e-30)
    patch.torsion_multiplier = ti.select(exists & (r > 0.0), gain, 0.0)
    patch.torsion_impulse = 0.0
