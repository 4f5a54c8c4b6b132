"""Geometry of points and meshes: convex hulls, parts of meshes, triangles and their normals."""
