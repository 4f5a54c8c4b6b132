"""`fajin bench dynamics`: answers of the equations of motion for many worlds, beside Pinocchio's one after the other.

Both fill NumPy arrays of their own: M (W, n, n), J of all links that move (W, 6 R, n), gravity (W, n), in one process
on one core. Run as a program, it measures the case of its command line and prints a line of JSON.
"""

import json
import statistics
import subprocess
import sys
import time
from typing import Any


def dynamics(cases: list[dict], table: Any) -> list[dict]:
    """Measure each case in a process of its own and add its rows to the table."""
    results = []
    for case in cases:
        command = [sys.executable, "-m", "fajin.tools.bench_dynamics", json.dumps(case)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        times = json.loads(done.stdout.splitlines()[-1])
        results.append({**case, "seconds": times})
        for name, mine in times["fajin"].items():
            other = times["pinocchio"].get(name)
            beside = (f"{1e3 * other:.2f}", f"{other / mine:.1f}") if other else ("-", "-")
            table.add_row(name, case["name"], f"{case['worlds']:,}", f"{1e3 * mine:.2f}", *beside)
    return results


def fajin_asks(case: dict) -> tuple[dict, Any]:
    """The questions to fajin, by name, and the joint positions, (W, D), and their names."""
    import numpy as np

    import fajin
    from fajin import dynamics as asked

    from .bench_models import load

    scene = load(case["robot"], case["solver"], case["iterations"], case["dt"])
    sim = fajin.Simulation(scene, case["worlds"], case["device"], threads=case["threads"])
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (case["worlds"], len(sim.dof)))
    sim.q = q
    questions = {
        "mass matrix": lambda: asked.mass_matrix(sim),
        "Jacobian": lambda: asked.jacobian(sim),
        "gravity": lambda: asked.gravity_compensation(sim),
    }
    return questions, (q, [name.rpartition(":")[0].rpartition("/")[2] for name in sim.dof])


def pinocchio_asks(case: dict, positions: Any) -> dict:
    """The same questions to Pinocchio's model of the robot with a fixed base; none where it is not installed."""
    from pathlib import Path

    import numpy as np

    try:
        import pinocchio as pin
    except ImportError:
        return {}
    model = pin.buildModelFromMJCF(str(Path(case["robot"]).with_suffix(".xml")))
    data, (q, names) = model.createData(), positions
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

    return {"mass matrix": mass_matrix, "Jacobian": jacobian, "gravity": gravity}


def median(ask: Any, repeats: int) -> float:
    """Seconds that a question takes."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        ask()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main() -> None:
    """Time the case of the command line."""
    import os

    case = json.loads(sys.argv[1])
    if hasattr(os, "sched_setaffinity") and case["threads"] == 1:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    mine, positions = fajin_asks(case)
    sides = {"fajin": (mine, 5 * case["repeats"]), "pinocchio": (pinocchio_asks(case, positions), case["repeats"])}
    times = {}
    for side, (asks, repeats) in sides.items():
        times[side] = {name: median(ask, repeats) for name, ask in asks.items() if ask() is not None}
        if asks:
            times[side]["all three"] = median(lambda asks=asks: [ask() for ask in asks.values()], repeats)
    print(json.dumps(times))


if __name__ == "__main__":
    main()
