"""Rows of a pair at the start of a step: a normal row per contact point, then those of its friction patches.

    normal:   J = (N, (p − x0) × N, (p − x1) × N),  r = J M⁻¹ Jᵀ of the two bodies alone,  1 / (r + cfm)
    error:    separation less rest distance;  a bounce instead where e > 0, −v > threshold and −v h > error:
              v_T = −e v, and under TGS the error that reaches it at its moment
    rate:     −1/δ apart, −α/δ in penetration, α = min(0.8, 2/√n) under TGS and 0.8 under PGS, at most MAX_DEPENETRATION

`surface_velocity` adds to v_T, and `contact_slop` shortens arms.

v is the velocity along N at the start of the step, with the forces that act at once.
"""

import taichi as ti

from ...lanes import broadcast, maximum, minimum, traced
from ...link_sides import link_pose, link_velocity
from ...row_jacobian import Jacobian
from ...spatial import no_force, select, zero_vector
from ...stored import first_lane
from .contact_slop import normal_arms
from .kinematic import read_kinematic_side
from .patch_rows import add_to_patch, clear_sums, prepare_patches
from .row_responses import pair_cfm, responses
from .surface_velocity import wanted_velocity


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
    for i in range(pair.contact, pair.contact + first_lane(w.slot[g].most_points)):
        exists = count > 1.0 * (i - pair.contact)
        contact = w.contact[i]
        n, p = contact.normal, contact.point
        whole = pair_row(w, g, select(exists, n, zero_vector()), select(exists, p, zero_vector()))
        jacobian = whole.copy()
        if ti.static(w.features.slops):
            jacobian = normal_arms(w, g, whole, (v0, v1), params.tgs)
        one, two, r = responses(w, g, jacobian)
        error = contact.separation - w.param.rest_distance[w.slot[g].pair]
        inverse = ti.select(exists & (r > 0.0), 1.0 / maximum(r + cfm, 1e-30), 0.0)
        v = whole.rate(v0, v1)
        if ti.static(w.features.slops):
            if params.tgs == 0:
                v = jacobian.rate(v0, v1)
        e = w.param.contact_restitution[w.slot[g].pair]
        bounces = (e > 0.0) & (0.0 - v > w.param.contact_bounce_threshold[0]) & (0.0 - v * params.h > error)
        target = ti.select(bounces, 0.0 - e * v, 0.0)
        bounce = target + 0.0
        if ti.static(w.features.surfaces):
            if w.slot[g].surfaces:
                target += n.dot(wanted_velocity(w, g, p))
        approach = (target - error * (1.0 / params.h) - v) * inverse
        if params.tgs == 0:
            approach = (bounce - v - maximum(error, 0.0) * (1.0 / params.h)) * inverse
        if ti.static(w.features.meshes):
            add_to_patch(w, g, contact, maximum(approach, 0.0), (error, exists))
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
        contact.response0 = one
        contact.response1 = two
        contact.inv_response = inverse
        contact.impulse = 0.0
        if pair.compliant:
            prepare_spring(w, g, i, (r, v, exists), params)
    if ti.static(not w.features.meshes):
        patch = w.patch[g]
        patch.points = count
        patch.min_force = total
        patch.deepest = most


@ti.func
def prepare_spring(w: ti.template(), g, i, row, params):
    """Compute the coefficients of a compliant contact point: an implicit spring instead of a hard row.

    x = 1/(1 + a r), or 1/(1 + a) and impulses / r per mass;  a = δ (d' + δ k);  d' is 0 apart and slow, else d
    """
    r, v, exists = row
    contact, delta = w.contact[i], params.delta
    error, k = contact.separation - w.param.rest_distance[w.slot[g].pair], w.param.contact_stiffness[w.slot[g].pair]
    loose = (error > 0.0) & (0.0 - v * params.h <= error)
    a = delta * (ti.select(loose, 0.0, w.param.contact_damping[w.slot[g].pair]) + delta * k)
    per_mass = w.param.contact_acceleration[w.slot[g].pair] > 0.0
    x = 1.0 / (1.0 + a * ti.select(per_mass, 1.0, r))
    scale = ti.select(exists, ti.select(per_mass, contact.inv_response, 1.0), 0.0)
    contact.velocity_multiplier = x * a * scale
    contact.spring = delta * k * x * scale
    contact.impulse_multiplier = 1.0 - x
    if params.tgs:
        contact.impulse_multiplier = 1.0
    contact.error = ti.select(exists, error, 0.0)
    contact.target = 0.0
