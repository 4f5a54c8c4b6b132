"""Test that a friction patch of the last step goes on, of all lanes at once or of one."""

import taichi as ti

from ...lanes import absolute, broadcast
from ...rotation import Quat
from ...spatial import zero_vector
from ..patches import SAME_NORMAL
from ..pose import Pose


@ti.func
def side_pose(w: ti.template(), s):
    """Return the pose of the body at side s: its centre of mass and orientation; for what is static, the world's."""
    pose = Pose(zero_vector(), Quat(zero_vector(), broadcast(1.0)))
    k = w.side[s].node
    if k >= 0:
        link = w.node[k].link
        pose.p = w.state.position[link]
        pose.q = w.state.orientation[link]
    return pose


@ti.func
def stays(w: ti.template(), at, here, there, n):
    """Return whether the patch of the last step at a place goes on with normal n."""
    normal0, normal1 = here.q.rotate(w.contacts.patch_normal0[at]), there.q.rotate(w.contacts.patch_normal1[at])
    count = w.contacts.anchor_count[at]
    holds = (count > 0.0) & (w.contacts.slipped[at] == 0.0)
    holds = holds & (normal0.dot(normal1) > SAME_NORMAL) & (n.dot(normal0) >= SAME_NORMAL)
    for i in range(2):
        apart = here.apply(w.contacts.anchor0[2 * at + i]) - there.apply(w.contacts.anchor1[2 * at + i])
        parted = absolute(apart.dot(normal0)) >= w.param.friction_correlation[0]
        holds = holds & ~(parted & (count > 1.0 * i))
    return holds
