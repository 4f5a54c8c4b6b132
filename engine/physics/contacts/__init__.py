"""Contacts: shapes, contact points, friction patches and their rows, as PhysX has them (PCM manifolds, patch friction).

Points and patches are computed for one lane at a time, with branches on its data: the files that say "of one lane" are
those of the package of single lanes, whatever the width of a pack. Poses, bounding boxes and rows are computed for all
lanes at once.
"""
