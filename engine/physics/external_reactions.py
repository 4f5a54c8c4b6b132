"""Forces of tendons and maximal joints in a step: their impulses divided by its length.

    force on body 1 of a joint, and minus that on body 0;  tension of a tendon: N times the mean of pull_j / f_j
    effort of a joint in the tree: S · Σ of the wrenches on the links below it

N strands share the spring of a tendon, each times its force coefficient f_j; of a spatial one N and f are 1.

A fixed tendon pulls at joints: as in PhysX, its pull on a link is part of the force that the joint of that link
transmits, but not of what the joints further inward transmit.
"""

import taichi as ti

from .accessors import (
    NODE_ROW,
    PARAMETER,
    SIDE_ROW,
    STRAND_ROW,
    TableItem,
    get,
    get_force,
    get_motion,
    get_vector,
    parameter,
    parameter_quaternion,
    parameter_vector,
    put,
    put_spatial,
)
from .impulse_propagation import link_pose
from .lanes import broadcast, maximum
from .spatial import Force, no_force
from .step_results import put_result, put_spatial_result
from .world_view import (
    ARTICULATION_AT,
    ISLAND_AT,
    MEMBER_AT,
    NODE_AT,
    SIDE_AT,
    STRAND_AT,
    TENDON_AT,
    articulation,
    island,
    member,
    node,
    side,
    strand,
    tendon,
)


@ti.func
def add_reaction(w: ti.template(), k, force):
    """Add a force on the link of node k to its loads, unless it is the world (−1)."""
    if k >= 0:
        put_spatial(w, k, NODE_ROW.TOTAL_BIAS, get_force(w, k, NODE_ROW.TOTAL_BIAS) - force)


@ti.func
def project_onto_joints(w: ti.template(), s, force, row: ti.template()):
    """Add the projection of a force on the link at side s to the efforts `row` of the joints on its path."""
    k = side(w, s, SIDE_AT.NODE)
    if k >= 0:
        carried, root = force.copy(), side(w, s, SIDE_AT.ROOT)
        while k != root:
            if node(w, k, NODE_AT.DOF) >= 0:
                put(w, k, row, get(w, k, row) + get_motion(w, k, NODE_ROW.SUBSPACE).dot(carried))
            carried = carried.inward(get_vector(w, k, NODE_ROW.OFFSET))
            k = node(w, k, NODE_AT.PARENT)


@ti.func
def write_maximal_joint_force(w: ti.template(), j, h, results: ti.template()):
    """Write the force of joint j on body 1, in its frame there, and add it to the loads of joints and links."""
    for s in range(2 * j, 2 * j + 2):
        force = get_force(w, TableItem(w, "SIDES", s), SIDE_ROW.IMPULSE) * (1.0 / h)
        add_reaction(w, side(w, s, SIDE_AT.NODE), force)
        project_onto_joints(w, s, force, NODE_ROW.MAXIMAL_JOINT_EFFORT)
    f = get_force(w, TableItem(w, "SIDES", 2 * j + 1), SIDE_ROW.IMPULSE) * (1.0 / h)
    _, turned = link_pose(w, 2 * j + 1)
    lever = turned.rotate(parameter_vector(w, PARAMETER.MAXIMAL_JOINT_ARM1, j))
    frame = turned * parameter_quaternion(w, PARAMETER.MAXIMAL_JOINT_FRAME1, j)
    seen = Force(frame.unrotate(f.ang - lever.cross(f.lin)), frame.unrotate(f.lin))
    put_spatial_result(w, results, "MAXIMAL_JOINT_FORCE", j, seen)


@ti.func
def write_tendon_tension(w: ti.template(), t, h, results: ti.template()):
    """Write the tension of tendon t, positive where it is too long; add its pull to the loads of joints and links."""
    tension, count, reaction = broadcast(0.0), broadcast(0.0), no_force()
    start, strands = tendon(w, t, TENDON_AT.START), tendon(w, t, TENDON_AT.STRAND_END) - tendon(w, t, TENDON_AT.STRAND)
    for i in range(tendon(w, t, TENDON_AT.STRAND), tendon(w, t, TENDON_AT.STRAND_END)):
        item, tip = TableItem(w, "STRANDS", i), strand(w, i, STRAND_AT.SIDE)
        pull = (get(w, item, STRAND_ROW.SPRING_IMPULSE) + get(w, item, STRAND_ROW.LIMIT_IMPULSE)) * (1.0 / h)
        force, k = get_force(w, item, STRAND_ROW.FAR) * pull, side(w, tip, SIDE_AT.NODE)
        project_onto_joints(w, tip, force, NODE_ROW.TENDON_EFFORT)
        if tendon(w, t, TENDON_AT.SPATIAL):
            add_reaction(w, k, force)
        else:
            first = node(w, k, NODE_AT.FIRST)
            add_reaction(w, node(w, first, NODE_AT.PARENT), force.inward(get_vector(w, first, NODE_ROW.OFFSET)))
        reaction = reaction - get_force(w, item, STRAND_ROW.NEAR) * pull
        share = parameter(w, PARAMETER.FORCE_COEFFICIENT, i)
        pulls = (share > 0.0) | (share < 0.0)
        tension += ti.select(pulls, pull / ti.select(pulls, share, 1.0), 0.0)
        count += ti.select(pulls, 1.0, 0.0)
    add_reaction(w, side(w, start, SIDE_AT.NODE), reaction)
    project_onto_joints(w, start, reaction, NODE_ROW.TENDON_EFFORT)
    tension = tension * (strands / maximum(count, 1.0))
    if tendon(w, t, TENDON_AT.SPATIAL) == 0:
        tension = 0.0 - tension
    put_result(w, results, "TENSION", t, tension)


@ti.func
def write_external_reactions(w: ti.template(), island_id, h, results: ti.template()):
    """Write the forces of tendons and maximal joints of an island, and add them to the loads of joints and links."""
    for m in range(island(w, island_id, ISLAND_AT.MEMBER), island(w, island_id, ISLAND_AT.MEMBER_END)):
        a = member(w, m, MEMBER_AT.ARTICULATION)
        for k in range(articulation(w, a, ARTICULATION_AT.ROOT), articulation(w, a, ARTICULATION_AT.END)):
            put(w, k, NODE_ROW.TENDON_EFFORT, 0.0)
            put(w, k, NODE_ROW.MAXIMAL_JOINT_EFFORT, 0.0)
        if ti.static(w.features.tendons):
            for t in range(articulation(w, a, ARTICULATION_AT.TENDON), articulation(w, a, ARTICULATION_AT.TENDON_END)):
                write_tendon_tension(w, t, h, results)
    if ti.static(w.features.joints):
        for j in range(island(w, island_id, ISLAND_AT.JOINT), island(w, island_id, ISLAND_AT.JOINT_END)):
            write_maximal_joint_force(w, j, h, results)
