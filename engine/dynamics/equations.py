"""The equations of motion of a robot as functions; the package docstring states the conventions."""

import numpy as np

from ..simulation import Simulation
from ..tables.request import GRAVITY, GRAVITY_ON_ALL, MOVING, SLOWED
from .queries import (
    body_totals,
    coordinates_of,
    inverse_dynamics,
    joint_share_of_base,
    no_accelerations,
    numbers,
    whole_mass_matrix,
)

BASE = ("linX", "linY", "linZ", "rotX", "rotY", "rotZ")


def coordinates(sim: Simulation, *, articulation: int | str | None = None) -> tuple[str, ...]:
    """Return the names of the coordinates: "linX" to "rotZ" of a floating base, then the degrees of freedom."""
    it = coordinates_of(sim, articulation)
    return (BASE if it.floating else ()) + tuple(sim.dof[column] for column in it.columns)


def links(sim: Simulation, *, articulation: int | str | None = None) -> tuple[str, ...]:
    """Return the prim paths of the links, (L,), the order of the wrenches of `generalized_external_force`."""
    return coordinates_of(sim, articulation).names


def gravity_compensation(
    sim: Simulation, *, articulation: int | str | None = None, physx: bool = False, free_base: bool = False
) -> np.ndarray:
    """Return the efforts that hold the links against gravity, (W, n).

    physx: include links with disabled gravity (`computeGravityCompensation`).
    """
    it = coordinates_of(sim, articulation)
    return inverse_dynamics(sim, it, free_base, GRAVITY=GRAVITY_ON_ALL if physx else GRAVITY)


def coriolis_compensation(
    sim: Simulation, *, articulation: int | str | None = None, physx: bool = False, free_base: bool = False
) -> np.ndarray:
    """Return the efforts of Coriolis and centrifugal forces and gyroscopic torques, c(q, q̇) at q̈ = 0, (W, n).

    physx: scale all speeds down first if a joint exceeds its max_velocity (`computeCoriolisCompensation`).
    """
    return inverse_dynamics(sim, coordinates_of(sim, articulation), free_base, MOVING=SLOWED if physx else MOVING)


def generalized_external_force(
    sim: Simulation, *, force: np.ndarray, articulation: int | str | None = None, free_base: bool = False
) -> np.ndarray:
    """Return the efforts that hold the links against external forces: −Σ Jᵀ force, (W, n).

    PhysX's `computeGeneralizedExternalForce` has a free base and adds the gyroscopic torque of the root.

    Args:
        sim: the simulation.
        force: (W, L, 6), per link of `links`: force at its centre of mass [N] and torque [N·m].
        articulation: path or index of the robot.
        free_base: leave a floating base unactuated; the result is (W, D).
    """
    it = coordinates_of(sim, articulation)
    given = numbers("force", force, (sim.worlds, len(it.names), 6), "worlds, links, force and torque")
    return inverse_dynamics(sim, it, free_base, (no_accelerations(sim), given.reshape(sim.worlds, -1)), PUSHED=1)


def joint_force(
    sim: Simulation,
    *,
    qdd: np.ndarray,
    articulation: int | str | None = None,
    physx: bool = False,
    free_base: bool = False,
) -> np.ndarray:
    """Return the efforts that accelerate the robot, without the efforts against gravity: M q̈ + c(q, q̇), (W, n).

    PhysX's `computeJointForce` has a free base.

    Args:
        sim: the simulation.
        qdd: (W, n), accelerations of the coordinates; (W, D) with a free base.
        articulation: path or index of the robot.
        physx: treat joints as at rest and without armature.
        free_base: leave a floating base unactuated; the result is (W, D).
    """
    it = coordinates_of(sim, articulation)
    left_out = it.base if free_base else 0
    shape = sim.worlds, it.count - left_out
    given = numbers("qdd", qdd, shape, "worlds, degrees of freedom" if left_out else "worlds, coordinates")
    full = np.concatenate([np.zeros((sim.worlds, left_out)), given], 1)
    asked = {} if physx else {"MOVING": MOVING, "ARMATURE": 1}
    return inverse_dynamics(sim, it, free_base, (full,), ACCELERATED=1, **asked)


def joint_acceleration(
    sim: Simulation, *, effort: np.ndarray | None = None, articulation: int | str | None = None
) -> np.ndarray:
    """Return the accelerations of the coordinates under efforts, gravity and velocities: M⁻¹ (τ − c + g), (W, n).

    Args:
        sim: the simulation.
        effort: (W, n), or (W, D) for zero efforts on a floating base. Default: user efforts of the simulation.
        articulation: path or index of the robot. PhysX's `computeJointAcceleration` returns the joint columns only.
    """
    it = coordinates_of(sim, articulation)
    tau = np.asarray(sim.effort)[:, it.columns] if effort is None else effort
    if it.base and np.shape(tau) == (sim.worlds, len(it.columns)):
        tau = np.concatenate([np.zeros((sim.worlds, it.base)), tau], 1)
    either = "worlds, coordinates; the base columns may be omitted"
    given = numbers("effort", tau, (sim.worlds, it.count), either)
    return sim._synced_state().query_dynamics(
        "forward_dynamics", it.words(it.links, GRAVITY=GRAVITY, MOVING=MOVING), it.count, (given,)
    )


def mass_matrix(
    sim: Simulation, *, articulation: int | str | None = None, physx: bool = False, free_base: bool = False
) -> np.ndarray:
    """Return M, symmetric and positive definite, (W, n, n).

    physx: leave armature out of its diagonal (`computeMassMatrix`).
    """
    it = coordinates_of(sim, articulation)
    M = whole_mass_matrix(sim, it, 0 if physx else 1)
    return M[:, 6:, 6:] + joint_share_of_base(M, M[:, :6, 6:]) if free_base and it.floating else M


def jacobian(sim: Simulation, *, articulation: int | str | None = None) -> np.ndarray:
    """Return J: velocities of the links per speed of the coordinates, (W, 6 R, n).

    Six rows per link, in the order of `links`: velocity of its centre of mass, angular velocity. A fixed root has no
    rows, as in `computeDenseJacobian`.
    """
    it = coordinates_of(sim, articulation)
    rows = 6 * (int(it.moving.max()) + 1)
    return (
        sim._synced_state()
        .query_dynamics("jacobian", it.words(it.moving), rows * it.count)
        .reshape(sim.worlds, rows, it.count)
    )


def link_acceleration(
    sim: Simulation, *, qdd: np.ndarray | None = None, articulation: int | str | None = None
) -> np.ndarray:
    """Return the accelerations of the links, J q̈ + J̇ q̇, (W, L, 6), in the order of `links`.

    Args:
        sim: the simulation.
        qdd: (W, n). Default: 0, which returns J̇ q̇.
        articulation: path or index of the robot.
    """
    it = coordinates_of(sim, articulation)
    given = no_accelerations(sim) if qdd is None else numbers("qdd", qdd, (sim.worlds, it.count), "worlds, coordinates")
    words = it.words(it.links, MOVING=MOVING, ACCELERATED=int(qdd is not None))
    found = sim._synced_state().query_dynamics("link_accelerations", words, 6 * len(it.names), (given,))
    return found.reshape(sim.worlds, len(it.names), 6)


def articulation_com(sim: Simulation, *, articulation: int | str | None = None, root_frame: bool = False) -> np.ndarray:
    """Return the centre of mass of all links [m], (W, 3).

    root_frame: relative to the root's centre of mass, in the axes of the root link; PhysX uses its principal axes
    (`computeArticulationCOM`).
    """
    return body_totals(sim, articulation, "in_root" if root_frame else "com")


def centroidal_momentum_matrix(sim: Simulation, *, articulation: int | str | None = None) -> np.ndarray:
    """Return A_G: `momentum` per speed of the coordinates, (W, 6, n). PhysX supports floating bases only."""
    it = coordinates_of(sim, articulation, base=True)
    M = whole_mass_matrix(sim, it, 0)
    root = np.stack([M[:, 2, 4], M[:, 0, 5], M[:, 1, 3]], -1) / M[:, 2, 2, None]  # from the centre of mass
    A = M[:, :6]
    A[:, 3:] += np.cross(root[:, :, None], A[:, :3], axis=1)
    return A if it.floating else A[:, :, 6:].copy()


def centroidal_momentum_bias(sim: Simulation, *, articulation: int | str | None = None) -> np.ndarray:
    """Return the rate of `momentum` at q̈ = 0, Ȧ_G q̇, (W, 6). PhysX supports floating bases only."""
    it = coordinates_of(sim, articulation, base=True)
    rate = inverse_dynamics(sim, it, MOVING=MOVING)[:, :6].copy()
    rate[:, 3:] -= np.cross(body_totals(sim, articulation, "from_root"), rate[:, :3])
    return rate


def kinetic_energy(sim: Simulation, *, articulation: int | str | None = None) -> np.ndarray:
    """Return ½ q̇ᵀ M q̇ [J], including the rotors (armature), (W,)."""
    return body_totals(sim, articulation, "kinetic")


def potential_energy(sim: Simulation, *, articulation: int | str | None = None) -> np.ndarray:
    """Return −Σ m g · x over the links with gravity, x from the world's origin [J], (W,)."""
    return body_totals(sim, articulation, "potential")


def momentum(sim: Simulation, *, articulation: int | str | None = None) -> np.ndarray:
    """Return linear momentum [kg·m/s] and angular momentum about the centre of mass [kg·m²/s] of all links, (W, 6)."""
    return body_totals(sim, articulation, "momentum")
