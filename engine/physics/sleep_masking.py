"""Restoring of sleeping articulations: beside others that move they are computed along, then restored to the bit.

In an island without contacts all members of a world sleep or none does: AWAKE and FALLS of the view. Else each
articulation has its own. A free body that falls asleep keeps the pose that it had before the step; an articulation
moves once more, as in PhysX.
"""

import taichi as ti

from .lanes import any_lane, materialize, traced
from .spatial import no_motion, select
from .stored import cells


@traced
def awake_lanes(w, a):
    """Return the mask of the lanes in which this step moves articulation a."""
    return materialize(w.articulation[a].awake) if w.features.contacts else w.awake


@traced
def falling_lanes(w, a):
    """Return the mask of the lanes in which articulation a falls asleep in this step."""
    return materialize(w.articulation[a].falls) if w.features.contacts else w.falls


@traced
def write_where_awake(w, a):
    """Let results be written in the lanes in which articulation a is awake."""
    w.set_writes(awake_lanes(w, a), falling_lanes(w, a))


@traced
def is_moved(w, a):
    """Return whether a step computes articulation a."""
    return w.articulation[a].moved > 0 if w.features.sleeps and w.features.contacts else True


@ti.func
def note_moved(w: ti.template(), island_id):
    """Write which members of an island a step computes: what moves in any lane, or all where joints connect them."""
    joins = w.island[island_id].joint < w.island[island_id].joint_end
    for m in range(w.island[island_id].member, w.island[island_id].member_end):
        a = w.member[m].articulation
        w.articulation[a].moved = ti.cast(joins or any_lane(w.articulation[a].awake), ti.i32)


def _saved(w, row):
    return cells(w, w.scratch, w.first_scratch, w.header.sleep_backup + row, 1)[0]


@traced
def save_row(w, row):
    """Save a row of this world's state."""
    _saved(w, row)._assign(w.state[row])


@traced
def restore_row(w, row, kept):
    """Restore a saved row of this world's state in the lanes `kept`."""
    w.state[row] = ti.select(kept, _saved(w, row), w.state[row])


@ti.func
def mask_sleepers(w: ti.template(), island_id, back: ti.template()):
    """Save the state of an island before a step; with `back`, restore what sleeps, and poses of what falls asleep."""
    if w.drowsy:
        for m in range(w.island[island_id].member, w.island[island_id].member_end):
            a = w.member[m].articulation
            kept = ~awake_lanes(w, a)
            if w.articulation[a].free_body:
                kept = kept | falling_lanes(w, a)
            mask_member(w, a, kept, back)


@ti.func
def mask_member(w: ti.template(), a, kept, back: ti.template()):
    """Save the state of articulation a, or restore it in the lanes `kept`."""
    mask_rows(w, w.header.root_velocity + 6 * a, 6, kept, back)
    first, last = w.articulation[a].mimic, w.articulation[a].mimic_end
    mask_rows(w, w.header.runaway + first, last - first, kept, back)
    if ti.static(w.features.actuators):
        for j in range(w.articulation[a].actuator, w.articulation[a].actuator_end):
            mask_rows(w, w.header.integral + j, 1, kept, back)
            mask_rows(w, w.header.holds_commands + j, 1, kept, back)
            held, count = w.actuator[j].command, w.actuator[j].command_end - w.actuator[j].command
            mask_rows(w, w.header.held_target_q + held, count, kept, back)
            mask_rows(w, w.header.held_target_qd + held, count, kept, back)
            mask_rows(w, w.header.held_effort + held, count, kept, back)
    for k in range(w.articulation[a].root, w.articulation[a].end):
        node = w.node[k]
        if node.dof >= 0:
            for i in range(3):
                mask_rows(w, i * w.header.dof_count + node.dof, 1, kept, back)
        if node.last == k:
            mask_rows(w, w.header.pose + 7 * node.link, 7, kept, back)


@ti.func
def mask_rows(w: ti.template(), first, count, kept, back: ti.template()):
    """Save rows of the state, or restore them in the lanes `kept`."""
    for row in range(first, first + count):
        if ti.static(back):
            restore_row(w, row, kept)
        else:
            save_row(w, row)


@ti.func
def zero_velocities(w: ti.template(), a, falls):
    """Set the velocities of articulation a to zero where it falls asleep."""
    w.state.root_velocity[a] = select(falls, no_motion(), w.state.root_velocity[a])
    for k in range(w.articulation[a].root + 1, w.articulation[a].end):
        dof = w.node[k].dof
        if dof >= 0:
            row = w.header.qd + dof
            w.state[row] = ti.select(falls, 0.0, w.state[row])
