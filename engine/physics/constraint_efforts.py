"""What holds each joint: the efforts of its rows in a step, each the sum of the row's impulses over the step's length.

Drive and user effort are in the state, since drives go on from them.
"""

import taichi as ti

from .accessors import NODE_ROW, get
from .lanes import broadcast
from .step_results import put_result
from .world_view import ARTICULATION_AT, NODE_AT, articulation, node


@ti.func
def write_constraint_efforts(w: ti.template(), a, h, rates: ti.template()):
    """Write the efforts on the joints of articulation a but for drive and user. After `write_external_reactions`."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    mimics = articulation(w, a, ARTICULATION_AT.MIMIC_END) - articulation(w, a, ARTICULATION_AT.MIMIC)
    for k in range(root + 1, end):
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            limit, friction, brake, press = broadcast(0.0), broadcast(0.0), broadcast(0.0), broadcast(0.0)
            if node(w, k, NODE_AT.LIMITED) > 0:
                limit = get(w, k, NODE_ROW.LOWER_IMPULSE) + get(w, k, NODE_ROW.UPPER_IMPULSE)
            if node(w, k, NODE_AT.FRICTION) > 0:
                friction = get(w, k, NODE_ROW.FRICTION_IMPULSE)
            if node(w, k, NODE_AT.VELOCITY_LIMITED) > 0:
                brake = get(w, k, NODE_ROW.VELOCITY_LIMIT_IMPULSE)
            if mimics > 0:
                press = get(w, k, NODE_ROW.MIMIC_IMPULSE)
            put_result(w, rates, "LIMIT_EFFORT", dof, limit * (1.0 / h))
            put_result(w, rates, "FRICTION_EFFORT", dof, friction * (1.0 / h))
            put_result(w, rates, "VELOCITY_LIMIT_EFFORT", dof, brake * (1.0 / h))
            put_result(w, rates, "MIMIC_EFFORT", dof, press * (1.0 / h))
            if ti.static(w.features.tendons):
                put_result(w, rates, "TENDON_EFFORT", dof, get(w, k, NODE_ROW.TENDON_EFFORT))
            if ti.static(w.features.joints):
                put_result(w, rates, "MAXIMAL_JOINT_EFFORT", dof, get(w, k, NODE_ROW.MAXIMAL_JOINT_EFFORT))
