"""Merge sort of a list of items: equals keep their order."""

import taichi as ti


@ti.func
def merge_sort(w: ti.template(), table: ti.template(), count, comes_before: ti.template()):
    """Sort the first `count` numbers in LISTED of a table; RANKED is overwritten.

    Args:
        w: view of a world.
        table: the table with the rows LISTED and RANKED.
        count: number of items.
        comes_before: function of a world and two numbers that returns whether the first comes before the second.
    """
    width = 1
    while width < count:
        start = 0
        while start < count:
            merge(w, table, start, ti.min(start + width, count), ti.min(start + 2 * width, count), comes_before)
            start += 2 * width
        for i in range(count):
            table[i].listed = table[i].ranked
        width *= 2


@ti.func
def merge(w: ti.template(), table: ti.template(), start, middle, end, comes_before: ti.template()):
    """Merge two sorted runs of the list, [start, middle) and [middle, end), into RANKED."""
    one, two = start + 0, middle + 0
    for place in range(start, end):
        takes_two = one >= middle
        if one < middle and two < end:
            takes_two = comes_before(w, table[two].listed, table[one].listed)
        if takes_two:
            table[place].ranked = table[two].listed
            two += 1
        else:
            table[place].ranked = table[one].listed
            one += 1
