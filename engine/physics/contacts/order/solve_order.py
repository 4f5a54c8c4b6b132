"""Order in which the pairs are solved: SOLVE_ORDER of every pair, from 1 on.

Pairs of an articulation with what is static are solved in the sweep of their link. PhysX sorts their list, in the order
of touch, by link with a sort that is not stable, so that within a link the order is not that of touch. All other pairs
have colours: a pair of two movable things has the first colour that no joint and no earlier pair of either has. PhysX
solves colour after colour, and with each colour its joints (`model.solve_order`). A joint of a free body to the world
comes after the last colour of that body, and then the body's pairs with what is static. Bodies do not share these, so
that here they come last of all, joints first.

The places count the joints outside the sweeps, too: there is a gap for each of them. Of the constraints of one colour,
those with what is static counted by the next ones of their body, PhysX solves four consecutive pairs without
articulations at once, as one block.
"""

import taichi as ti

from ....tables.contacts import COLOURS
from ..broad_phase.active_pairs import slot_at
from ..pair_sleep import is_awake
from .numbering import give_numbers, take_numbers_back
from .touch_lists import end_touches, list_touches, rank_touches
from .unstable_sort import sort_by_link

BLOCK = 4
"""Pairs of a block."""


@ti.func
def list_outer_pairs(w: ti.template(), island_id, touches):
    """List the touching pairs outside the sweeps, of all `touches` in the order of touch; return their number."""
    count = 0
    for k in range(touches):
        g = w.active[k].ranked
        if w.slot[g].pair < w.island[island_id].early_pair_end and is_awake(w, g):
            count = w.active.push(count, listed=g)
    return count


@ti.func
def list_inner_pairs(w: ti.template(), island_id, touches, a):
    """List the touching pairs of articulation a with what is static in the order of touch; return their number."""
    count = 0
    for k in range(touches):
        g = w.active[k].ranked
        if w.slot[g].owner0 == a and w.slot[g].pair >= w.island[island_id].early_pair_end and is_awake(w, g):
            count = w.active.push(count, listed=g)
    return count


@ti.func
def order_inner_pairs(w: ti.template(), island_id, touches):
    """Write the order of the pairs that are solved in the sweeps of articulations."""
    island = w.island[island_id]
    for i in range(island.member, island.member_end):
        a = w.member[i].articulation
        if w.articulation[a].free_body == 0:
            last = list_inner_pairs(w, island_id, touches, a)
            sort_by_link(w, 0, last)
            link, order = -1, 0
            for place in range(last):
                g = w.active[place].listed
                order = ti.select(w.slot[g].link_rank == link, order, 0)
                link = w.slot[g].link_rank
                if w.slot[g].point_count > 0:
                    order += 1
                    w.contacts.solve_order[g] = order


@ti.func
def order_outer_pairs(w: ti.template(), island_id, touches):
    """Write the order of the pairs that are solved outside the sweeps."""
    begin_colours(w, island_id)
    last = list_outer_pairs(w, island_id, touches)
    colours = 0
    for place in range(last):
        g = w.active[place].listed
        if w.slot[g].owner1 >= 0:
            colours = ti.max(colours, choose_colour(w, g) + 1)
    for j in range(w.island[island_id].joint, w.island[island_id].pair_joint_end):
        if w.joint[j].colour > COLOURS:
            w.articulation[w.joint[j].held].next_colour += 1
    for place in range(last):
        g = w.active[place].listed
        if w.slot[g].owner1 < 0:
            body = w.articulation[w.slot[g].owner0]
            chosen = body.next_colour
            w.slot[g].colour = chosen
            body.next_colour = chosen + 1
            colours = ti.max(colours, chosen + 1)
    for place in range(last):  # side by side, for they are read once per colour
        w.active[place].listed_colour = w.slot[w.active[place].listed].colour
    sort_by_colour(w, last, colours)
    mark_blocks(w, last)
    write_places(w, island_id, last, colours)


@ti.func
def sort_by_colour(w: ti.template(), last, colours):
    """Write the listed pairs sorted by colour; those of one colour stay in the order of the list."""
    count = 0
    for colour in range(colours):
        for place in range(last):
            if w.active[place].listed_colour == colour:
                count = w.active.push(count, coloured=w.active[place].listed)


@ti.func
def begin_colours(w: ti.template(), island_id):
    """Write the colours that joints use of the members of an island."""
    island = w.island[island_id]
    for i in range(island.member, island.member_end):
        member = w.articulation[w.member[i].articulation]
        used, following = member.joint_colours, 0
        for colour in range(ti.select(used > 0, COLOURS, 0)):
            following = ti.select((used >> colour) & 1, colour + 1, following)
        member.colours_used = used
        member.next_colour = following


@ti.func
def write_places(w: ti.template(), island_id, last, colours):
    """Write SOLVE_ORDER of the listed pairs: colour by colour, joints before pairs; what is static last."""
    joint, end, order = w.island[island_id].joint, w.island[island_id].pair_joint_end, 0
    for static in range(2):
        place = 0
        for colour in range(colours):
            while joint < end and (static or w.joint[ti.min(joint, end - 1)].colour <= colour):
                order += 1
                joint += 1
            while place < last and w.slot[w.active[ti.min(place, last - 1)].coloured].colour == colour:
                g = w.active[place].coloured
                rests = ti.select(w.slot[g].owner1 < 0, 1, 0)
                if rests == static and w.slot[g].point_count > 0:
                    order += 1
                    w.contacts.solve_order[g] = order
                place += 1


@ti.func
def mark_blocks(w: ti.template(), last):
    """Write IN_BLOCK of the listed pairs that are solved in blocks: four of a colour, if all of them touch.

    A pair with a surface velocity is in no block, nor are those that would share it.
    """
    colour, run, touching = -1, 0, 0
    for place in range(last):
        g = w.active[place].coloured
        if w.slot[g].colour != colour:
            colour, run, touching = w.slot[g].colour, 0, 0
        run = ti.select(has_articulation(w, g), 0, run + 1)
        touching = ti.select(run > 1, touching, 0)
        if w.slot[g].point_count > 0:
            touching += 1
        if ti.static(w.features.surfaces):
            touching = ti.select(w.slot[g].surfaces > 0, -BLOCK, touching)
        if run == BLOCK:
            if touching == BLOCK:
                for i in range(BLOCK):
                    w.contacts.in_block[w.active[place - i].coloured] = 1.0
            run = 0


@ti.func
def has_articulation(w: ti.template(), g):
    """Return whether either side of a pair is a link of an articulation."""
    one, two = w.slot[g].owner0, w.slot[g].owner1
    return w.articulation[one].free_body == 0 or (two >= 0 and w.articulation[ti.max(two, 0)].free_body == 0)


@ti.func
def choose_colour(w: ti.template(), g):
    """Write COLOUR of a pair of two movable things: the first colour that both have free; return it."""
    one, two = w.articulation[w.slot[g].owner0], w.articulation[w.slot[g].owner1]
    taken = one.colours_used | two.colours_used
    chosen = 0
    while chosen < COLOURS and (taken >> chosen) & 1:
        chosen += 1
    bit = ti.select(chosen < COLOURS, 1 << chosen, 0)
    one.colours_used = one.colours_used | bit
    two.colours_used = two.colours_used | bit
    one.next_colour = ti.max(one.next_colour, chosen + 1)
    two.next_colour = ti.max(two.next_colour, chosen + 1)
    w.slot[g].colour = chosen
    return chosen


@ti.func
def order_pairs(w: ti.template(), island_id):
    """Write the order of all pairs of an island in this step."""
    give_numbers(w, island_id)
    list_touches(w, island_id)
    for at in range(w.pairs):
        w.contacts.solve_order[slot_at(w, at)] = 0
        w.contacts.in_block[slot_at(w, at)] = 0.0
    touches = rank_touches(w, island_id)
    order_outer_pairs(w, island_id, touches)
    order_inner_pairs(w, island_id, touches)
    end_touches(w, island_id)
    take_numbers_back(w, island_id)
