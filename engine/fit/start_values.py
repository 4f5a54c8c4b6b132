"""Values with which a fit starts: from measured efforts, and so that no joint sticks which moves in a log.

    τ = M q̈ + c − g + armature q̈ + viscous q̇ + Coulomb sign(q̇) + offset

This equation is linear in what is fitted. Positions are smoothed without a phase shift, then differentiated. The
result is a start, and a check: a negative armature says that the inertias of the links are too large. Coulomb friction
that holds a joint which moves in the log hides all parameters of the joint: a fit starts with less of it.
"""

from collections.abc import Sequence

import numpy as np

from .. import dynamics
from ..model.model import Model
from ..selection import short_names
from ..simulation import Simulation
from .detection import moving, smooth
from .intervals import naive_covariance
from .log_finding import LogFinding
from .motion_log import MotionLog
from .piece import Piece
from .rollout import LANES, Rollout

SMOOTHING = 0.02  # [s]
REGRESSED_ROWS = 512  # of a log
STILL = 0.02  # part of the largest speed below which the sign of friction is not known
CLEAR = 5.0  # standard deviations below 0, of rows that smoothing correlates, at which a value contradicts the scene
SMALLER = 0.4 ** np.arange(LANES)  # factors of Coulomb friction that are tried in one launch
LEAST_MOVED = 0.5  # part of the range of a log that its simulation must have
REGRESSED = ("armature", "viscous", "coulomb")


def regress_start(
    model: Model, logs: Sequence[MotionLog], threads: int = 0
) -> tuple[dict[tuple[str, int], float], list[LogFinding]]:
    """Return {(quantity, degree of freedom): value} of logs with efforts, and what contradicts the scene.

    A value that is negative is left out and named. Logs of a part of the robot's joints, and robots that are not fixed
    to the world, have no regression.
    """
    robots = [a for a in model.scene.articulations if not a.free]
    logs = [log for log in logs if log.effort is not None and len(log.dof) == len(model.dof)]
    if len(robots) != 1 or not robots[0].fixed_base or not logs:
        return {}, []
    parts = [_rows(log) for log in logs]
    q, qd, qdd, effort = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    friction = effort - _rigid(model, (q, qd, qdd), threads)
    found: dict[tuple[str, int], float] = {}
    said = []
    for j, name in enumerate(short_names(model.dof)):
        moves = np.abs(qd[:, j]) > STILL * np.abs(qd[:, j]).max(initial=0.0)
        if moves.sum() < 20:
            continue
        Y = np.column_stack((qdd[moves, j], qd[moves, j], np.sign(qd[moves, j]), np.ones(moves.sum())))
        values = np.linalg.lstsq(Y, friction[moves, j], rcond=None)[0]
        deviations = np.sqrt(np.diag(naive_covariance(Y, friction[moves, j] - Y @ values)))
        for quantity, value, deviation in zip(REGRESSED, values, deviations, strict=False):
            if value > 0.0:
                found[quantity, j] = float(value)
            elif value < -CLEAR * deviation:
                text = f"efforts give {quantity} = {value:.3g}, below 0: inertias or gains of the scene may be wrong"
                said.append(LogFinding("regression", name, text))
    return found, said


def _rows(log: MotionLog) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return smoothed positions, speeds, accelerations and efforts at some rows, (R, D) each."""
    count = max(1, round(SMOOTHING / log.period)) | 1
    q = smooth(smooth(log.q, count), count)
    qd = np.gradient(q, log.time, axis=0)
    qdd = np.gradient(qd, log.time, axis=0)
    effort = smooth(smooth(log.effort, count), count)  # pyright: ignore[reportArgumentType]
    inner = np.linspace(2 * count, len(log) - 1 - 2 * count, min(REGRESSED_ROWS, len(log))).astype(int)
    rows = np.unique(np.clip(inner, 0, len(log) - 1))
    return q[rows], qd[rows], qdd[rows], effort[rows]


def _rigid(model: Model, motion: tuple[np.ndarray, np.ndarray, np.ndarray], threads: int) -> np.ndarray:
    """Return the efforts that a robot without armature and friction needs, (R, D)."""
    q, qd, qdd = motion
    sim = Simulation(model, len(q), device="cpu", precision="f64", threads=threads, sleeping=False, contacts=False)
    sim.write("armature", np.zeros(q.shape))
    sim.write("q", q)
    sim.write("qd", qd)
    return dynamics.joint_force(sim, qdd=qdd) + dynamics.gravity_compensation(sim)


def free_stuck_joints(rollout: Rollout, pieces: Sequence[Piece], values: np.ndarray, kept: Sequence[str]) -> np.ndarray:
    """Return values with less Coulomb friction of the joints that move in a log and stick in its simulation, (P,).

    Args:
        rollout: the simulations.
        pieces: the logs.
        values: values of the start, (P,).
        kept: names of parameters that stay.
    """
    places = [i for i, p in enumerate(rollout.parameters) if p.quantity == "coulomb" and p.name not in kept]
    if not places:
        return values
    tried = np.tile(values, (LANES, 1))
    tried[:, places] *= SMALLER[:, None]
    enough = np.ones((LANES, len(places)), bool)
    for piece in pieces:
        q, _ = rollout.simulate(tried, [piece])
        column, log = list(piece.log.column), piece.log
        for k, p in enumerate(rollout.parameters[i] for i in places):
            if p.column in column and moving(log.q)[j := column.index(p.column)]:
                with np.errstate(invalid="ignore"):
                    enough[:, k] &= np.ptp(q[:, 0, :, p.column], axis=1) > LEAST_MOVED * np.ptp(log.q[:, j])
    first = np.where(enough.any(0), enough.argmax(0), 0)
    result = values.copy()
    result[places] *= SMALLER[first]
    return result
