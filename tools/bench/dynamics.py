"""Queries of `fajin bench dynamics`: equations of motion of many worlds; in Pinocchio, one world after another.

Both fill new NumPy arrays: M (W, n, n), J of all moving links (W, 6 R, n), gravity (W, n).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Ask = Callable[[int], list[np.ndarray]]
"""Repeats a query a number of times; returns the last results."""


def fajin_asks(sim: Any) -> dict[str, Ask]:
    """Return the queries on a simulation, by name."""
    from fajin import dynamics

    sim.q = positions(sim.worlds, [name.rpartition(":")[0].rpartition("/")[2] for name in sim.dof])
    questions = {
        "mass matrix": lambda: dynamics.mass_matrix(sim),
        "Jacobian": lambda: dynamics.jacobian(sim),
        "gravity": lambda: dynamics.gravity_compensation(sim),
    }
    return _asks(questions)


def positions(worlds: int, joints: list[str]) -> np.ndarray:
    """Return the joint positions of both engines, (W, D) [rad | m], equal per joint in any joint order."""
    drawn = np.random.default_rng(0).uniform(-1.0, 1.0, (worlds, len(joints)))
    return drawn[:, np.argsort(np.argsort(joints))]


def _asks(questions: dict[str, Callable[[], np.ndarray]]) -> dict[str, Ask]:
    """Return each query by itself, and all of them together."""

    def repeated(names: tuple[str, ...]) -> Ask:
        def ask(times: int) -> list[np.ndarray]:
            answers: list[np.ndarray] = []
            for _ in range(times):
                answers = [questions[name]() for name in names]
            return answers

        return ask

    return {name: repeated((name,)) for name in questions} | {"all three": repeated(tuple(questions))}


def pinocchio_asks(case: dict) -> dict[str, Ask]:
    """Return the queries on Pinocchio's model of the robot with a fixed base."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]  # of the extra `bench`

    model = pin.buildModelFromMJCF(str(Path(case["robot"]).with_suffix(".xml")))
    data, names = model.createData(), list(case["joints"])
    q = positions(case["worlds"], names)
    qs = np.empty((len(q), model.nq))
    for column, name in enumerate(names):
        qs[:, model.joints[model.getJointId(name)].idx_q] = q[:, column]
    bodies = [i for i, frame in enumerate(model.frames) if frame.type == pin.FrameType.BODY and frame.parentJoint]

    def mass_matrix() -> np.ndarray:
        answer = np.empty((len(qs), model.nv, model.nv))
        for i, row in enumerate(qs):
            answer[i] = pin.crba(model, data, row)
        return answer

    def jacobian() -> np.ndarray:
        answer = np.empty((len(qs), 6 * len(bodies), model.nv))
        for i, row in enumerate(qs):
            pin.computeJointJacobians(model, data, row)
            pin.updateFramePlacements(model, data)
            for k, body in enumerate(bodies):
                answer[i, 6 * k : 6 * k + 6] = pin.getFrameJacobian(model, data, body, pin.LOCAL_WORLD_ALIGNED)
        return answer

    def gravity() -> np.ndarray:
        answer = np.empty((len(qs), model.nv))
        for i, row in enumerate(qs):
            answer[i] = pin.computeGeneralizedGravity(model, data, row)
        return answer

    return _asks({"mass matrix": mass_matrix, "Jacobian": jacobian, "gravity": gravity})
