"""Rows of a pair at the start of a step: a normal row per contact point, then those of its friction patches.

    normal:   J = (N, (p − x0) × N, (p − x1) × N),  r = J M⁻¹ Jᵀ of the two bodies alone,  1 / (r + cfm)
    error:    separation less rest distance;  a bounce instead where e > 0, −v > threshold and −v h > error:
              v_T = −e v, and under TGS the error that reaches it at its moment
    rate:     −1/δ apart, −α/δ in penetration, α = min(0.8, 2/√n) under TGS and 0.8 under PGS, at most MAX_DEPENETRATION
    friction: rows along t0, the tangential velocity of the mass centres, and t1 = N × t0, at each anchor
    torsion:  of one anchor under TGS, a row about N
    least normal impulse for friction, of links: a quarter of the mean that stops the approach

`surface_velocity` adds to v_T, and `contact_slop` shortens arms.

v is the velocity along N at the start of the step, with the forces that act at once.
"""

import taichi as ti

from ...lanes import broadcast, maximum, minimum, traced
from ...link_sides import link_pose, link_response, link_velocity
from ...row_jacobian import Jacobian
from ...spatial import Motion, Vec3, no_force, select, zero_vector
from ..patches import is_in_patch, patch_at, patch_count
from .contact_slop import anchor_gap, friction_arms, normal_arms
from .surface_velocity import anchor_velocity, wanted_velocity

TANGENT_SPEED = 1e-4  # squared tangential speed from which on it sets the direction [m²/s²]
MIN_LINK_RESPONSE = 1.2e-7


@ti.func
def prepare_pair(w: ti.template(), g, params):
    """Compute the rows of pair g for this step."""
    for i in range(2):
        s = w.slot[g].side(i)
        p, q = link_pose(w, s)
        w.side[s].start = p
        w.side[s].start_orientation = q
        w.side[s].v = link_velocity(w, s, 0.0, params.h)
        w.side[s].impulse = no_force()
    read_kinematic_side(w, g, params.tgs)
    prepare_normals(w, g, params)
    prepare_patches(w, g, params)


@ti.func
def prepare_bundled_pairs(w: ti.template(), params):
    """Compute the rows of all pairs of a bundle of free bodies for this step."""
    w.read_sides()
    prepare_normals(w, 0, params)
    prepare_patches(w, 0, params)


@traced
def pair_row(w, g, direction, point):
    """Return the Jacobian of a row of pair g along a direction at a point."""
    here, there = w.side[w.slot[g].side0], w.side[w.slot[g].side1]
    return Jacobian(direction, (point - here.start).cross(direction), (point - there.start).cross(direction))


@ti.func
def prepare_normals(w: ti.template(), g, params):
    """Compute the normal rows of pair g, and sums over the points of each patch."""
    pair = w.slot[g]
    if ti.static(w.features.meshes):
        clear_sums(w, g)
    v0, v1 = w.side[pair.side0].v, w.side[pair.side1].v
    cfm, count = pair_cfm(w, g), w.slot[g].point_count
    total, most = broadcast(0.0), broadcast(0.0)
    for i in range(pair.contact, pair.contact + w.slot[g].most_points):
        exists = count > 1.0 * (i - pair.contact)
        contact = w.contact[i]
        n, p = contact.normal, contact.point
        whole = pair_row(w, g, select(exists, n, zero_vector()), select(exists, p, zero_vector()))
        jacobian = whole.copy()
        if ti.static(w.features.slops):
            jacobian = normal_arms(w, g, whole, v0, v1, params.tgs)
        one, two, r = responses(w, g, jacobian)
        error = contact.separation - w.slot[g].rest_distance
        inverse = ti.select(exists & (r > 0.0), 1.0 / maximum(r + cfm, 1e-30), 0.0)
        v = whole.rate(v0, v1)
        if ti.static(w.features.slops):
            if params.tgs == 0:
                v = jacobian.rate(v0, v1)
        e = w.slot[g].contact_restitution
        bounces = (e > 0.0) & (0.0 - v > w.param.contact_bounce_threshold[0]) & (0.0 - v * params.h > error)
        target = ti.select(bounces, 0.0 - e * v, 0.0)
        bounce = target
        if ti.static(w.features.surfaces):
            if w.slot[g].surfaces:
                target += n.dot(wanted_velocity(w, g, p))
        approach = (target - error * (1.0 / params.h) - v) * inverse
        if params.tgs == 0:
            approach = (bounce - v - maximum(error, 0.0) * (1.0 / params.h)) * inverse
        if ti.static(w.features.meshes):
            add_to_patch(w, g, contact, maximum(approach, 0.0), error, exists)
        else:
            total += ti.select(exists, maximum(approach, 0.0), 0.0)
            most = minimum(most, ti.select(exists, error, 0.0))
        contact.bias_rate = ti.select(error > 0.0, 0.0 - 1.0 / params.delta, 0.0 - params.contact_bias / params.delta)
        aim = ti.select(bounces, 0.0, error)
        if params.tgs:
            aim = error + ti.select(bounces, target * (params.h + error / ti.select(bounces, v, 1.0)), 0.0)
        contact.error = ti.select(exists, aim, 0.0)
        contact.target = ti.select(exists, target, 0.0)
        contact.jacobian = jacobian
        if ti.static(not w.free_sides):
            contact.response0 = one
            contact.response1 = two
        contact.inv_response = inverse
        contact.impulse = 0.0
        if ti.static(not w.bundled):
            if pair.compliant:
                prepare_spring(w, g, i, r, v, exists, params)
    if ti.static(not w.features.meshes and not w.bundled):
        patch = w.patch[g]
        patch.points = count
        patch.min_force = total
        patch.deepest = most


@ti.func
def prepare_spring(w: ti.template(), g, i, r, v, exists, params):
    """Compute the coefficients of a compliant contact point: an implicit spring instead of a hard row.

    x = 1/(1 + a r), or 1/(1 + a) and impulses / r per mass;  a = δ (d' + δ k);  d' is 0 apart and slow, else d
    """
    contact, delta = w.contact[i], params.delta
    error, k = contact.separation - w.slot[g].rest_distance, w.slot[g].contact_stiffness
    loose = (error > 0.0) & (0.0 - v * params.h <= error)
    a = delta * (ti.select(loose, 0.0, w.slot[g].contact_damping) + delta * k)
    per_mass = w.slot[g].contact_acceleration > 0.0
    x = 1.0 / (1.0 + a * ti.select(per_mass, 1.0, r))
    scale = ti.select(exists, ti.select(per_mass, contact.inv_response, 1.0), 0.0)
    contact.velocity_multiplier = x * a * scale
    contact.spring = delta * k * x * scale
    contact.impulse_multiplier = 1.0 - x
    if params.tgs:
        contact.impulse_multiplier = 1.0
    contact.error = ti.select(exists, error, 0.0)
    contact.target = 0.0


@ti.func
def prepare_patches(w: ti.template(), g, params):
    """Compute the rows of the friction patches of pair g; call after its normal rows."""
    for k in range(patch_count(w, g)):
        at = patch_at(w, g, k)
        prepare_patch(w, g, at)
        prepare_tangents(w, g, at)
        for i in range(w.patch[at].most_anchors):
            prepare_anchor(w, g, at, i, params)
        if ti.static(not w.bundled):
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
def add_to_patch(w: ti.template(), g, contact: ti.template(), approach, error, exists):
    """Add a contact point, its error and whether it exists, to the sums of its patch."""
    for k in range(patch_count(w, g)):
        mine, patch = is_in_patch(w, contact, k, exists), w.patch[patch_at(w, g, k)]
        patch.points += ti.select(mine, 1.0, broadcast(0.0))
        patch.min_force += ti.select(mine, approach, 0.0)
        patch.deepest = minimum(patch.deepest, ti.select(mine, error, 0.0))


@ti.func
def prepare_patch(w: ti.template(), g, at):
    """Compute the least normal impulse for friction and the radius of torsion of the patch at a place of pair g."""
    patch, least = w.patch[at], broadcast(0.0)
    if ti.static(not w.bundled):
        if w.slot[g].has_link:
            least = patch.min_force * (0.25 / maximum(patch.points, 1.0))
        depth = 0.0 - patch.deepest
        radius = ti.sqrt(maximum(depth, 0.0) * w.slot[g].torsional_radius)
        patch.torsion_radius = maximum(w.slot[g].min_torsional_radius, radius)
    patch.min_force = least


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
    t = select(speed > TANGENT_SPEED, v, other)
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
    apart = anchor_gap(w, g, parted(w, g, arm0, arm1, params.tgs), params.tgs)
    if ti.static(w.features.surfaces):
        if w.slot[g].surfaces:
            apart = anchor_velocity(w, g, at, arm1 + there.start) * -1.0
    cfm = pair_cfm(w, g)
    least = broadcast(0.0)
    if ti.static(not w.bundled):
        if w.slot[g].has_link:
            least = broadcast(MIN_LINK_RESPONSE)
    anchor.acts = ti.select(exists, 1.0, broadcast(0.0))
    for t in ti.static(range(2)):
        along = select(exists, tangent_of(w.patch[at], t), zero_vector())
        jacobian = friction_arms(w, g, Jacobian(along, arm0.cross(along), arm1.cross(along)))
        one, two, r = responses(w, g, jacobian)
        write_friction_row(w, anchor, t, jacobian, one, two)
        multiplier = ti.select(exists & (r > least), params.contact_bias / maximum(r + cfm, 1e-30), 0.0)
        write_friction_scalars(anchor, t, multiplier, apart.dot(along))


@ti.func
def parted(w: ti.template(), g, arm0, arm1, tgs):
    """Return what two anchors of pair g have parted, from their arms [m].

    The order of the operations decides whether anchors that have not parted give 0 or round-off, and round-off makes a
    patch slip that nothing presses. PhysX subtracts arms under TGS, outside articulations and blocks, else points.
    """
    here, there = w.side[w.slot[g].side0].start, w.side[w.slot[g].side1].start
    apart = (arm0 + here) - (arm1 + there)
    if tgs and w.slot[g].has_link == 0:
        apart = select(w.contacts.in_block[g] > 0.0, apart, (arm0 - arm1) + (here - there))
    return apart


@traced
def tangent_of(patch, t):
    """Return direction t of friction of a patch."""
    return getattr(patch, f"tangent{t}")


@traced
def write_friction_row(w, anchor, t, jacobian, one, two):
    """Write the Jacobian and the responses of the row along tangent t; those of free sides are computed again."""
    setattr(anchor, f"jacobian{t}", jacobian)
    if not w.free_sides:
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


@traced
def responses(w, g, jacobian):
    """Return the velocity change of side 0, minus that of side 1, and J M⁻¹ Jᵀ."""
    here = w.response(0) if w.bundled else link_response(w, w.slot[g].side0)
    there = w.response(1) if w.bundled else link_response(w, w.slot[g].side1)
    one, two = here.apply(jacobian.wrench0()), there.apply(jacobian.wrench1())
    return one, two, jacobian.rate(one, two * -1.0)


@ti.func
def pair_cfm(w: ti.template(), g):
    """Return the softness of the rows of pair g: the larger one of its links."""
    cfm = broadcast(0.0)
    if ti.static(not w.bundled):
        if w.slot[g].has_link:
            for i in range(2):
                s = w.slot[g].side(i)
                if w.side[s].node >= 0:
                    cfm = maximum(cfm, w.node[w.side[s].node].cfm)
    return cfm


@ti.func
def kinematic_velocity(w: ti.template(), s, tgs):
    """Return the velocity of the kinematic body at side s; PGS does not see its rotation, as in PhysX."""
    velocity = link_velocity(w, s, 0.0, 0.0)
    if tgs == 0:
        velocity = Motion(zero_vector(), velocity.lin)
    return velocity


@ti.func
def read_kinematic_side(w: ti.template(), g, tgs):
    """Write the velocity of side 1 of pair g if it is kinematic."""
    if ti.static(w.features.kinematics):
        if w.slot[g].owner1 < 0:
            w.side[w.slot[g].side1].v = kinematic_velocity(w, w.slot[g].side1, tgs)
