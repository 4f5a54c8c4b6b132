"""Forces of tendons and maximal joints in a step: their impulses divided by its length.

    force on body 1 of a joint, and minus that on body 0;  tension of a tendon: N times the mean of pull_j / f_j
    effort of a joint in the tree: S · Σ of the wrenches on the links below it

N strands share the spring of a tendon, each times its force coefficient f_j; of a spatial one N and f are 1.

A fixed tendon pulls at joints: as in PhysX, its pull on a link is part of the force that the joint of that link
transmits, but not of what the joints further inward transmit.
"""

import taichi as ti

from .lanes import broadcast, indicator, maximum
from .link_sides import link_pose
from .sleep_masking import write_where_awake
from .spatial import Force, no_force


@ti.func
def add_reaction(w: ti.template(), k, force):
    """Add a force on the link of node k to its loads, unless it is the world (−1)."""
    node = w.node[k]
    if k >= 0:
        node.total_bias = node.total_bias - force


@ti.func
def project_onto_joints(w: ti.template(), s, force, row: ti.template()):
    """Add the projection of a force on the link at side s to the efforts `row` of the joints on its path."""
    k = w.side[s].node
    if k >= 0:
        carried, root = force.copy(), w.side[s].root
        while k != root:
            if w.node[k].dof >= 0:
                w.node[k][row] += w.node[k].subspace.dot(carried)
            carried = carried.inward(w.node[k].offset)
            k = w.node[k].parent


@ti.func
def write_maximal_joint_force(w: ti.template(), j, h):
    """Write the force of joint j on body 1, in its frame there, and add it to the loads of joints and links."""
    for s in range(2 * j, 2 * j + 2):
        force = w.side[s].impulse * (1.0 / h)
        add_reaction(w, w.side[s].node, force)
        project_onto_joints(w, s, force, "maximal_joint_effort")
    f = w.side[2 * j + 1].impulse * (1.0 / h)
    _, turned = link_pose(w, 2 * j + 1)
    lever = turned.rotate(w.param.maximal_joint_arm1[j])
    frame = turned * w.param.maximal_joint_frame1[j]
    seen = Force(frame.unrotate(f.ang - lever.cross(f.lin)), frame.unrotate(f.lin))
    w.results.maximal_joint_force[j] = seen


@ti.func
def write_tendon_tension(w: ti.template(), t, h):
    """Write the tension of tendon t, positive where it is too long; add its pull to the loads of joints and links."""
    tension, count, reaction = broadcast(0.0), broadcast(0.0), no_force()
    start, strands = w.tendon[t].start, w.tendon[t].strand_end - w.tendon[t].strand
    for i in range(w.tendon[t].strand, w.tendon[t].strand_end):
        item, tip = w.strand[i], w.strand[i].side
        pull = (item.spring_impulse + item.limit_impulse) * (1.0 / h)
        force, k = item.far * pull, w.side[tip].node
        project_onto_joints(w, tip, force, "tendon_effort")
        if w.tendon[t].spatial:
            add_reaction(w, k, force)
        else:
            first = w.node[k].first
            add_reaction(w, w.node[first].parent, force.inward(w.node[first].offset))
        reaction = reaction - item.near * pull
        share = w.param.force_coefficient[i]
        pulls = (share > 0.0) | (share < 0.0)
        tension += ti.select(pulls, pull / ti.select(pulls, share, 1.0), 0.0)
        count += indicator(pulls)
    add_reaction(w, w.side[start].node, reaction)
    project_onto_joints(w, start, reaction, "tendon_effort")
    tension = tension * (strands / maximum(count, 1.0))
    if w.tendon[t].spatial == 0:
        tension = 0.0 - tension
    w.results.tension[t] = tension


@ti.func
def write_tendon_tensions(w: ti.template(), a, params):
    """Write the tensions of all tendons of articulation a and their efforts on its joints."""
    for k in range(w.articulation[a].root, w.articulation[a].end):
        w.node[k].tendon_effort = 0.0
    for t in range(w.articulation[a].tendon, w.articulation[a].tendon_end):
        write_tendon_tension(w, t, params.h)
    for k in range(w.articulation[a].root, w.articulation[a].end):
        node = w.node[k]
        if node.dof >= 0:
            w.results.tendon_effort[node.dof] = node.tendon_effort


@ti.func
def write_maximal_joint_forces(w: ti.template(), island_id, params):
    """Write the forces of all maximal joints of an island and their efforts on the joints of its articulations."""
    first, last = w.island[island_id].member, w.island[island_id].member_end
    for m in range(first, last):
        a = w.member[m].articulation
        for k in range(w.articulation[a].root, w.articulation[a].end):
            w.node[k].maximal_joint_effort = 0.0
    for j in range(w.island[island_id].joint, w.island[island_id].joint_end):
        if ti.static(w.features.sleeps):
            write_where_awake(w, w.joint[j].held)
        write_maximal_joint_force(w, j, params.h)
    for m in range(first, last):
        a = w.member[m].articulation
        if ti.static(w.features.sleeps):
            write_where_awake(w, a)
        for k in range(w.articulation[a].root, w.articulation[a].end):
            node = w.node[k]
            if node.dof >= 0:
                w.results.maximal_joint_effort[node.dof] = node.maximal_joint_effort
