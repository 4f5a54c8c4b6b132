"""Geometry of point sets: convex hulls and the parts of meshes."""
