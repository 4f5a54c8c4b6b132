"""Rays from poses to what stands still, computed by a kernel."""

import numpy as np

from ..compiler.device import Device
from ..model.ray_targets import RayTargets
from .buffer import as_input
from .compiled_kernel import launch


class RayCaster:
    """Casts the same rays from many poses.

    Args:
        device: the device.
        targets: what rays meet.
        rays: start and direction of each ray in the frame of a pose, (R, 6).
        alignment: index of `ALIGNMENTS`.
        farthest: distance beyond which nothing is hit [m].
    """

    def __init__(self, device: Device, targets: RayTargets, rays: np.ndarray, alignment: int, farthest: float):
        number, tree, columns = f"f{device.bits // 8}", targets.tree, targets.columns
        links = np.full((max(len(tree.skip), len(tree.first)), 2), -1, np.int32)
        links[: len(tree.skip), 0] = tree.skip
        links[: len(tree.first), 1] = tree.first
        arrays = {"triangles": tree.triangles.reshape(-1, 9), "bounds": tree.bounds.reshape(-1, 6)}
        arrays |= {"rays": rays, "shapes": targets.shapes}
        filled = {name: array if len(array) else np.zeros((1, array.shape[1])) for name, array in arrays.items()}
        self._inputs = {name: as_input(np.ascontiguousarray(array, number)) for name, array in filled.items()}
        grid = np.concatenate([columns.low, 1.0 / columns.cell]).astype(number)
        listed = columns.listed if len(columns.listed) else np.zeros(1, np.int32)
        whole = {"links": links, "grid": grid, "cells": columns.first, "listed": listed}
        self._inputs |= {name: as_input(array) for name, array in whole.items()}
        self._device, self._number = device, number
        self._numbers = {"alignment": alignment, "farthest": farthest, "leaves": tree.leaves}
        self._numbers |= {"cells_x": int(columns.size[0]), "cells_y": int(columns.size[1])}
        self._numbers |= {"shape_count": len(targets.shapes), "ray_count": len(rays)}

    def cast(self, poses: np.ndarray) -> np.ndarray:
        """Return hits and distances of the rays from poses (n, 7): (n, R, 4), infinite where nothing is hit."""
        count = self._numbers["ray_count"]
        hits = np.empty((len(poses) * count, 4), self._number)
        if hits.size:
            device, tasks = self._device, len(hits)
            workers = min(tasks, device.workers) if device.packed else tasks
            poses = as_input(np.ascontiguousarray(poses, self._number))
            numbers = {**self._numbers, "tasks": tasks, "workers": workers}
            launch(device, "rays", "ray_kernel", poses=poses, hits=hits, **self._inputs, **numbers)
        return hits.reshape(len(poses), count, 4)
