"""Friction patches of one lane of a pair with a triangle mesh, which may touch in several directions at once.

Consecutive points with one normal are a group. A patch of the last step goes on with the groups that have its normal;
each other group founds a patch, or joins a new one with its normal. Patches that go on come first; of the groups of a
patch the last one does. A patch goes on under the conditions of `patch_stays`.
"""

import taichi as ti

from ..patches import SAME_NORMAL, patch_at, patch_stays, patches_per_slot, side_pose

NEW = -1


@ti.func
def sort_into_patches(w: ti.template(), g):
    """Write PATCH of the contact points of pair g, in the order of the patches, and what goes on of each patch."""
    here, there = side_pose(w, w.slot[g].side0), side_pose(w, w.slot[g].side1)
    count = w.slot[g].point_count
    keep_patches(w, g, count, here, there)
    found_patches(w, g, count, here, there)
    order_points(w, g, count)
    for back in range(count):
        contact = w.contact[w.slot[g].contact + count - 1 - back]
        w.patch[patch_at(w, g, contact.patch)].normal = contact.normal


@ti.func
def keep_patches(w: ti.template(), g, count, here, there):
    """Join groups with the patches that go on, which are moved to the first places; clear the other places."""
    first, group = w.slot[g].contact, w.slot[g].contact
    for i in range(first, first + count):
        if w.contact[i].normal.dot(w.contact[group].normal) < SAME_NORMAL:
            group = i
        w.contact[i].patch = NEW
        w.contact[i].group = group - first
    kept = 0
    for k in range(patches_per_slot(w)):
        found = False
        for i in range(first, first + count):
            opens, new = w.contact[i].group == i - first, w.contact[i].patch == NEW
            if opens and new and patch_stays(w, patch_at(w, g, k), here, there, w.contact[i].normal):
                found = True
                for j in range(i, first + count):
                    if w.contact[j].group == w.contact[i].group:
                        w.contact[j].patch = kept
        if found:
            if kept < k:
                move_patch(w, patch_at(w, g, kept), patch_at(w, g, k))
            kept += 1
    for k in range(kept, patches_per_slot(w)):
        w.contacts.anchor_count[patch_at(w, g, k)] = 0
    w.slot[g].most_patches = kept


@ti.func
def move_patch(w: ti.template(), to, source):
    """Move what a patch keeps from step to step."""
    w.contacts.anchor_count[to] = w.contacts.anchor_count[source]
    w.contacts.patch_normal0[to] = w.contacts.patch_normal0[source]
    w.contacts.patch_normal1[to] = w.contacts.patch_normal1[source]
    for i in range(2):
        w.contacts.anchor0[2 * to + i] = w.contacts.anchor0[2 * source + i]
        w.contacts.anchor1[2 * to + i] = w.contacts.anchor1[2 * source + i]


@ti.func
def found_patches(w: ti.template(), g, count, here, there):
    """Write PATCH of the groups that join no patch of the last step."""
    first, patches, kept = w.slot[g].contact, w.slot[g].most_patches, w.slot[g].most_patches
    for i in range(first, first + count):
        if w.contact[i].patch == NEW:
            n, chosen = w.contact[i].normal, patches
            opener = first + w.contact[i].group
            if opener < i:
                chosen = w.contact[opener].patch
            else:
                for back in range(patches - kept):
                    k = patches - 1 - back
                    if n.dot(w.patch[patch_at(w, g, k)].normal) >= SAME_NORMAL:
                        chosen = k
            w.contact[i].patch = chosen
            if chosen == patches:
                at = patch_at(w, g, chosen)
                w.patch[at].normal = n
                w.contacts.patch_normal0[at] = here.q.unrotate(n)
                w.contacts.patch_normal1[at] = there.q.unrotate(n)
                patches += 1


@ti.func
def order_points(w: ti.template(), g, count):
    """Sort the points by their patches, within one by groups from the last to the first."""
    first = w.slot[g].contact
    for back in range(count):
        for i in range(first, first + count - 1 - back):
            one, two = w.contact[i], w.contact[i + 1]
            later = one.patch > two.patch or (one.patch == two.patch and one.group < two.group)
            if later:
                point, normal, separation = two.point, two.normal, two.separation
                patch, group = two.patch, two.group
                two.point = one.point
                two.normal = one.normal
                two.separation = one.separation
                two.patch = one.patch
                two.group = one.group
                one.point = point
                one.normal = normal
                one.separation = separation
                one.patch = patch
                one.group = group
