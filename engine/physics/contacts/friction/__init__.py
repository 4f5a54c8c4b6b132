"""Friction patches, the rows of pairs that touch, their solution within the friction cone, and what is reported.

All lanes are computed at once, in the turns of `order.lane_order`. Only `mesh_patches` and `write_own_forces` of
`contact_report` compute one lane at a time.
"""
