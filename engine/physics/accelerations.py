"""Accelerations of joints and links in a step, as PhysX reports them.

    q̈ = (q̇ − q̇_start) / h, q̇_start after `clamp_joint_velocities`;  of a root (V − V_start) / h less that of `momentum`
    a_l = ab_l + b_l,  b_l = b_p seen at l + Σ S_k q̈_k        at the poses of the start of the step

ab are the velocity products of `bias_forces`: a_l is the acceleration of a point, not a spatial one.
"""

import taichi as ti

from .accessors import NODE_ROW, get, get_motion, get_vector, put_spatial, root_velocity
from .step_results import put_result, put_spatial_result
from .world_view import ARTICULATION_AT, NODE_AT, articulation, node


@ti.func
def write_accelerations(w: ti.template(), a, h, results: ti.template()):
    """Write the accelerations of the joints and links of articulation a, before its geometry is updated.

    Overwrites: BRANCH_DELTA_V of the nodes, with b.
    """
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    change = (get_motion(w, root, NODE_ROW.V) - get_motion(w, root, NODE_ROW.U_D_INV) - root_velocity(w, a)) * (1.0 / h)
    for k in range(root, end):
        if k > root:
            change = get_motion(w, node(w, k, NODE_AT.PARENT), NODE_ROW.BRANCH_DELTA_V).outward(
                get_vector(w, k, NODE_ROW.OFFSET)
            )
            dof = node(w, k, NODE_AT.DOF)
            if dof >= 0:
                qdd = (get(w, k, NODE_ROW.QD) - get(w, k, NODE_ROW.START_QD)) * (1.0 / h)
                put_result(w, results, "QDD", dof, qdd)
                change = change + get_motion(w, k, NODE_ROW.SUBSPACE) * qdd
        put_spatial(w, k, NODE_ROW.BRANCH_DELTA_V, change)
        if node(w, k, NODE_AT.LAST) == k:
            link = node(w, k, NODE_AT.LINK)
            put_spatial_result(w, results, "ACCELERATION", link, change + get_motion(w, k, NODE_ROW.BIAS_ACCELERATION))


@ti.func
def write_free_body_acceleration(w: ti.template(), a, change, results: ti.template()):
    """Write the acceleration of free body a, which no joint holds."""
    link = node(w, articulation(w, a, ARTICULATION_AT.ROOT), NODE_AT.LINK)
    put_spatial_result(w, results, "ACCELERATION", link, change)
