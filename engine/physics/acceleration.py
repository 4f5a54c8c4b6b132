"""What a step did to joints and links, as PhysX reports it.

    q̈ = (q̇ − q̇_start) / h, q̇_start as `slow_down` leaves it;  of a root (V − V_start) / h, without `momentum`'s part
    a_l = ab_l + b_l,  b_l = b_p seen at l + Σ S_k q̈_k        where the links were at the start of the step

ab is the part that comes from velocity products (`forces`), so this is the acceleration of a point, not a spatial one.
"""

import taichi as ti

from .memory import ROW, get, get_motion, get_vector, put_spatial, root_velocity
from .rates import put_rate, put_spatial_rate
from .world import ARTICULATION_AT, NODE_AT, articulation, node


@ti.func
def accelerate(w: ti.template(), a, h, rates: ti.template()):
    """Write what the step did to the joints and links of articulation a. Before its geometry and speeds are renewed.

    Overwrites: STASH_V of the nodes, with b.
    """
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    change = (get_motion(w, root, ROW.V) - get_motion(w, root, ROW.Y) - root_velocity(w, a)) * (1.0 / h)
    for k in range(root, end):
        if k > root:
            change = get_motion(w, node(w, k, NODE_AT.PARENT), ROW.STASH_V).outward(get_vector(w, k, ROW.D))
            dof = node(w, k, NODE_AT.DOF)
            if dof >= 0:
                qdd = (get(w, k, ROW.V0) - get(w, k, ROW.QD0)) * (1.0 / h)
                put_rate(w, rates, "QDD", dof, qdd)
                change = change + get_motion(w, k, ROW.S) * qdd
        put_spatial(w, k, ROW.STASH_V, change)
        if node(w, k, NODE_AT.CARRIER) == k:
            link = node(w, k, NODE_AT.LINK)
            put_spatial_rate(w, rates, "ACCELERATION", link, change + get_motion(w, k, ROW.AB))


@ti.func
def accelerate_body(w: ti.template(), a, change, rates: ti.template()):
    """Write the acceleration of free body a that no joint holds."""
    link = node(w, articulation(w, a, ARTICULATION_AT.ROOT), NODE_AT.LINK)
    put_spatial_rate(w, rates, "ACCELERATION", link, change)
