"""A robot whose joints run into their speed limits moves as PhysX recorded it."""

import numpy as np
from paths import TESTS

import fajin

FOLDER = TESTS / "recorded" / "policies"


def motion(target: np.ndarray, limit: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Positions and speeds after each step, (T, D); the limit replaces the scene's [rad/s]."""
    sim = fajin.Simulation(fajin.read(FOLDER / "anymal_c_air.usda"), sleeping=False)
    if limit is not None:
        sim.max_velocity = limit
    sim.step(1)  # PhysX takes targets after a first step only
    frames = []
    for row in target:
        sim.target_q = row
        sim.step(1)
        frames.append((sim.read("q")[0].copy(), sim.read("qd")[0].copy()))
    q, qd = zip(*frames, strict=True)
    return np.array(q), np.array(qd)


def test_joints_at_their_speed_limits_are_where_physx_has_them():
    """A fifth of all speeds is at the limit. Positions differ by a few roundings, speeds by those over the step."""
    with np.load(FOLDER / "anymal_c_air.npz") as file:
        log = dict(file)
    assert (np.abs(log["qd"]) > 7.49).mean() > 0.2
    rounding = 8 * np.finfo(np.float32).eps * np.abs(log["q"]).max()
    q, qd = motion(log["target_q"], None)
    assert np.abs(q - log["q"]).max() <= rounding
    assert np.abs(qd - log["qd"]).max() <= rounding * 200.0  # steps/s
    assert np.abs(motion(log["target_q"], 8.0)[0] - log["q"]).max() > 1e3 * rounding
