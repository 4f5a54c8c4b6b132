"""What the parent of every link exerts on it through its joint, by Newton and Euler from the tips to the root.

    F_l = I_l b_l + load_l − outer_l + Σ F of its children seen at l        b as in `acceleration`, load as in `forces`

`outer` is what tendons and joints outside the trees exert on the link. Along an axis of a joint F is the sum of the
efforts of its rows and the user's, less armature q̈; across the axes it is what keeps the joint together.
"""

import taichi as ti

from .articulated_body import own_inertia
from .memory import (
    PARAMETER,
    ROW,
    get,
    get_force,
    get_motion,
    get_vector,
    orientation,
    parameter_quaternion,
    parameter_vector,
    put_spatial,
)
from .rates import put_spatial_rate
from .spatial import Force, no_force
from .world import ARTICULATION_AT, NODE_AT, articulation, node


@ti.func
def seen_from_joint(w: ti.template(), k, f):
    """A wrench about the centre of mass of the link of node k: at the origin of its joint, in the joint's axes."""
    turned = orientation(w, node(w, k, NODE_AT.LINK))
    lever = turned.rotate(parameter_vector(w, PARAMETER.CHILD_ARM, k))
    frame = turned * parameter_quaternion(w, PARAMETER.FRAME1, k)
    return Force(frame.unrotate(f.ang - lever.cross(f.lin)), frame.unrotate(f.lin))


@ti.func
def gather(w: ti.template(), root, end, rates: ti.template(), parted: ti.template()):
    """Write what parents exert on their links, with STASH_V as b: FREE_FORCE if `parted`, else INCOMING_FORCE.

    Overwrites: P of the junctions.
    """
    for k in range(root, end):
        if node(w, k, NODE_AT.JUNCTION) > 0:
            put_spatial(w, k, ROW.P, no_force())
    below = no_force()
    for step in range(end - 1 - root):
        k = end - 1 - step
        wrench = own_inertia(w, k).apply(get_motion(w, k, ROW.STASH_V)) + get_force(w, k, ROW.LOAD) + below
        if node(w, k, NODE_AT.JUNCTION) > 0:
            wrench = wrench + get_force(w, k, ROW.P)
        if node(w, k, NODE_AT.CARRIER) == k:
            link = node(w, k, NODE_AT.LINK)
            if ti.static(parted):
                put_spatial_rate(w, rates, "FREE_FORCE", link, wrench)
            else:
                put_spatial_rate(w, rates, "INCOMING_FORCE", link, seen_from_joint(w, k, wrench))
        parent = node(w, k, NODE_AT.PARENT)
        below = wrench.inward(get_vector(w, k, ROW.D))
        if parent != k - 1:  # along a chain the parent is the next node, and everything stays in registers
            put_spatial(w, parent, ROW.P, get_force(w, parent, ROW.P) + below)
            below = no_force()


@ti.func
def foresee(w: ti.template(), a, rates: ti.template()):
    """Write what joints of articulation a would transmit if no row acted. After `respond`, before rows.

    Overwrites: STASH_V of the nodes.
    """
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    change = get_motion(w, root, ROW.BIAS) + get_motion(w, root, ROW.BIAS2)
    for k in range(root, end):
        if k > root:
            above = get_motion(w, node(w, k, NODE_AT.PARENT), ROW.STASH_V)
            change = above.outward(get_vector(w, k, ROW.D))
            if node(w, k, NODE_AT.DOF) >= 0:
                rate = get(w, k, ROW.RATE) + get(w, k, ROW.PUSHED) - get_force(w, k, ROW.Y).dot(above)
                change = change + get_motion(w, k, ROW.S) * rate
        put_spatial(w, k, ROW.STASH_V, change)
    gather(w, root, end, rates, True)


@ti.func
def transmit(w: ti.template(), a, rates: ti.template()):
    """Write the force and torque of its parent on every link of articulation a. After `accelerate`."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    gather(w, root, end, rates, False)
