"""Poses of links and their motion by joints. RBDA §4.4, with frames at the centres of mass as in PhysX.

x_l = x_p + R_p·parent_arm − R_l·(child_arm − axis·q)        R_l = R_p·parent_rotation⁻¹·exp(axis·q)
V_l = V_p seen at l + Σ S_k q̇_k        S = (axis, axis × arm) of a rotation, (0, axis) of a translation
"""

import taichi as ti

from .lanes import broadcast, maximum, minimum
from .rotation import from_axis_angle, from_rotation_vector
from .spatial import Motion, no_motion, zero_vector
from .views import KIND


@ti.func
def joint_geometry(w: ti.template(), k, keeps_arms: ti.template()):
    """Return S and the offset of node k, which is not a root, at the poses.

    Writes: ARM0 and ARM1 of a prismatic joint if `keeps_arms`.
    """
    node = w.node[k]
    kind, link, base = node.kind, node.link, node.parent_last
    s, d = no_motion(), zero_vector()
    if node.first == k:
        d = w.state.position[link] - w.state.position[w.node[base].link]
    if kind != KIND.FIXED:
        turned = w.state.orientation[link]
        axis = turned.rotate(w.param.axis[k])
        lever = turned.rotate(w.param.child_arm[k])
        if kind == KIND.PRISMATIC:
            s.lin = axis
            if ti.static(keeps_arms):
                arm = w.state.orientation[w.node[base].link].rotate(w.param.parent_arm[k])
                node.arm0 = arm.cross(axis)
                node.arm1 = lever.cross(axis)
        else:
            s = Motion(axis, lever.cross(axis))
    return s, d


@ti.func
def compute_joint_motion(w: ti.template(), k, floats):
    """Compute S, the offsets and the velocity of node k from the poses and START_QD; V of the root must be set.

    Writes: SUBSPACE, OFFSET, V of the node; ROOT_OFFSET if its base `floats`; ARM0 and ARM1 of a prismatic joint.
    """
    node = w.node[k]
    if node.kind <= KIND.FLOATING_ROOT:
        place_root(w, k)
    else:
        above = w.node[node.parent]
        node.v = move_link(w, k, above.v)
        if floats:
            node.root_offset = above.root_offset + node.offset


@ti.func
def place_root(w: ti.template(), k):
    """Write SUBSPACE, OFFSET and ROOT_OFFSET of a root."""
    w.node[k].subspace = no_motion()
    w.node[k].offset = zero_vector()
    w.node[k].root_offset = zero_vector()


@ti.func
def move_link(w: ti.template(), k, above):
    """Return V of node k, which is not a root, from that of its parent, `above`, the poses and START_QD.

    Writes: SUBSPACE, OFFSET; ARM0 and ARM1 of a prismatic joint.
    """
    node = w.node[k]
    s, d = joint_geometry(w, k, True)
    velocity = above.outward(d)
    if node.kind != KIND.FIXED:
        velocity = velocity + s * node.start_qd
    node.subspace = s
    node.offset = d
    return velocity


@ti.func
def update_link_pose(w: ti.template(), k, spherical: ti.template()):
    """Compute the pose of the link of node k from the pose of its parent and q.

    `spherical`: whether the rotation of a spherical joint follows from q; otherwise q follows from the link's rotation.
    """
    node = w.node[k]
    link, first = node.link, node.first
    parent = w.node[node.parent_last].link
    kind = node.kind
    row = w.header.q + node.dof
    parent_turned = w.state.orientation[parent]
    parent_rotation = w.param.parent_rotation[k]
    turned = parent_turned * parent_rotation.conjugate()
    lever = w.param.child_arm[k]
    axis = w.param.axis[k]
    if kind == KIND.SPHERICAL:
        if ti.static(spherical):
            vector = zero_vector()
            for j in range(first, k + 1):
                q = w.state[row + j - k]
                vector = vector + w.param.axis[j] * q
            turned = turned * from_rotation_vector(vector)
        else:
            turned_link = w.state.orientation[link]
            vector = (turned.conjugate() * turned_link).rotation_vector()
            for j in range(first, k + 1):
                w.state[row + j - k] = w.param.axis[j].dot(vector)
            turned = turned_link
    if kind == KIND.REVOLUTE:
        turned = turned * from_axis_angle(axis, w.state[row])
    if kind == KIND.PRISMATIC:
        lever = lever - axis * w.state[row]
    turned = turned.normalized()
    arm = parent_turned.rotate(w.param.parent_arm[k])
    w.state.orientation[link] = turned
    w.state.position[link] = w.state.position[parent] + arm - turned.rotate(lever)


@ti.func
def clamp_joint_velocities(w: ti.template(), root, end, clamps):
    """Scale all joint velocities of an articulation by one ratio, so that none exceeds its clamp velocity.

    Writes: START_QD of the nodes; the stored velocities stay.
    """
    ratio = broadcast(1.0)
    for k in range(root + 1, end if clamps > 0 else root):
        dof = w.node[k].dof
        if dof >= 0:
            speed = w.state.qd[dof]
            speed = maximum(maximum(speed, 0.0 - speed), 1e-6)
            ratio = minimum(ratio, w.param.clamp_velocity[dof] / speed)
    for step in range(end - 1 - root):  # the first ones last, which are read next
        node = w.node[end - 1 - step]
        dof = node.dof
        if dof >= 0:
            node.start_qd = w.state.qd[dof] * ratio
