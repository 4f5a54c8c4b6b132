"""Monitors of a launch: efforts of joints, finite states, contacts of colliders; `tables.monitors` names them.

    Σ τ²,  Σ |τ q̇|  over the steps;  a collider is in contact while |F| > its threshold, F the sum over its pairs

    in contact:  contact' = contact + h,  air' = 0;  where air > 0 before, last air' = air + h
    in the air:  air' = air + h,  contact' = 0;  where contact > 0 before, last contact' = contact + h

What falls asleep keeps the net force of the step before, because its friction is forgotten.
"""

import taichi as ti

from .contacts.broad_phase.active_pairs import slot_at
from .contacts.bundles import read_impulses_back
from .contacts.friction.contact_report import pair_force
from .contacts.pair_sleep import awake_sides
from .lanes import absolute, broadcast, mask, maximum
from .spatial import select, zero_vector
from .statistics import still_finite


@ti.func
def update_monitors(w: ti.template(), island_id, h, begins, moves):
    """Add the step that ended to the monitors of an island.

    begins: whether sums begin with this step.
    moves: whether the step computed the island, which else sleeps in all lanes.
    """
    for m in range(w.island[island_id].member, w.island[island_id].member_end):
        a = w.member[m].articulation
        v, x = w.state.root_velocity[a], w.state.position[w.node[w.articulation[a].root].link]
        finite = still_finite(broadcast(1.0), v.ang.dot(v.ang) + v.lin.dot(v.lin) + x.dot(x))
        for k in range(w.articulation[a].root, w.articulation[a].end):
            dof = w.node[k].dof
            if dof >= 0:
                finite = still_finite(finite, w.state.q[dof])
                finite = still_finite(finite, w.state.qd[dof])
                add_effort(w, dof, begins)
        w.monitors.finite[a] = finite
    if ti.static(w.features.contacts):
        update_contacts(w, island_id, h, begins, moves)


@ti.func
def add_effort(w: ti.template(), dof, begins):
    """Add the effort of a joint to its sums."""
    effort, qd = w.state.applied_effort[dof], w.state.qd[dof]
    square, power = effort * effort, absolute(effort * qd)
    if begins == 0:
        square = square + w.monitors.squared_effort[dof]
        power = power + w.monitors.absolute_power[dof]
    w.monitors.squared_effort[dof] = square
    w.monitors.absolute_power[dof] = power


@ti.func
def update_contacts(w: ti.template(), island_id, h, begins, moves):
    """Update the contacts of the colliders of an island's bodies."""
    first, end = w.island[island_id].collider, w.island[island_id].collider_end
    for c in range(first, end):
        w.collider[c].force = zero_vector()
    if moves:
        read_impulses_back(w)
        for i in range(w.pairs):
            add_pair_force(w, slot_at(w, i), h)
    for c in range(first, end):
        if w.collider[c].articulation >= 0:
            update_contact(w, c, h, begins, moves)  # a part that is not the first one has no force


@ti.func
def add_pair_force(w: ti.template(), g, h):
    """Add the force of pair g to its two colliders."""
    force = pair_force(w, g, h)
    if ti.static(w.features.sleeps):
        force = select(awake_sides(w, g), force, zero_vector())
    for s in ti.static(range(2)):
        c = w.slot[g].collider_a
        if w.slot[g].reversed != s:
            c = w.slot[g].collider_b
        whole = w.collider[w.collider[c].whole]
        whole.force = whole.force + force * (1.0 - 2.0 * s)


@ti.func
def update_contact(w: ti.template(), c, h, begins, moves):
    """Update the net force of collider c and its times."""
    force = w.collider[c].force
    if ti.static(w.features.sleeps):
        computed, a = mask(False), w.collider[c].articulation
        if moves:
            computed = w.articulation[a].awake & ~w.articulation[a].falls
        force = select(computed, force, w.monitors.net_force[c])
    w.monitors.net_force[c] = force
    size = force.norm()
    touches, peak = size > w.monitors.force_threshold[c], size + 0.0
    if begins == 0:
        peak = maximum(size, w.monitors.peak_force[c])
    w.monitors.peak_force[c] = peak
    air, contact = w.monitors.current_air_time[c] + h, w.monitors.current_contact_time[c] + h
    lands, leaves = touches & (air > h), (size <= w.monitors.force_threshold[c]) & (contact > h)
    w.monitors.last_air_time[c] = ti.select(lands, air, w.monitors.last_air_time[c])
    w.monitors.last_contact_time[c] = ti.select(leaves, contact, w.monitors.last_contact_time[c])
    w.monitors.current_air_time[c] = ti.select(touches, 0.0, air)
    w.monitors.current_contact_time[c] = ti.select(touches, contact, 0.0)
