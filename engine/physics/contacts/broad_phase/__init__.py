"""Broad phase: colliders that are near each other, and the slots that hold their numbers.

All lanes are computed at once: a pair is near if it is in any lane. Only the last three functions
of `slot_rows` compute one lane at a time.
"""
