"""Fixed tendon: a spring on a weighted sum of joint positions, ℓ = Σ c_j q_j + offset. Articulations seed.

    stretch = f_j (ℓ − rest)/N,   excess = f_j (ℓ − limit)/N beyond a limit,
    rate = f_j/N Σ c_j (a_j · V_j − a_0 · V_p(j))

Every axis is a `strand`. N axes, c_j its gearing and f_j its force coefficient, a_j its row on its link, p(j) the link
above it on the tendon. A strand pulls its link along a_j, and the link where the tendon starts along −a_0: the first
axis stands for all there. All axes see the velocities before the tendon; under PGS its length is that of the step's start.
"""

import taichi as ti

from .lanes import real
from .link_impulse import pair_response, strike, velocity_of
from .memory import (
    PARAMETER,
    ROW,
    STRAND_ROW,
    Item,
    get,
    get_force,
    get_motion,
    get_vector,
    parameter,
    put,
    put_spatial,
    state,
)
from .spatial import no_force
from .strand import excess_of, pull, weigh_strand
from .world import (
    ARTICULATION_AT,
    FIXED_TENDON_AT,
    HEAD_AT,
    KIND,
    NODE_AT,
    TENDON_AXIS_AT,
    articulation,
    fixed_tendon,
    head,
    node,
    tendon_axis,
)


@ti.func
def row_of(w: ti.template(), k, above: ti.template()):
    """Row of the joint of node k on the velocity of the link `above` it, or of its own link."""
    row, s = no_force(), get_motion(w, k, ROW.S)
    if node(w, k, NODE_AT.KIND) == KIND.PRISMATIC:
        row.ang = get_vector(w, k, ROW.ARM0 if ti.static(above) else ROW.ARM1)
        row.lin = s.lin
    else:
        row.ang = s.ang
    return row


@ti.func
def prepare_fixed_tendon(w: ti.template(), t, pace):
    """Strands of fixed tendon t for this step."""
    first, end = fixed_tendon(w, t, FIXED_TENDON_AT.AXIS), fixed_tendon(w, t, FIXED_TENDON_AT.AXIS_END)
    start = fixed_tendon(w, t, FIXED_TENDON_AT.START)
    near = row_of(w, tendon_axis(w, first, TENDON_AXIS_AT.NODE), True)
    put(w, Item(w, "TENDON_AXES", first), STRAND_ROW.LENGTH, length_of(w, t))
    for i in range(first, end):
        strand = Item(w, "TENDON_AXES", i)
        far = row_of(w, tendon_axis(w, i, TENDON_AXIS_AT.NODE), False)
        own = near.copy()
        if tendon_axis(w, i, TENDON_AXIS_AT.AGAINST):
            own = near * -1.0
        put_spatial(w, strand, STRAND_ROW.NEAR, own)
        put_spatial(w, strand, STRAND_ROW.FAR, far)
        r = pair_response(w, start, tendon_axis(w, i, TENDON_AXIS_AT.SIDE), own, far)
        weigh_strand(w, strand, fixed_tendon(w, t, FIXED_TENDON_AT.TENDON), r, pace)


@ti.func
def length_of(w: ti.template(), t):
    """Length of fixed tendon t [m]."""
    length = parameter(w, PARAMETER.TENDON_OFFSET, fixed_tendon(w, t, FIXED_TENDON_AT.TENDON))
    for i in range(fixed_tendon(w, t, FIXED_TENDON_AT.AXIS), fixed_tendon(w, t, FIXED_TENDON_AT.AXIS_END)):
        dof = node(w, tendon_axis(w, i, TENDON_AXIS_AT.NODE), NODE_AT.DOF)
        length += parameter(w, PARAMETER.GEAR, i) * state(w, head(w, HEAD_AT.Q) + dof)
    return length


@ti.func
def rate_of(w: ti.template(), t, push, h):
    """Rate of the length of fixed tendon t as its rows see it [m/s]."""
    first, end = fixed_tendon(w, t, FIXED_TENDON_AT.AXIS), fixed_tendon(w, t, FIXED_TENDON_AT.AXIS_END)
    start = velocity_of(w, fixed_tendon(w, t, FIXED_TENDON_AT.START), push, h)
    rate = real(0.0)
    for i in range(first, end):
        strand, gear = Item(w, "TENDON_AXES", i), parameter(w, PARAMETER.GEAR, i)
        own = velocity_of(w, tendon_axis(w, i, TENDON_AXIS_AT.SIDE), push, h)
        put_spatial(w, strand, STRAND_ROW.V, own)
        above, previous = start.copy(), tendon_axis(w, i, TENDON_AXIS_AT.PREVIOUS)
        if previous >= 0:
            above = get_motion(w, Item(w, "TENDON_AXES", previous), STRAND_ROW.V)
        near, far = get_force(w, strand, STRAND_ROW.NEAR), get_force(w, strand, STRAND_ROW.FAR)
        rate += gear * (far.dot(own) - near.dot(above))
    return rate


@ti.func
def fixed_tendons(w: ti.template(), a, push, pace):
    """One iteration of all fixed tendons of an articulation; `push` [s]: see `link_impulse`."""
    last = articulation(w, a, ARTICULATION_AT.FIXED_TENDON_END)
    for t in range(articulation(w, a, ARTICULATION_AT.FIXED_TENDON), last):
        first, end = fixed_tendon(w, t, FIXED_TENDON_AT.AXIS), fixed_tendon(w, t, FIXED_TENDON_AT.AXIS_END)
        length, rate = get(w, Item(w, "TENDON_AXES", first), STRAND_ROW.LENGTH), rate_of(w, t, push, pace.h)
        if pace.tgs:
            length = length_of(w, t)
        bounds = fixed_tendon(w, t, FIXED_TENDON_AT.STRAND)
        share = 1.0 / (end - first)
        stretch = (length - parameter(w, PARAMETER.REST_LENGTH, bounds)) * share
        excess = excess_of(w, bounds, length) * share
        reaction = no_force()
        for i in range(first, end):
            strand, force = Item(w, "TENDON_AXES", i), parameter(w, PARAMETER.FORCE_COEFFICIENT, i)
            change = pull(w, strand, rate * share * force, stretch * force, excess * force)
            strike(w, tendon_axis(w, i, TENDON_AXIS_AT.SIDE), get_force(w, strand, STRAND_ROW.FAR) * change)
            reaction = reaction - get_force(w, strand, STRAND_ROW.NEAR) * change
        strike(w, fixed_tendon(w, t, FIXED_TENDON_AT.START), reaction)
