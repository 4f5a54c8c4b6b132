"""Displacement of prismatic joints within a step under TGS, with axis and arms frozen as in PhysX.

    Δx = T_p (d + s Σ q̇ δ) − d        displacement of the child's centre of mass from the parent's, T_p its turn
    Δq = s · Δx + arm1 · Δθ − arm0 · Δθ_p

The turn T of a link since the start of the step and the sum Δθ of its angular velocities follow from the joints above,
with their axes s at the start of the step, so that no pose of a substep is needed. Only the joints that carry a
prismatic joint are looked at:

    T = T_p exp(s Δq),   Δθ = Δθ_p + s Σ q̇ δ, and h a_b t for the velocity products, t the time since the step began
"""

import taichi as ti

from .lanes import broadcast
from .rotation import Quat, from_rotation_vector, from_small_turn
from .spatial import zero_vector
from .tree import stores_response
from .views import KIND


@ti.func
def no_turn():
    """Return the rotation by 0."""
    return Quat(zero_vector(), broadcast(1.0))


@ti.func
def clear_displacement(w: ti.template(), k):
    """Clear the displacement of node k at the start of a step."""
    node = w.node[k]
    node.delta_q = 0.0
    node.slide = 0.0
    node.delta_rotation = zero_vector()
    if node.kind == KIND.SPHERICAL:
        node.turn = no_turn()


@ti.func
def root_turn(w: ti.template(), root):
    """Return turn and sum of angular velocities of the root since the start of the step."""
    angle = zero_vector()
    turn = no_turn()
    if ti.static(w.features.floats):
        if w.node[root].kind == KIND.FLOATING_ROOT:
            start = w.node[root].start_orientation
            turn = w.state.orientation[w.node[root].link] * start.conjugate()
            angle = w.node[root].delta_rotation
    return turn, angle


@ti.func
def turn_outward(w: ti.template(), k, turn, angle, params):
    """Return turn and sum of angular velocities of the link of node k from those of its parent."""
    node = w.node[k]
    s = node.subspace.ang
    if node.kind == KIND.SPHERICAL:
        if node.last == k:
            rotation = (node.v.ang + node.bias_acceleration.ang * params.h) * params.delta
            turn = (from_rotation_vector(rotation) * node.turn).normalized()
        angle = angle + s * node.slide
    elif node.kind == KIND.REVOLUTE:
        turn = turn * from_small_turn(s, node.delta_q)
        angle = angle + s * node.delta_q
    if node.kind == KIND.SPHERICAL or stores_response(w, node):
        node.turn = turn
        node.rotation_sum = angle
    return turn, angle


@ti.func
def update_sliding_displacements(w: ti.template(), a, params, time):
    """Write DELTA_Q of the prismatic joints of articulation a, `time` after the start of the step [s]."""
    root, end = w.articulation[a].root, w.articulation[a].end
    turn, angle = root_turn(w, root)
    for k in range(root + 1, end):
        node = w.node[k]
        if node.parent != k - 1:
            turn, angle = root_turn(w, root)
            if node.parent != root:
                turn, angle = w.node[node.parent].turn, w.node[node.parent].rotation_sum
        if node.kind == KIND.PRISMATIC:
            update_prismatic_displacement(w, k, turn, angle, params.h * time)
        if node.carries_slide > 0:
            turn, angle = turn_outward(w, k, turn, angle, params)


@ti.func
def update_prismatic_displacement(w: ti.template(), k, turn, angle, time):
    """Write DELTA_Q of the prismatic joint of node k, whose parent has turned by `turn` and `angle`."""
    node = w.node[k]
    d, s, base = node.offset, node.subspace.lin, node.parent_last
    moved = turn.rotate(d + s * node.slide) - d
    above = angle + w.node[base].bias_acceleration.ang * time
    below = angle + node.bias_acceleration.ang * time
    node.delta_q = s.dot(moved) + node.arm1.dot(below) - node.arm0.dot(above)
