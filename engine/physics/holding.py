"""What holds each joint: the efforts of its rows in a step, each the sum of the row's impulses over the step's length.

Drive and user effort are in the state, since drives go on from them.
"""

import taichi as ti

from .lanes import real
from .memory import ROW, get
from .rates import put_rate
from .world import ARTICULATION_AT, NODE_AT, articulation, node


@ti.func
def hold(w: ti.template(), a, h, rates: ti.template()):
    """Write the efforts on the joints of articulation a but for drives' and users'. After `outer_force.exert`."""
    root, end = articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)
    mimics = articulation(w, a, ARTICULATION_AT.MIMIC_END) - articulation(w, a, ARTICULATION_AT.MIMIC)
    for k in range(root + 1, end):
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            limit, friction, brake, press = real(0.0), real(0.0), real(0.0), real(0.0)
            if node(w, k, NODE_AT.LIMITED) > 0:
                limit = get(w, k, ROW.LOW) + get(w, k, ROW.HIGH)
            if node(w, k, NODE_AT.FRICTION) > 0:
                friction = get(w, k, ROW.FRICTION)
            if node(w, k, NODE_AT.SPEED_LIMITED) > 0:
                brake = get(w, k, ROW.BRAKE)
            if mimics > 0:
                press = get(w, k, ROW.PRESS)
            put_rate(w, rates, "LIMIT_EFFORT", dof, limit * (1.0 / h))
            put_rate(w, rates, "FRICTION_EFFORT", dof, friction * (1.0 / h))
            put_rate(w, rates, "SPEED_LIMIT_EFFORT", dof, brake * (1.0 / h))
            put_rate(w, rates, "MIMIC_EFFORT", dof, press * (1.0 / h))
            if ti.static(w.parts.tendons):
                put_rate(w, rates, "TENDON_EFFORT", dof, get(w, k, ROW.TENDON_EFFORT))
            if ti.static(w.parts.joints):
                put_rate(w, rates, "JOINT_EFFORT", dof, get(w, k, ROW.JOINT_EFFORT))
