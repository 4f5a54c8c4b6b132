"""One engine, one robot, timed: the child process of `fajin bench`, so that engines neither share a process nor a core.

Reads a case as JSON from the command line and prints what it measured as one line of JSON. Imports no engine before its
turn, and nothing of fajin for the others: the interpreter that runs a peer need not have fajin.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path


def fajin(case: dict):
    """fajin: `steps` steps of every world in one launch."""
    import fajin as engine
    from fajin.tools.bench_models import load

    scene = load(case["robot"], case["solver"], case["iterations"], case["dt"])
    if case.get("constraint"):
        from fajin.tools.bench_constraints import constrained

        scene = constrained(scene, case["constraint"])
    sim = engine.Simulation(
        scene, worlds=case["worlds"], device=case["device"], threads=case["threads"], dt=case["dt"], sleeping=False
    )

    def advance(steps: int) -> None:
        sim.step(steps)
        if sim.device != "cpu":
            float(sim.q[0, 0])  # waits for the device

    return advance, f"fajin on {sim.device}"


def mujoco(case: dict):
    """MuJoCo: its own multi-threaded rollout over independent states, the same gains, limits and armature."""
    import mujoco as engine
    import numpy as np
    from mujoco.rollout import Rollout

    model = engine.MjModel.from_xml_path(str(Path(case["robot"]).with_suffix(".xml")))
    model.opt.timestep = case["dt"]
    data = engine.MjData(model)
    target = np.zeros(model.nu)
    for name, (q, target_q) in case["joints"].items():
        data.joint(name).qpos[0] = q
        target[model.actuator(f"act_{name}").id] = target_q
    kind = engine.mjtState.mjSTATE_FULLPHYSICS
    state = np.empty(engine.mj_stateSize(model, kind))
    engine.mj_getState(model, data, state, kind)
    states = np.tile(state, (case["worlds"], 1))

    several = case["threads"] > 1
    rollout = Rollout(nthread=case["threads"] if several else 0)
    scratch = [engine.MjData(model) for _ in range(case["threads"])]
    chunk = 50  # steps whose states are kept before they are thrown away
    buffers = {}

    def advance(steps: int) -> None:
        while steps > 0:
            count = min(steps, chunk)
            steps -= count
            if count not in buffers:
                shape = (case["worlds"], count)
                control = np.broadcast_to(target, (*shape, model.nu)).copy()
                buffers[count] = np.empty((*shape, len(state))), control, np.empty((*shape, model.nsensordata))
            out, control, sensor = buffers[count]
            kept = {"nstep": count, "state": out, "sensordata": sensor, "skip_checks": True}
            rollout.rollout([model] * case["worlds"], scratch, states, control, **kept)
            states[:] = out[:, -1]

    return advance, f"MuJoCo {engine.__version__}"


def ovphysx(case: dict):
    """NVIDIA PhysX through ovphysx, on CPU: the same USD file, cloned side by side."""
    import ovphysx as engine
    import ovstage
    from ovphysx.samples.python_samples.schema_support import physx_schema_paths

    engine.PhysX.set_cpu_mode(True)
    engine.set_global_config(engine.GlobalConfigKey.NUM_THREADS, case["threads"] if case["threads"] > 1 else 0)
    physx = engine.PhysX()
    schemas = [str(path) for path in physx_schema_paths()] + [str(engine.newton_schema_root())]
    ovstage.population.register_usd_schemas(schemas)
    stage = ovstage.Stage("bench")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.usda"
        path.write_text(_with_solver(Path(case["robot"]).read_text(), case))
        ovstage.population.open_usd(stage, str(path), ordinal=1, domains=ovstage.PopulationDomain.ALL)
        stage.advance_write_floor(ordinal=1).wait()
        physx.wait_task(physx.attach_ovstage(stage, read_ordinal=1))
        physx.wait_all()
    if case["worlds"] > 1:
        names = [f"/World/envs/env{world}" for world in range(1, case["worlds"])]
        places = [(3.0 * (world % 64), 3.0 * (world // 64), 0, 0, 0, 0, 1) for world in range(1, case["worlds"])]
        physx.clone("/World/envs/env0", names, anchor_transforms=places)
        physx.wait_all()

    def advance(steps: int) -> None:
        for _ in range(steps):
            physx.step_sync(case["dt"])

    return advance, f"ovphysx {engine.__version__}"


def _with_solver(text: str, case: dict) -> str:
    """The model file with the solver and the iterations of the case in place of its PGS 4/1."""
    position, velocity = case["iterations"]
    for old, new in (
        ('solverType = "PGS"', f'solverType = "{case["solver"].upper()}"'),
        ("solverPositionIterationCount = 4", f"solverPositionIterationCount = {position}"),
        ("solverVelocityIterationCount = 1", f"solverVelocityIterationCount = {velocity}"),
    ):
        text = text.replace(old, new)
    return text


def measure(advances: list, case: dict) -> dict:
    """Steps of all worlds per second: the rate of each repeat, each at least `seconds` long, after a warm-up.

    On one thread the time is that of the processor, which other jobs on the core do not lengthen. What is compared, a
    step with a constraint to one without, takes turns.
    """
    clock = time.process_time if case["threads"] == 1 and case["device"] in ("cpu", "auto") else time.perf_counter
    begin = time.perf_counter()
    for advance in advances:
        advance(1)
    first = time.perf_counter() - begin
    counts = [_enough(advance, case["seconds"], clock) for advance in advances]
    rates = [[] for _ in advances]
    for _ in range(case["repeats"]):
        for advance, steps, found in zip(advances, counts, rates, strict=True):
            begin = clock()
            advance(steps)
            found.append(case["worlds"] * steps / (clock() - begin))
    mine, *without = rates
    compared = {"without": without[0]} if without else {}
    return {"rate": statistics.median(mine), "rates": mine, "steps": counts[0], "first_s": first, **compared}


def _enough(advance, seconds: float, clock) -> int:
    """How many steps take that long."""
    steps, elapsed = 1, 0.0
    while elapsed < seconds:
        steps = max(2 * steps, int(steps * seconds / max(elapsed, 1e-3)) if elapsed > 0.02 else 0)
        begin = clock()
        advance(steps)
        elapsed = clock() - begin
    return steps


def main() -> None:
    """Time the case of the command line."""
    case = json.loads(sys.argv[1])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-case["threads"] :])
    output = os.dup(1)
    os.dup2(2, 1)  # what engines print is no result
    begin = time.perf_counter()
    advance, version = {"fajin": fajin, "mujoco": mujoco, "ovphysx": ovphysx}[case["engine"]](case)
    setup = time.perf_counter() - begin
    advances = [advance]
    if case.get("constraint"):
        advances.append(fajin({**case, "constraint": ""})[0])
    result = {"version": version, "setup_s": setup, **measure(advances, case)}
    os.write(output, (json.dumps(result) + "\n").encode())
    os._exit(0)  # PhysX does not survive the interpreter's own way out


if __name__ == "__main__":
    main()
