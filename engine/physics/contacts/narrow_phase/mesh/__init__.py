"""Contact points of a shape on a triangle mesh: the triangles near it, points on each, and manifolds of one normal."""
