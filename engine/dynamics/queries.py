"""Queries of the dynamics kernel: coordinates of a robot, checked arrays, and laws that several equations share."""

import numpy as np
from numpy.typing import ArrayLike

from ..simulation import Simulation
from ..tables.request import MOVING
from .coordinate_order import Coordinates

TOTALS = {
    "com": slice(3),  # [m]
    "from_root": slice(3, 6),  # centre of mass relative to the root's [m]
    "momentum": slice(6, 12),  # linear, then angular about the centre of mass
    "in_root": slice(12, 15),  # `from_root` in the axes of the root link [m]
    "kinetic": 15,  # [J]
    "potential": 16,  # [J]
}


def coordinates_of(sim: Simulation, articulation: int | str | None, base: bool = False) -> Coordinates:
    """Return the coordinates of the selected articulation; `base` adds base coordinates to a fixed base.

    Raises:
        TypeError: `sim` is not a simulation.
        ValueError: no such articulation, or several to choose from.
    """
    if not isinstance(sim, Simulation):
        raise TypeError(f"sim = {type(sim).__name__}: must be a Simulation; pass fajin.Simulation(scene)")
    paths = [a.path for a in sim.scene.articulations]
    found = [i for i, path in enumerate(paths) if path == articulation]
    if articulation is None:
        found = [i for i, a in enumerate(sim.scene.articulations) if not a.free] or list(range(len(paths)))
    elif isinstance(articulation, int | np.integer) and not isinstance(articulation, bool):
        found = [i for i in range(len(paths)) if i == articulation]
    if len(found) != 1:
        whole = f"{', '.join(paths)}, or its index, 0 to {len(paths) - 1}"
        raise ValueError(f"articulation = {articulation!r}: must be one of {whole}")
    return Coordinates(sim._synced_state().model, found[0], base)


def numbers(name: str, values: ArrayLike, shape: tuple[int, ...], axes: str) -> np.ndarray:
    """Return the values as an array of that shape."""
    try:
        numbers = np.asarray(values)
    except ValueError:
        numbers = np.empty(0, object)  # rows of different lengths
    if numbers.dtype.kind not in "biuf":
        raise ValueError(f"{name}: must be an array of real numbers, {shape} ({axes})")
    if numbers.shape != shape:
        raise ValueError(f"{name}: must have shape {shape} ({axes}), not {numbers.shape}")
    return numbers


def no_accelerations(sim: Simulation) -> np.ndarray:
    """Return what takes the place of accelerations in a law that needs none."""
    return np.zeros((sim.worlds, 1))


def inverse_dynamics(
    sim: Simulation, it: Coordinates, free_base: bool = False, given: tuple = (), **asked: int
) -> np.ndarray:
    """Return the efforts of the selected terms of the inverse dynamics, (W, n); of the joints only with a free base."""
    efforts = sim._synced_state().query_dynamics(
        "inverse_dynamics", it.words(it.links, **asked), it.count, given or (no_accelerations(sim),)
    )
    if not (free_base and it.floating):
        return efforts
    return efforts[:, 6:] + joint_share_of_base(whole_mass_matrix(sim, it, 0), efforts[:, :6, None])[..., 0]


def whole_mass_matrix(sim: Simulation, it: Coordinates, armature: int) -> np.ndarray:
    """Return M of all coordinates, with or without armature on its diagonal."""
    n = it.count
    words = it.words(it.links, ARMATURE=armature)
    return sim._synced_state().query_dynamics("mass_matrix", words, n * n).reshape(sim.worlds, n, n)


def joint_share_of_base(M: np.ndarray, efforts: np.ndarray) -> np.ndarray:
    """Return the effect on the joints of a base that accelerates until it needs no efforts: −M_j0 M_00⁻¹ efforts."""
    return M[:, 6:, :6] @ np.linalg.solve(M[:, :6, :6], -efforts)


def body_totals(sim: Simulation, articulation: int | str | None, name: str) -> np.ndarray:
    """Return one of `TOTALS` over all links of an articulation, (W, ...)."""
    it = coordinates_of(sim, articulation)
    return (
        sim._synced_state()
        .query_dynamics("com_momentum_and_energy", it.words(it.links, MOVING=MOVING), 17)[:, TOTALS[name]]
        .copy()
    )
