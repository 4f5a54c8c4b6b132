"""One pass over the rows of a pair: normal rows point by point, then friction within the friction cone of each patch.

    normal:   λ ← max(0, λ + (min(MAX_DEPENETRATION, rate · sep) + v_T − J v) / (r + cfm)), at most CONTACT_MAX_IMPULSE,
              sep = error + J moved − v_T t;  velocity iterations correct no penetration: sep ≥ 0
    friction: N = max(Σ λ, least),  f ← f − m (J v + (error + J moved) / δ);
              beyond μ_s N s the patch slips and f becomes μ_d N s;
              in a block of four pairs, rows after one that slips are bounded by μ_d N s, too, and TGS adds 1e-5 to
              μ_s N s
    TGS: both tangents of an anchor together, the error also in velocity iterations
    PGS: each tangent alone, the error in position iterations; outside the sweeps only in the last three of these

`moved` is the motion of the two bodies since the start of the step, and the error of a tangent what the anchors of the
two bodies have parted. Rows of a pair see each other through its two bodies alone.
"""

import taichi as ti

from ...lanes import Struct, broadcast, clamp, materialize, maximum, minimum, traced
from ...link_sides import side_displacement
from ...spatial import Force, Motion, no_motion, zero_vector
from ..patches import is_in_patch, patch_at, patch_count
from .contact_rows import kinematic_velocity
from .surface_velocity import closing_rate, parting_rate

FRICTION_ITERATIONS = 3
BLOCK_SLACK = 1e-5
"""Impulse that sticks in a block under TGS even where nothing presses [kg · stage units/s]."""


@ti.func
def solve_static_pair(w: ti.template(), g, lanes, velocity, iteration):
    """Solve every row of pair g of a link with something static once in these lanes; return the impulse on the link.

    `velocity` is that of the link.
    """
    v0, moved0 = velocity.copy(), no_motion()
    if iteration.tgs:
        moved0 = side_motion(w, w.slot[g].side0)
    state = static_sides(w, g, v0, moved0, iteration)
    for k in range(patch_count(w, g)):
        total = solve_normals(w, g, k, lanes, state, iteration)
        solve_friction(w, g, k, lanes, state, total, iteration, lanes * 0.0)
    return Force(state.ang0, state.lin)


@traced
def static_sides(w, g, v0, moved0, iteration):
    """Return the sides of pair g of a link with something static, which may be a kinematic body."""
    if not w.features.kinematics:
        return OneSide(v0, moved0)
    side1 = w.slot[g].side1
    return TwoSides(v0, moved0, kinematic_velocity(w, side1, iteration.tgs), side_motion(w, side1))


@ti.func
def solve_pair(w: ti.template(), g, lanes, iteration):
    """Solve every row of pair g once in these lanes, from the velocities V of its sides.

    Returns the impulses on side 0 and on side 1.
    """
    side0, side1 = w.slot[g].side0, w.slot[g].side1
    v0, v1 = w.side[side0].v, w.side[side1].v
    moved0, moved1 = no_motion(), no_motion()
    if iteration.tgs:
        moved0 = side_motion(w, side0)
        moved1 = side_motion(w, side1)
    state = TwoSides(v0, moved0, v1, moved1)
    solve_rows(w, g, lanes, state, iteration)
    return Force(state.ang0, state.lin), Force(state.ang1, state.lin) * -1.0


@ti.func
def solve_bundled_pairs(w: ti.template(), iteration):
    """Solve every row of the pairs of a bundle once; write the impulses on their sides."""
    v0, v1, moved0, moved1 = no_motion(), no_motion(), no_motion(), no_motion()
    if ti.static(not w.free_sides):
        v0, v1 = w.own.v0, w.own.v1
        if iteration.tgs:
            moved0, moved1 = w.own.moved0, w.own.moved1
    else:
        w.recall_responses()
        v0, v1 = w.velocity(0, iteration.substep_time), w.velocity(1, iteration.substep_time)
        if iteration.tgs:
            moved0, moved1 = w.displacement(0), w.displacement(1)
    state = TwoSides(v0, moved0, v1, moved1)
    solve_rows(w, 0, broadcast(1.0), state, iteration)
    w.own.impulse0 = Force(state.ang0, state.lin)
    w.own.impulse1 = Force(state.ang1, state.lin) * -1.0


@ti.func
def solve_rows(w: ti.template(), g, lanes, state: ti.template(), iteration):
    """Solve every row of pair g once in these lanes, from the velocities and motions of its two sides."""
    rubs = iteration.tgs or iteration.corrects_position == 0
    for k in range(patch_count(w, g)):
        total = solve_normals(w, g, k, lanes, state, iteration)
        if rubs or iteration.positions_left <= FRICTION_ITERATIONS:
            solve_friction(w, g, k, lanes, state, total, iteration, w.contacts.in_block[g])


@ti.func
def solve_normals(w: ti.template(), g, k, lanes, state: ti.template(), iteration):
    """Solve the normal rows of patch k of pair g; return the sum of their impulses."""
    total, pair = lanes * 0.0, w.slot[g]
    most = w.slot[g].max_depenetration
    elapsed = iteration.elapsed
    if iteration.corrects_position == 0:
        elapsed = iteration.h
    for i in range(pair.contact, pair.contact + w.slot[g].most_points):
        contact = w.contact[i]
        jacobian, error, target, before = contact.jacobian, contact.error, contact.target, contact.impulse
        v = state.rate(jacobian)
        if iteration.tgs:
            error += state.motion(jacobian) - target * elapsed
        if iteration.corrects_position == 0 and (iteration.tgs or pair.compliant == 0):
            error = maximum(error, 0.0)
        after = before + (minimum(most, contact.bias_rate * error) - (v - target)) * contact.inv_response
        after = maximum(after, 0.0)
        if ti.static(not w.bundled):
            if pair.compliant:
                change = maximum(0.0 - contact.spring * error - contact.velocity_multiplier * v, 0.0 - before)
                after = contact.impulse_multiplier * before + change
        if ti.static(w.features.impulse_limits):
            after = minimum(after, w.slot[g].contact_max_impulse)
        change = ti.select(is_in_patch(w, contact, k, lanes > 0.0), after - before, 0.0)
        contact.impulse = before + change
        total += share_of_patch(w, contact, k, before + change)
        one, two = normal_responses(w, i, jacobian)
        state.push(jacobian, one, two, change)
    return total


@traced
def normal_responses(w, i, jacobian):
    """Return the responses of both sides to the row of contact point i."""
    if w.free_sides:
        return free_responses(w, jacobian)
    item = w.point_responses(i) if w.bundled else w.contact[i]
    return item.response0, item.response1


@traced
def free_responses(w, jacobian):
    """Return the responses of both sides to a row, of pairs of a bundle whose bodies are free or do not move."""
    return w.response(0).apply(jacobian.wrench0()), w.response(1).apply(jacobian.wrench1())


@traced
def share_of_patch(w, contact, k, impulse):
    """Return the impulse of a contact point if it is in patch k, else 0."""
    return ti.select(contact.patch == 1.0 * k, impulse, 0.0) if w.features.meshes else impulse


class FrictionBounds(Struct):
    """Friction up to which an anchor sticks and with which it slips [N·s].

    `slipped` is 1 where a row of the patch before it slipped, `in_block` where the pair is solved in a block.
    """

    parts = ("static_bound", "dynamic_bound", "slipped", "in_block")


@ti.func
def solve_friction(w: ti.template(), g, k, lanes, state: ti.template(), total, iteration, in_block):
    """Solve the friction rows of patch k of pair g at the normal impulse of its points."""
    pair, at = w.slot[g], patch_at(w, g, k)
    patch = w.patch[at]
    force = maximum(total, patch.min_force)
    static_bound = w.slot[g].contact_static_friction * force * patch.share
    dynamic_bound = w.slot[g].contact_dynamic_friction * force * patch.share
    slipped = lanes * 0.0
    for i in range(w.patch[at].most_anchors):
        bounds = FrictionBounds(static_bound, dynamic_bound, slipped, in_block)
        if iteration.tgs:
            slipped = solve_anchor_together(w, g, 2 * at + i, lanes, state, bounds, iteration)
        else:
            slipped = solve_anchor_apart(w, g, 2 * at + i, lanes, state, bounds, iteration)
    if ti.static(not w.bundled):
        if iteration.tgs and pair.twists:
            bounds = FrictionBounds(static_bound, dynamic_bound, slipped, in_block)
            slipped = solve_torsion(w, at, lanes, state, bounds)
    w.contacts.slipped[at] = ti.select(lanes > 0.0, slipped, w.contacts.slipped[at])


@ti.func
def solve_torsion(w: ti.template(), at, lanes, state: ti.template(), bounds):
    """Solve the torsional friction of the patch at a place; return 1 where it slips or a row before it did."""
    patch = w.patch[at]
    radius, row = patch.torsion_radius, patch.torsion
    before = patch.torsion_impulse
    wanted = before - patch.torsion_multiplier * state.rate(row)
    static_twist = bounds.static_bound * radius / patch.share
    dynamic_twist = bounds.dynamic_bound * radius / patch.share
    slips = maximum(wanted, 0.0 - wanted) > static_twist
    wanted = ti.select(slips, clamp(wanted, 0.0 - dynamic_twist, dynamic_twist), wanted)
    change = ti.select(lanes > 0.0, wanted - before, 0.0)
    patch.torsion_impulse = before + change
    state.push(row, patch.torsion_response0, patch.torsion_response1, change)
    return maximum(bounds.slipped, ti.select(slips & (patch.torsion_multiplier > 0.0), 1.0, 0.0))


@ti.func
def solve_anchor_together(w: ti.template(), g, item, lanes, state: ti.template(), bounds, iteration):
    """Solve both tangents of an anchor within the friction cone; return 1 where it slips or a row before it did."""
    anchor = w.anchor[item]
    row0, row1 = anchor.jacobian0, anchor.jacobian1
    before0, before1 = anchor.impulse0, anchor.impulse1
    rate0 = closing_rate(w, g, anchor.error0, state.motion(row0), iteration)
    rate1 = closing_rate(w, g, anchor.error1, state.motion(row1), iteration)
    f0 = before0 - anchor.multiplier0 * (state.rate(row0) + rate0)
    f1 = before1 - anchor.multiplier1 * (state.rate(row1) + rate1)
    size = ti.sqrt(f0 * f0 + f1 * f1)
    sticks = bounds.static_bound + bounds.in_block * BLOCK_SLACK
    slips = (size > sticks) & (anchor.acts > 0.0)
    goes_on = bounds.slipped * bounds.in_block > 0.0
    scale = ti.select(slips | goes_on, minimum(bounds.dynamic_bound, size) / maximum(size, 1e-30), 1.0)
    change0 = ti.select(lanes > 0.0, scale * f0 - before0, 0.0)
    change1 = ti.select(lanes > 0.0, scale * f1 - before1, 0.0)
    anchor.impulse0 = before0 + change0
    anchor.impulse1 = before1 + change1
    one, two = friction_responses(w, item, 0, row0)
    state.push(row0, one, two, change0)
    one, two = friction_responses(w, item, 1, row1)
    state.push(row1, one, two, change1)
    return ti.select(slips, 1.0, bounds.slipped)


@ti.func
def solve_anchor_apart(w: ti.template(), g, item, lanes, state: ti.template(), bounds, iteration):
    """Solve the tangents of an anchor one after the other; return 1 where one slips or a row before it did."""
    anchor, slip, slipped = w.anchor[item], bounds.dynamic_bound, bounds.slipped
    for t in ti.static(range(2)):
        row, before, error, multiplier = friction_row(anchor, t)
        wanted = before - multiplier * (state.rate(row) + parting_rate(w, g, error, iteration))
        slips = (maximum(wanted, 0.0 - wanted) > bounds.static_bound) & (anchor.acts > 0.0)
        wanted = ti.select(slips | (slipped * bounds.in_block > 0.0), clamp(wanted, 0.0 - slip, slip), wanted)
        change = ti.select(lanes > 0.0, wanted - before, 0.0)
        write_impulse(anchor, t, before + change)
        one, two = friction_responses(w, item, t, row)
        state.push(row, one, two, change)
        slipped = ti.select(slips, 1.0, slipped)
    return slipped


@traced
def friction_row(anchor, t):
    """Return Jacobian, impulse, error and multiplier of the row along tangent t, in variables of their own."""
    row = getattr(anchor, f"jacobian{t}")
    row.load()
    return (row, *(materialize(anchor[f"{name}{t}"]) for name in ("impulse", "error", "multiplier")))


@traced
def friction_responses(w, item, t, row):
    """Return the responses of both sides to the row of an anchor along tangent t."""
    if w.free_sides:
        return free_responses(w, row)
    held = w.anchor_responses(item) if w.bundled else w.anchor[item]
    return getattr(held, f"response{t}0"), getattr(held, f"response{t}1")


@traced
def write_impulse(anchor, t, impulse):
    """Write the impulse of the row along tangent t."""
    setattr(anchor, f"impulse{t}", impulse)


@ti.func
def side_motion(w: ti.template(), s):
    """Return the motion of the body at side s since the start of the step: rotation and displacement."""
    moved = no_motion()
    k = w.side[s].node
    if k >= 0:
        moved = Motion(w.node[k].delta_rotation, side_displacement(w, s))
    return moved


class OneSide:
    """Velocity, motion and impulse of side 0 while the rows of a pair are solved; side 1 is static."""

    _data_oriented = _is_wrapped_kernel = True

    def __init__(self, v0, moved0):
        self.v0, self.moved0 = v0, moved0
        self.lin, self.ang0 = zero_vector(), zero_vector()

    @traced
    def rate(self, row):
        """Return J v."""
        return row.lin.dot(self.v0.lin) + row.ang0.dot(self.v0.ang)

    @traced
    def motion(self, row):
        """Return J times the motion since the start of the step."""
        return row.lin.dot(self.moved0.lin) + row.ang0.dot(self.moved0.ang)

    @traced
    def push(self, row, response0, response1, impulse):
        """Apply an impulse of a row."""
        del response1
        self.v0._assign(self.v0 + response0 * impulse)
        self.lin._assign(self.lin + row.lin * impulse)
        self.ang0._assign(self.ang0 + row.ang0 * impulse)


class TwoSides(OneSide):
    """Velocities, motions and impulses of both sides while the rows of a pair are solved."""

    def __init__(self, v0, moved0, v1, moved1):
        super().__init__(v0, moved0)
        self.v1, self.moved1, self.ang1 = v1, moved1, zero_vector()

    @traced
    def rate(self, row):
        """Return J v."""
        return row.rate(self.v0, self.v1)

    @traced
    def motion(self, row):
        """Return J times the motion since the start of the step."""
        return row.rate(self.moved0, self.moved1)

    @traced
    def push(self, row, response0, response1, impulse):
        """Apply an impulse of a row."""
        super().push(row, response0, None, impulse)
        self.v1._assign(self.v1 - response1 * impulse)
        self.ang1._assign(self.ang1 + row.ang1 * impulse)
