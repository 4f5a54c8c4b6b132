"""PhysX's sort of the contacts of an articulation by link; it does not keep the order of equals.

Ranges of up to five pairs: selection sort with swaps. Longer ones: quick sort around the median of the first, middle
and last; both scans also stop at elements equal to the pivot; the smaller part waits while the larger one goes on.
"""

import taichi as ti

SMALL_RANGE = 5


@ti.func
def rank_at(w: ti.template(), place):
    """Return the link by which the pair at a place of the list is sorted."""
    return w.slot[w.active[place].listed].link_rank


@ti.func
def swap(w: ti.template(), i, j):
    """Swap two places of the list."""
    one, two = w.active[i].listed, w.active[j].listed
    w.active[i].listed = two
    w.active[j].listed = one


@ti.func
def swap_if_less(w: ti.template(), i, j):
    """Swap two places of the list if the pair at the first one is to come before that at the second one."""
    if rank_at(w, i) < rank_at(w, j):
        swap(w, i, j)


@ti.func
def sort_small(w: ti.template(), first, last):
    """Sort a short range by selection."""
    for i in range(first, last):
        least = i
        for j in range(i + 1, last + 1):
            if rank_at(w, j) < rank_at(w, least):
                least = j
        if least != i:
            swap(w, least, i)


@ti.func
def partition_range(w: ti.template(), first, last):
    """Part a range around its pivot; return the place of the pivot."""
    middle = (first + last) // 2
    swap_if_less(w, middle, first)
    swap_if_less(w, last, first)
    swap_if_less(w, last, middle)
    swap(w, middle, last - 1)
    i, j, scanning = first, last - 1, True
    while scanning:
        i += 1
        while rank_at(w, i) < rank_at(w, last - 1):
            i += 1
        j -= 1
        while rank_at(w, last - 1) < rank_at(w, j):
            j -= 1
        if i >= j:
            scanning = False
        else:
            swap(w, i, j)
    swap(w, i, last - 1)
    return i


@ti.func
def sort_by_link(w: ti.template(), start, end):
    """Sort the list of pairs from place `start` to before `end` by link. The ranges that wait are in CHOSEN."""
    first, last, waiting, sorting = start, end - 1, 0, True
    while sorting:
        if last - first < SMALL_RANGE:
            sort_small(w, first, last)
            if waiting == 0:
                sorting = False
            else:
                waiting -= 2
                first, last = w.candidate[waiting].chosen, w.candidate[waiting + 1].chosen
        else:
            pivot = partition_range(w, first, last)
            low, high = pivot + 1, last
            if pivot - first < last - pivot:
                low, high = first, pivot - 1
                first = pivot + 1
            else:
                last = pivot - 1
            w.candidate[waiting].chosen = low
            w.candidate[waiting + 1].chosen = high
            waiting += 2
