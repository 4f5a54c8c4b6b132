"""Friction patches of a pair: one, or in scenes with triangle meshes as many as it touches in different directions.

A patch of the last step goes on where it did not slip, its normal in both bodies still agrees, and its anchors have not
parted along it by more than the correlation distance.
"""

import taichi as ti

from ...tables.contacts import MANIFOLD_POINTS
from ..lanes import absolute, broadcast, traced
from ..rotation import Quat
from ..spatial import zero_vector
from .pose import Pose

SAME_NORMAL = 0.999
"""Least cosine between the normals of one patch."""


@traced
def patches_per_slot(w):
    """Return how many patches a slot has room for."""
    return w.header.patches_per_slot if w.features.meshes else 1


@traced
def manifolds_per_slot(w):
    """Return how many manifolds a slot that pairs share has room for."""
    return w.header.manifolds_per_slot if w.features.meshes else 1


@traced
def points_per_slot(w):
    """Return how many contact points a slot that pairs share has room for."""
    return MANIFOLD_POINTS * manifolds_per_slot(w)


@traced
def patch_count(w, g):
    """Return the largest number of patches of slot g in all lanes in this step."""
    return w.slot[g].most_patches if w.features.meshes else 1


@traced
def patch_at(w, g, k):
    """Return the place of patch k of slot g; that of its first anchor is twice as far."""
    return g * patches_per_slot(w) + k if w.features.meshes else g


@traced
def is_in_patch(w, contact, k, exists):
    """Return whether a contact point that exists is in patch k of its pair."""
    return exists & (contact.patch == 1.0 * k) if w.features.meshes else exists


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
def patch_stays(w: ti.template(), at, here, there, n):
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
