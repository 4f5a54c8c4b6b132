"""Narrow phase: contact points of a pair of colliders, by the kinds of its shapes, and the manifold that it keeps.

One lane is computed at a time, and files branch on its data; `generation` chooses by the kinds. Only `points_on_plane`,
for spheres, capsules and boxes, computes all lanes at once.
"""
