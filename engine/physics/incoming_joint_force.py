"""Force and torque of the parent on every link through its joint, by Newton and Euler from the tips to the root.

"Articulations", guide of the PhysX SDK, section "Articulation Link Sensors"; PhysX 5 reports it as
eLINK_INCOMING_JOINT_FORCE.

    F_l = I_l b_l + load_l − external_l + Σ F of its children seen at l   b: `accelerations`, load: `bias_forces`

`external` is the wrench of tendons and maximal joints on the link. Along an axis of a joint F is the sum of the efforts
of its rows and the user effort, less armature q̈; across the axes it is the reaction of the joint.
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    PARAMETER,
    get,
    get_force,
    get_motion,
    get_vector,
    orientation,
    parameter_quaternion,
    parameter_vector,
    put_spatial,
)
from .articulated_body import link_inertia
from .spatial import Force, no_force
from .step_results import put_spatial_result
from .world_view import ARTICULATION_AT, NODE_AT, articulation, node


@ti.func
def to_joint_frame(w: ti.template(), k, f):
    """Return a wrench about the centre of mass of the link of node k at the origin and in the axes of its joint."""
    turned = orientation(w, node(w, k, NODE_AT.LINK))
    lever = turned.rotate(parameter_vector(w, PARAMETER.CHILD_ARM, k))
    frame = turned * parameter_quaternion(w, PARAMETER.FRAME1, k)
    return Force(frame.unrotate(f.ang - lever.cross(f.lin)), frame.unrotate(f.lin))


@ti.func
def accumulate_joint_wrenches(w: ti.template(), root, end, results: ti.template(), splits_forces: ti.template()):
    """Write the wrenches of parents on their links, with BRANCH_DELTA_V as b.

    `splits_forces`: write FREE_FORCE, the wrench without rows, instead of INCOMING_FORCE.
    Overwrites: IMPULSE of the nodes with several children.
    """
    for k in range(root, end):
        if node(w, k, NODE_AT.STORES_RESPONSE) > 0:
            put_spatial(w, k, NODE_ROW.IMPULSE, no_force())
    below = no_force()
    for step in range(end - 1 - root):
        k = end - 1 - step
        wrench = (
            link_inertia(w, k).apply(get_motion(w, k, NODE_ROW.BRANCH_DELTA_V))
            + get_force(w, k, NODE_ROW.TOTAL_BIAS)
            + below
        )
        if node(w, k, NODE_AT.STORES_RESPONSE) > 0:
            wrench = wrench + get_force(w, k, NODE_ROW.IMPULSE)
        if node(w, k, NODE_AT.LAST) == k:
            link = node(w, k, NODE_AT.LINK)
            if ti.static(splits_forces):
                put_spatial_result(w, results, "FREE_FORCE", link, wrench)
            else:
                put_spatial_result(w, results, "INCOMING_FORCE", link, to_joint_frame(w, k, wrench))
        parent = node(w, k, NODE_AT.PARENT)
        below = wrench.inward(get_vector(w, k, NODE_ROW.OFFSET))
        if parent != k - 1:  # along a chain the parent is the next node, and everything stays in registers
            put_spatial(w, parent, NODE_ROW.IMPULSE, get_force(w, parent, NODE_ROW.IMPULSE) + below)
            below = no_force()


@ti.func
def write_unconstrained_joint_forces(w: ti.template(), a, results: ti.template()):
    """Write the wrenches that joints of articulation a would transmit without rows.

    Must be called between `compute_responses` and the rows. Overwrites: BRANCH_DELTA_V of the nodes.
    """
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    change = get_motion(w, root, NODE_ROW.IMMEDIATE_BIAS) + get_motion(w, root, NODE_ROW.SUBSTEP_BIAS)
    for k in range(root, end):
        if k > root:
            above = get_motion(w, node(w, k, NODE_AT.PARENT), NODE_ROW.BRANCH_DELTA_V)
            change = above.outward(get_vector(w, k, NODE_ROW.OFFSET))
            if node(w, k, NODE_AT.DOF) >= 0:
                rate = (
                    get(w, k, NODE_ROW.QDD_IMMEDIATE)
                    + get(w, k, NODE_ROW.QDD_SUBSTEP_LOCAL)
                    - get_force(w, k, NODE_ROW.U_D_INV).dot(above)
                )
                change = change + get_motion(w, k, NODE_ROW.SUBSPACE) * rate
        put_spatial(w, k, NODE_ROW.BRANCH_DELTA_V, change)
    accumulate_joint_wrenches(w, root, end, results, True)


@ti.func
def write_incoming_joint_forces(w: ti.template(), a, results: ti.template()):
    """Write force and torque of the parent on every link of articulation a. Must follow `write_accelerations`."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    accumulate_joint_wrenches(w, root, end, results, False)
