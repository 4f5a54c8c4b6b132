"""Responses of the rows of a pair: what they change in the velocities of its two bodies, and how soft they are."""

import taichi as ti

from ...lanes import broadcast, maximum, traced
from ...link_sides import link_response


@traced
def responses(w, g, jacobian):
    """Return the velocity change of side 0, minus that of side 1, and J M⁻¹ Jᵀ."""
    one = link_response(w, w.slot[g].side0).apply(jacobian.wrench0())
    two = link_response(w, w.slot[g].side1).apply(jacobian.wrench1())
    return one, two, jacobian.rate(one, two * -1.0)


@ti.func
def pair_cfm(w: ti.template(), g):
    """Return the softness of the rows of pair g: the larger one of its links."""
    cfm = broadcast(0.0)
    if w.slot[g].has_link:
        for i in range(2):
            s = w.slot[g].side(i)
            if w.side[s].node >= 0:
                cfm = maximum(cfm, w.node[w.side[s].node].cfm)
    return cfm * w.param.meters_per_unit[0]
