"""Nearest points, depths and faces of cores of convex shapes: a sphere's centre, a capsule's axis, else the shape.

PhysX has two pipelines for them, and both are here. Boxes, hulls and capsules keep a manifold and the simplex from step
to step (`gjk`, `support`, `epa`). Cylinders and cones keep nothing (`cores`, `core_*`).
"""
