"""Binary search in a sorted range of items."""

import taichi as ti


@ti.func
def lower_bound(w: ti.template(), start, end, comes_before: ti.template(), key):
    """Return the first place of [start, end) whose item does not come before a key; `end` if all do.

    Args:
        w: view of a world.
        start: first place.
        end: place behind the last one.
        comes_before: function of a world, a place and the key that returns whether the item there comes before the key.
        key: what is looked for, which function `comes_before` compares.
    """
    low, high = start + 0, end + 0
    while low < high:
        middle = (low + high) // 2
        if comes_before(w, middle, key):
            low = middle + 1
        else:
            high = middle
    return low
