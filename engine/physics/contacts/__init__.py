"""Contacts: shapes, contact points, friction patches and their rows, as PhysX has them (PCM manifolds, patch friction).

    pipeline       the stages of a step: detect, prepare, solve
    broad_phase/   bounding boxes, pairs that are near, and the slots that hold their numbers       all lanes at once
    narrow_phase/  contact points of a pair, and the manifold that it keeps                         one lane at a time
    friction/      patches with two anchors, rows, their solution, and what is reported             all lanes at once
    order/         PhysX's order of pairs, and the groups of bodies that sleep as one               one lane at a time

A file of a folder of one lane may branch on data: it belongs to the package of single lanes, whatever the width of a
pack, and is called through `single_lane`. A file of all lanes chooses with `select`. Each folder names its exceptions.
A folder imports from those before it, and all of them from the files beside them.
"""
