"""Order in which the pairs are solved: SOLVE_ORDER of every pair, from 1 on.

Pairs of an articulation with what is static are solved in the sweep of their link. PhysX sorts their list, in the order
of touch, by link with a sort that is not stable, so that within a link the order is not that of touch. All other pairs
have colours: a pair of two movable things has the first colour that no joint and no earlier pair of either has. Colours
are chosen in rounds of 32: pairs that find none in a round wait for the next one. TGS has two rounds, and what finds no
colour in either is solved first, in the order of the list and not in blocks. PhysX solves colour after colour, and with
each colour its joints (`model.solve_order`). A joint of a free body to the world comes after the last colour of that
body, and then the body's pairs with what is static. Bodies do not share these, so that here they come last of all,
joints first.

The places count the joints outside the sweeps, too: there is a gap for each of them. Of the constraints of one colour,
those with what is static counted by the next ones of their body, PhysX solves four consecutive pairs without
articulations at once, as one block.
"""

import taichi as ti

from ....tables.contacts import COLOURS, UNCOLOURED, WORLD_COLOUR
from ..broad_phase.active_pairs import slot_at
from ..pair_sleep import is_awake
from .numbering import give_numbers, take_numbers_back
from .touch_lists import end_touches, list_touches, rank_touches
from .unstable_sort import sort_by_link

BLOCK = 4
"""Pairs of a block."""
HALF = COLOURS // 2
"""Colours of which a number in single precision holds the bits."""


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
    last = list_outer_pairs(w, island_id, touches)
    first, colours = choose_colours(w, island_id, last)
    for j in range(w.island[island_id].joint, w.island[island_id].pair_joint_end):
        if w.joint[j].colour == WORLD_COLOUR:
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
    sort_by_colour(w, last, first, colours)
    mark_blocks(w, last)
    write_places(w, island_id, last, first, colours)


@ti.func
def sort_by_colour(w: ti.template(), last, first, colours):
    """Write the listed pairs sorted by colour; those of one colour stay in the order of the list."""
    count = 0
    for colour in range(first, colours):
        for place in range(last):
            if w.active[place].listed_colour == colour:
                count = w.active.push(count, coloured=w.active[place].listed)


@ti.func
def choose_colours(w: ti.template(), island_id, last):
    """Write COLOUR of the listed pairs of two movable things by rounds; return the first colour and the end."""
    island = w.island[island_id]
    for i in range(island.member, island.member_end):
        w.articulation[w.member[i].articulation].next_colour = 0
    for place in range(last):
        w.slot[w.active[place].listed].colour = UNCOLOURED
    colours, left, a_round = 0, 1, 0
    while left > 0 and a_round < island.rounds:
        begin_round(w, island_id, COLOURS * a_round)
        left = 0
        for place in range(last):
            g = w.active[place].listed
            if w.slot[g].owner1 >= 0 and w.slot[g].colour == UNCOLOURED:
                chosen = choose_colour(w, g, COLOURS * a_round)
                colours = ti.max(colours, chosen + 1)
                left += ti.select(chosen == UNCOLOURED, 1, 0)
        a_round += 1
    return ti.select(left > 0, UNCOLOURED, 0), colours


@ti.func
def begin_round(w: ti.template(), island_id, start):
    """Write the colours from `start` on that joints use of the members of an island."""
    island = w.island[island_id]
    for i in range(island.member, island.member_end):
        member = w.articulation[w.member[i].articulation]
        member.early_colours = 0
        member.late_colours = 0
    for j in range(island.joint, island.pair_joint_end):
        place = w.joint[j].colour - start
        if place >= 0 and place < COLOURS:
            take_colour(w, w.joint[j].held, start, place)
            take_colour(w, w.joint[j].held_too, start, place)


@ti.func
def take_colour(w: ti.template(), a, start, place):
    """Write that articulation a has colour `start` + `place`."""
    owner = w.articulation[a]
    if place < HALF:
        owner.early_colours = owner.early_colours | (1 << place)
    else:
        owner.late_colours = owner.late_colours | (1 << (place - HALF))
    owner.next_colour = ti.max(owner.next_colour, start + place + 1)


@ti.func
def write_places(w: ti.template(), island_id, last, first, colours):
    """Write SOLVE_ORDER of the listed pairs: colour by colour, joints before pairs; what is static last."""
    joint, end, order = w.island[island_id].joint, w.island[island_id].pair_joint_end, 0
    for static in range(2):
        place = 0
        for colour in range(first, colours):
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

    Pairs without a colour are in no block. A pair with a surface velocity is in none, nor are those that would share
    it.
    """
    colour, run, touching = UNCOLOURED, 0, 0
    for place in range(last):
        g = w.active[place].coloured
        if w.slot[g].colour != colour:
            colour, run, touching = w.slot[g].colour, 0, 0
        run = ti.select(has_articulation(w, g), 0, run + 1)
        if colour == UNCOLOURED:
            run = 0
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
def choose_colour(w: ti.template(), g, start):
    """Write COLOUR of a pair of two movable things, the first from `start` on that both have free; return it."""
    a, b = w.slot[g].owner0, w.slot[g].owner1
    one, two = w.articulation[a], w.articulation[b]
    taken = (one.early_colours | two.early_colours) | ((one.late_colours | two.late_colours) << HALF)
    place, chosen = 0, UNCOLOURED
    while place < COLOURS - 1 and (taken >> place) & 1:  # both are evaluated: a shift by COLOURS has no result
        place += 1
    if ((taken >> place) & 1) == 0:
        chosen = start + place
        take_colour(w, a, start, place)
        take_colour(w, b, start, place)
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
