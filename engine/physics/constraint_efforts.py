"""Efforts of the rows of each joint in a step: the sum of the impulses of a row divided by the length of the step.

The effort of drive and user is in the state, since drives continue from it.
"""

import taichi as ti

from .accessors import NODE_ROW, get
from .lanes import broadcast
from .step_results import put_result
from .world_view import ARTICULATION_AT, NODE_AT, articulation, node


@ti.func
def write_constraint_efforts(w: ti.template(), a, h, results: ti.template()):
    """Write the efforts on the joints of articulation a, except those of drive and user.

    Must follow `write_external_reactions`.
    """
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    mimics = articulation(w, a, ARTICULATION_AT.MIMIC_END) - articulation(w, a, ARTICULATION_AT.MIMIC)
    for k in range(root + 1, end):
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            limit, friction, velocity, mimic = broadcast(0.0), broadcast(0.0), broadcast(0.0), broadcast(0.0)
            if node(w, k, NODE_AT.LIMITED) > 0:
                limit = get(w, k, NODE_ROW.LOWER_IMPULSE) + get(w, k, NODE_ROW.UPPER_IMPULSE)
            if node(w, k, NODE_AT.FRICTION) > 0:
                friction = get(w, k, NODE_ROW.FRICTION_IMPULSE)
            if node(w, k, NODE_AT.VELOCITY_LIMITED) > 0:
                velocity = get(w, k, NODE_ROW.VELOCITY_LIMIT_IMPULSE)
            if mimics > 0:
                mimic = get(w, k, NODE_ROW.MIMIC_IMPULSE)
            put_result(w, results, "LIMIT_EFFORT", dof, limit * (1.0 / h))
            put_result(w, results, "FRICTION_EFFORT", dof, friction * (1.0 / h))
            put_result(w, results, "VELOCITY_LIMIT_EFFORT", dof, velocity * (1.0 / h))
            put_result(w, results, "MIMIC_EFFORT", dof, mimic * (1.0 / h))
            if ti.static(w.features.tendons):
                put_result(w, results, "TENDON_EFFORT", dof, get(w, k, NODE_ROW.TENDON_EFFORT))
            if ti.static(w.features.joints):
                put_result(w, results, "MAXIMAL_JOINT_EFFORT", dof, get(w, k, NODE_ROW.MAXIMAL_JOINT_EFFORT))
