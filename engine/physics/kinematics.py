"""Poses of links and their motion by joints. RBDA §4.4, with frames at the centres of mass as in PhysX.

x_l = x_p + R_p·parent_arm − R_l·(child_arm − axis·q)        R_l = R_p·parent_rotation⁻¹·exp(axis·q)
V_l = V_p seen at l + Σ S_k q̇_k        S = (axis, axis × arm) of a rotation, (0, axis) of a translation
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    PARAMETER,
    get,
    get_motion,
    get_vector,
    orientation,
    parameter,
    parameter_quaternion,
    parameter_vector,
    position,
    put,
    put_spatial,
    put_vector,
    set_orientation,
    set_position,
    set_state,
    state,
)
from .lanes import broadcast, maximum, minimum
from .rotation import from_axis_angle, from_rotation_vector
from .spatial import Motion, no_motion, zero_vector
from .world_view import HEADER_AT, KIND, NODE_AT, header, node


@ti.func
def compute_joint_motion(w: ti.template(), k, floats):
    """Compute S, the offsets and the velocity of node k from the poses and START_QD; V of the root must be set.

    Writes: SUBSPACE, OFFSET, V of the node; ROOT_OFFSET if its base `floats`; ARM0 and ARM1 of a prismatic joint.
    """
    kind = node(w, k, NODE_AT.KIND)
    if kind <= KIND.FLOATING_ROOT:
        put_spatial(w, k, NODE_ROW.SUBSPACE, no_motion())
        put_vector(w, k, NODE_ROW.OFFSET, zero_vector())
        put_vector(w, k, NODE_ROW.ROOT_OFFSET, zero_vector())
    else:
        link, base, parent = node(w, k, NODE_AT.LINK), node(w, k, NODE_AT.PARENT_LAST), node(w, k, NODE_AT.PARENT)
        d = zero_vector()
        if node(w, k, NODE_AT.FIRST) == k:
            d = position(w, link) - position(w, node(w, base, NODE_AT.LINK))
        velocity = get_motion(w, parent, NODE_ROW.V).outward(d)
        s = no_motion()
        if kind != KIND.FIXED:
            turned = orientation(w, link)
            axis = turned.rotate(parameter_vector(w, PARAMETER.AXIS, k))
            lever = turned.rotate(parameter_vector(w, PARAMETER.CHILD_ARM, k))
            if kind == KIND.PRISMATIC:
                s.lin = axis
                arm = orientation(w, node(w, base, NODE_AT.LINK)).rotate(parameter_vector(w, PARAMETER.PARENT_ARM, k))
                put_vector(w, k, NODE_ROW.ARM0, arm.cross(axis))
                put_vector(w, k, NODE_ROW.ARM1, lever.cross(axis))
            else:
                s = Motion(axis, lever.cross(axis))
            velocity = velocity + s * get(w, k, NODE_ROW.START_QD)
        put_spatial(w, k, NODE_ROW.SUBSPACE, s)
        put_vector(w, k, NODE_ROW.OFFSET, d)
        if floats:
            put_vector(w, k, NODE_ROW.ROOT_OFFSET, get_vector(w, parent, NODE_ROW.ROOT_OFFSET) + d)
        put_spatial(w, k, NODE_ROW.V, velocity)


@ti.func
def update_link_pose(w: ti.template(), k, spherical: ti.template()):
    """Compute the pose of the link of node k from the pose of its parent and q.

    `spherical`: whether the rotation of a spherical joint follows from q; otherwise q follows from the link's rotation.
    """
    link, first = node(w, k, NODE_AT.LINK), node(w, k, NODE_AT.FIRST)
    parent = node(w, node(w, k, NODE_AT.PARENT_LAST), NODE_AT.LINK)
    kind = node(w, k, NODE_AT.KIND)
    row = header(w, HEADER_AT.Q) + node(w, k, NODE_AT.DOF)
    parent_turned = orientation(w, parent)
    parent_rotation = parameter_quaternion(w, PARAMETER.PARENT_ROTATION, k)
    turned = parent_turned * parent_rotation.conjugate()
    lever = parameter_vector(w, PARAMETER.CHILD_ARM, k)
    axis = parameter_vector(w, PARAMETER.AXIS, k)
    if kind == KIND.SPHERICAL:
        if ti.static(spherical):
            vector = zero_vector()
            for j in range(first, k + 1):
                q = state(w, row + j - k)
                vector = vector + parameter_vector(w, PARAMETER.AXIS, j) * q
            turned = turned * from_rotation_vector(vector)
        else:
            turned_link = orientation(w, link)
            vector = (turned.conjugate() * turned_link).rotation_vector()
            for j in range(first, k + 1):
                set_state(w, row + j - k, parameter_vector(w, PARAMETER.AXIS, j).dot(vector))
            turned = turned_link
    if kind == KIND.REVOLUTE:
        turned = turned * from_axis_angle(axis, state(w, row))
    if kind == KIND.PRISMATIC:
        lever = lever - axis * state(w, row)
    turned = turned.normalized()
    arm = parent_turned.rotate(parameter_vector(w, PARAMETER.PARENT_ARM, k))
    set_orientation(w, link, turned)
    set_position(w, link, position(w, parent) + arm - turned.rotate(lever))


@ti.func
def clamp_joint_velocities(w: ti.template(), root, end, clamps):
    """Scale all joint velocities of an articulation by one ratio, so that none exceeds its clamp velocity.

    Writes: START_QD of the nodes; the stored velocities stay.
    """
    ratio = broadcast(1.0)
    for k in range(root + 1, end if clamps > 0 else root):
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            speed = state(w, header(w, HEADER_AT.QD) + dof)
            speed = maximum(maximum(speed, 0.0 - speed), 1e-6)
            ratio = minimum(ratio, parameter(w, PARAMETER.CLAMP_VELOCITY, dof) / speed)
    for k in range(root + 1, end):
        dof = node(w, k, NODE_AT.DOF)
        if dof >= 0:
            put(w, k, NODE_ROW.START_QD, state(w, header(w, HEADER_AT.QD) + dof) * ratio)
