"""PhysX's order of pairs, and the groups of bodies that fall asleep and wake as one.

A pass solves rows one after the other, and a later row sees the impulses of the earlier ones: the order is part of the
result. Without this folder every law of contacts still holds, but bodies that touch several others leave PhysX's
motion: piles, stacks, a gripper with its object. PhysX's order follows from its history. Pairs that begin to touch in
one step are ordered by numbers that earlier pairs gave back (`numbering`), groups split in the order of a search
(`touch_groups`), and equal keys are sorted by a sort that is not stable (`unstable_sort`). An island in which no two
orders differ leaves all of it out (`orders_pairs`).

One lane is computed at a time: worlds touch in different orders. Only `lane_order`, which merges the orders of all
lanes into turns, computes all lanes at once.
"""
