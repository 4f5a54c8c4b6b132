"""Contacts of what falls asleep: manifolds and friction anchors are forgotten, as with PhysX's contact managers."""

import taichi as ti

from ...lanes import any_lane, broadcast
from ..broad_phase.active_pairs import slot_at
from ..patches import patch_at, patches_per_slot


@ti.func
def forget_contacts(w: ti.template(), island_id):
    """Forget what the pairs keep of which this step moves both bodies for the last time; they still touch."""
    for i in range(w.pairs):
        g = slot_at(w, i)
        stays = stays_awake(w, w.slot[g].collider_a) | stays_awake(w, w.slot[g].collider_b)
        falls = (w.slot[g].awake > 0.0) & ~stays
        if any_lane(falls):
            if w.slot[g].manifold >= 0:
                m = w.slot[g].manifold
                w.contacts.manifold_count[m] = ti.select(falls, 0.0, w.contacts.manifold_count[m])
                w.contacts.manifold_made[m] = ti.select(falls, 0.0, w.contacts.manifold_made[m])
                w.contacts.simplex_count[m] = ti.select(falls, 0.0, w.contacts.simplex_count[m])
            for k in range(patches_per_slot(w)):
                at = patch_at(w, g, k)
                w.contacts.anchor_count[at] = ti.select(falls, 0.0, w.contacts.anchor_count[at])


@ti.func
def stays_awake(w: ti.template(), c):
    """Return whether the body of collider c is awake and does not fall asleep in this step."""
    stays, a = broadcast(0.0), w.collider[c].articulation
    if a >= 0:
        stays = ti.select(w.articulation[a].falls > 0.0, 0.0, w.articulation[a].awake)
    return stays > 0.0
