"""Connected parts of meshes."""

import numpy as np


def connected_parts(points: np.ndarray, triangles: np.ndarray) -> list[np.ndarray]:
    """Return the points (N, 3) of each connected part of a mesh, in the order of the parts' first points."""
    label = np.arange(len(points))
    while True:
        lowest = label[triangles].min(axis=1, initial=len(points))
        before = label.copy()
        for corner in range(3):
            np.minimum.at(label, triangles[:, corner], lowest)
        label = label[label]
        if (label == before).all():
            break
    used = np.unique(triangles)
    return [points[used[label[used] == part]] for part in np.unique(label[used])] if len(used) else [points]
