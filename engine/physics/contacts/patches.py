"""Friction patches of a pair: one, or in scenes with triangle meshes as many as it touches in different directions."""

from ...tables.contacts import MANIFOLD_POINTS
from ..lanes import traced
from ..stored import first_lane

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
    return first_lane(w.slot[g].most_patches) if w.features.meshes else 1


@traced
def patch_at(w, g, k):
    """Return the place of patch k of slot g; that of its first anchor is twice as far."""
    return g * patches_per_slot(w) + k if w.features.meshes else g


@traced
def is_in_patch(w, contact, k, exists):
    """Return whether a contact point that exists is in patch k of its pair."""
    return exists & (contact.patch == 1.0 * k) if w.features.meshes else exists
