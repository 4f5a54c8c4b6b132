"""One engine and one robot: the child process of `fajin bench`, so that no two engines share a process.

Reads a case as JSON from the command line, sets it up and reports readiness as a line of JSON. For every input line it
measures once and prints a line of JSON: steps of one world per second. It imports only the engine of its case, and
nothing of fajin for peers: the interpreter of a peer need not have fajin.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fajin import Simulation

Advance = Callable[[int], object]
"""Advances by a number of steps."""
Setup = tuple[Mapping[str, Advance], str] | tuple[Mapping[str, Advance], str, Mapping[str, float]]
"""Measurements by name, the version of the engine, and what else it reports of its setup."""


def fajin(case: dict) -> Setup:
    """Set up fajin: `steps` steps of every world in one launch."""
    import fajin as engine

    sim = simulation(case)
    return {"": _steps(sim)}, f"fajin on {sim.device}, {version(engine)}"


def copies(case: dict) -> Setup:
    """Set up fajin with a stage of copies as one world; report the time to read and make it, and the memory."""
    import fajin as engine

    engine.Simulation(engine.read(case["robot"], trusted=True), threads=1)  # loads what reading and making need
    clock, memory, times = clock_of(case), _peak_memory(), []
    times.append(clock())
    scene = engine.read(case["stage"], trusted=True)
    times.append(clock())
    place = {name: case[name] for name in ("device", "precision", "threads", "dt")}
    sim = engine.Simulation(scene, **place, sleeping=False, contacts=case["contacts"])
    times.append(clock())
    advance = _steps(sim)
    advance(1)
    facts = {"read_s": times[1] - times[0], "make_s": times[2] - times[1]}
    facts["bytes"] = (_peak_memory() - memory) / case["worlds"]
    return {"": advance}, f"fajin on {sim.device}, {version(engine)}", facts


def _steps(sim: "Simulation") -> Advance:
    """Return a function that advances a simulation and waits for its device."""

    def advance(steps: int) -> None:
        sim.step(steps)
        if sim.device != "cpu":
            float(sim.q[0, 0])  # synchronises with the device

    return advance


def _peak_memory() -> int:
    """Return the most memory that this process has used [B]; 0 where the system does not report it."""
    try:
        resource = import_module("resource")
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def simulation(case: dict) -> "Simulation":
    """Return the simulation of the case in fajin."""
    import fajin as engine
    from fajin.tools.bench.constraints import constrained
    from fajin.tools.bench.models import load

    scene = load(case["robot"], case["solver"], case["iterations"], case["dt"])
    if case.get("constraint"):
        scene = constrained(scene, case["constraint"])
    place = {name: case[name] for name in ("worlds", "device", "precision", "threads", "dt")}
    return engine.Simulation(scene, **place, sleeping=False, contacts=case["contacts"])


def stages(case: dict) -> Setup:
    """Set up fajin's stages of a step, each with all previous stages."""
    from functools import partial

    import fajin as engine
    from fajin.simulation.profiling import STAGES, repeat_stage

    sim = simulation(case)
    sim.step(20)
    return {stage: partial(repeat_stage, sim, stage) for stage in STAGES}, f"fajin on {sim.device}, {version(engine)}"


def environment(case: dict) -> Setup:
    """Set up an environment of fajin; a step is a control step, or a reset of two worlds."""
    from fajin.tools.bench import environments

    return environments.advances(case, clock_of(case)), "fajin"


def dynamics(case: dict) -> Setup:
    """Set up fajin's dynamics queries; a step is a query."""
    from fajin.tools.bench.dynamics import fajin_asks

    return fajin_asks(simulation(case)), "fajin"


def pinocchio(case: dict) -> Setup:
    """Set up Pinocchio's dynamics queries."""
    from fajin.tools.bench.dynamics import pinocchio_asks

    return pinocchio_asks(case), "Pinocchio"


def version(engine: ModuleType) -> str:
    """Return the installed version of a package."""
    from importlib.metadata import version as installed

    return installed(engine.__name__)


def mujoco(case: dict) -> Setup:
    """Set up MuJoCo: its multi-threaded rollout over independent states, with equal gains, limits and armature."""
    import numpy as np
    from mujoco.rollout import Rollout

    engine: Any = import_module("mujoco")  # native, without stubs
    model = engine.MjModel.from_xml_path(str(Path(case["robot"]).with_suffix(".xml")))
    model.opt.timestep = case["dt"]
    if not case["contacts"]:
        model.opt.disableflags |= engine.mjtDisableBit.mjDSBL_CONTACT
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
    chunk = 50  # steps whose states share a buffer
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

    return {"": advance}, f"MuJoCo {engine.__version__}"


def ovphysx(case: dict) -> Setup:
    """Set up NVIDIA PhysX through ovphysx, on CPU: the USD file, cloned side by side, or a stage of copies."""
    engine: Any = import_module("ovphysx")  # where it can be had
    ovstage: Any = import_module("ovstage")
    support: Any = import_module("ovphysx.samples.python_samples.schema_support")

    engine.PhysX.set_cpu_mode(True)
    engine.set_global_config(engine.GlobalConfigKey.NUM_THREADS, case["threads"] if case["threads"] > 1 else 0)
    physx = engine.PhysX()
    schemas = [str(path) for path in support.physx_schema_paths()] + [str(engine.newton_schema_root())]
    ovstage.population.register_usd_schemas(schemas)
    stage = ovstage.Stage("bench")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(case.get("stage") or write_robot(case, Path(folder)))
        ovstage.population.open_usd(stage, str(path), ordinal=1, domains=ovstage.PopulationDomain.ALL)
        stage.advance_write_floor(ordinal=1).wait()
        physx.wait_task(physx.attach_ovstage(stage, read_ordinal=1))
        physx.wait_all()
    if case["worlds"] > 1 and "stage" not in case:
        names = [f"/World/envs/env{world}" for world in range(1, case["worlds"])]
        places = [(3.0 * (world % 64), 3.0 * (world // 64), 0, 0, 0, 0, 1) for world in range(1, case["worlds"])]
        physx.clone("/World/envs/env0", names, anchor_transforms=places)
        physx.wait_all()

    def advance(steps: int) -> None:
        for _ in range(steps):
            physx.step_sync(case["dt"])

    return {"": advance}, f"ovphysx {engine.__version__}"


def write_robot(case: dict, folder: Path) -> Path:
    """Write the model file with the solver and iterations of the case instead of PGS 4/1; return its path."""
    path, text = folder / "robot.usda", Path(case["robot"]).read_text()
    position, velocity = case["iterations"]
    for old, new in (
        ('solverType = "PGS"', f'solverType = "{case["solver"].upper()}"'),
        ("solverPositionIterationCount = 4", f"solverPositionIterationCount = {position}"),
        ("solverVelocityIterationCount = 1", f"solverVelocityIterationCount = {velocity}"),
    ):
        text = text.replace(old, new)
    path.write_text(text)
    return path


def clock_of(case: dict) -> Callable[[], float]:
    """Return processor time on one thread, independent of other load, else wall time."""
    alone = case["threads"] == 1 and case["device"] in ("cpu", "cpu-lanes", "auto")
    named = ("processor" if alone else "wall") if case["clock"] == "auto" else case["clock"]
    return {"processor": time.process_time, "wall": time.perf_counter}[named]


def enough(advance: Advance, seconds: float, clock: Callable[[], float]) -> int:
    """Return the number of steps that last the given seconds."""
    steps, elapsed = 1, 0.0
    while elapsed < seconds:
        steps = max(2 * steps, int(steps * seconds / max(elapsed, 1e-3)) if elapsed > 0.02 else 0)
        begin = clock()
        advance(steps)
        elapsed = clock() - begin
    return steps


def measure(advances: Mapping[str, Advance], counts: dict[str, int], case: dict) -> dict[str, float]:
    """Return steps of one world per second, by name; with wall time, also per second of processor time of all cores.

    What advances may return the seconds of its parts, which then stand for it.
    """
    clock, rates = clock_of(case), {}
    for name, advance in advances.items():
        begin, spent = clock(), time.process_time()
        told = advance(counts[name])
        parts = told if isinstance(told, Mapping) else {name: clock() - begin}
        rates |= {part: case["worlds"] * counts[name] / seconds for part, seconds in parts.items()}
        if case["clock"] == "wall":
            rates["processor"] = case["worlds"] * counts[name] / (time.process_time() - spent)
    return rates


ENGINES = {
    engine.__name__: engine for engine in (fajin, copies, mujoco, ovphysx, stages, environment, dynamics, pinocchio)
}  # name → setup of a case: {name: advance by n steps}, version


def main() -> None:
    """Set up the case of the command line, and measure once per input line."""
    case = json.loads(sys.argv[1])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-case["threads"] :])
    output = os.dup(1)
    os.dup2(2, 1)  # output of engines is not a result
    begin = time.perf_counter()
    advances, version, *facts = ENGINES[case["engine"]](case)
    for advance in advances.values():
        advance(1)
    setup = time.perf_counter() - begin
    counts = {name: enough(advance, case["seconds"], clock_of(case)) for name, advance in advances.items()}
    report = {"version": version, "setup_s": setup, "steps": counts, **(facts[0] if facts else {})}
    os.write(output, (json.dumps(report) + "\n").encode())
    for _ in sys.stdin:
        os.write(output, (json.dumps(measure(advances, counts, case)) + "\n").encode())
    os._exit(0)  # PhysX crashes at the interpreter's normal exit


if __name__ == "__main__":
    main()
