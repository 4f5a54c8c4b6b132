"""Studies of `fajin bench`: one function per study, from cases to rows, and the table of all studies.

A case is a robot in a number of worlds, on a number of threads, with a device, precision, solver and iterations.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass

from fajin.device.names import CPU_LANES

from .study_request import Found, StudyRequest, names, records

ANY_CPU = tuple(sorted({1 << k for k in range((os.cpu_count() or 1).bit_length())} | {os.cpu_count() or 1}))


MORE = 16
"""Additional iterations for the cost of one: many, because the cost is a difference of two times."""


def beside_peers(request: StudyRequest) -> Found:
    """Compare steps of one world per second of fajin with each peer."""
    for case in request.cases:
        results = request.race(*((engine, case) for engine in ("fajin", *request.peers)))
        mine = results[0]
        if mine is None:
            continue
        row = names(case, request.cases) | {"fajin [1/s]": mine.rate()}
        for peer, other in zip(request.peers, results[1:], strict=True):
            row |= {f"{peer} [1/s]": other and other.rate(), f"× {peer}": other and mine.ratio(other)}
        yield [row], records(results)


def scaling(request: StudyRequest) -> Found:
    """Measure the time of one step of one world, and per degree of freedom, relative to the first case."""
    results = request.race(*(("fajin", case) for case in request.cases))
    rows = []
    for case, result in zip(request.cases, results, strict=True):
        if result:
            first = next(filter(None, results))
            longer = first.ratio(result) * first.case["dofs"] / case["dofs"]
            times = {"µs/step": 1e6 / result.rate(), "ns/(dof·step)": 1e9 / result.rate() / case["dofs"]}
            rows.append(names(case, request.cases) | {"steps/s": result.rate(), **times, "relative": longer})
    yield rows, records(results)


def over_threads(request: StudyRequest) -> Found:
    """Measure the wall-time speed-up over one thread, in launches as long as a measurement.

    With other load on the cores, wall time is not conclusive: `cores used` shows this, and `on free cores` is the
    speed-up by processor time, as on unshared cores.
    """
    for one in [case for case in request.cases if case["threads"] == request.cases[0]["threads"]]:
        several = [case for case in request.cases if {**case, "threads": 0} == {**one, "threads": 0}]
        results = request.race(*(("fajin", {**case, "clock": "wall"}) for case in several))
        rows = []
        first = results[0]
        for case, result in zip(several, results, strict=True):
            if result and first:
                launch = 1e3 * result.facts["steps"][""] * case["worlds"] / result.rate()
                figures = {"ms/launch": launch, "steps/s": result.rate(), "speed-up": result.ratio(first)}
                figures["cores used"] = result.ratio(result, "", "processor")
                figures["on free cores"] = case["threads"] * result.ratio(first, "processor") / one["threads"]
                rows.append(names(case, request.cases) | figures)
        yield rows, records(results)


def under_constraints(request: StudyRequest) -> Found:
    """Measure the relative time of a step with each constraint."""
    from .constraints import CONSTRAINTS

    for case in request.cases:
        for constraint in CONSTRAINTS:
            results = request.race(("fajin", {**case, "constraint": constraint}), ("fajin", case))
            loaded, bare = results
            if loaded and bare:
                times = {"µs/step": 1e6 / loaded.rate(), "without [µs]": 1e6 / bare.rate()}
                row = {"constraint": constraint, **names(case, request.cases), **times, "ratio": bare.ratio(loaded)}
                yield [row], records(results)


def of_dynamics(request: StudyRequest) -> Found:
    """Compare the equations of motion as NumPy arrays with Pinocchio's loop over worlds."""
    for case in request.cases:
        results = mine, other = request.race(("dynamics", case), ("pinocchio", case))
        if mine is None:
            yield [], records(results)
            continue
        rows = []
        for question in mine.rates:
            row = {"question": question, **names(case, request.cases)}
            row["fajin [ms]"] = 1e3 * case["worlds"] / mine.rate(question)
            row["Pinocchio [ms]"] = other and 1e3 * case["worlds"] / other.rate(question)
            row["× Pinocchio"] = other and mine.ratio(other, question)
            rows.append(row)
        yield rows, records(results)


def by_stage(request: StudyRequest) -> Found:
    """Measure the nanoseconds per step of a world in each stage.

    Stages before the iterations are repeated alone, each with its previous stages. An iteration is the time of one
    additional position iteration. The rest of the step moves the robot and stores its state.
    """
    for case in request.cases:
        position, velocity = case["iterations"]
        more = {**case, "iterations": (position + MORE, velocity)}
        results = stages, step, longer = request.race(("stages", case), ("fajin", case), ("fajin", more))
        if not (stages and step and longer):
            continue
        whole = 1e9 / step.rate()
        rest, spent = whole, {}
        before = 0.0
        for stage in stages.rates:
            spent[stage], before = 1e9 / stages.rate(stage) - before, 1e9 / stages.rate(stage)
        spent[f"{position + velocity} iterations"] = (position + velocity) * (1e9 / longer.rate() - whole) / MORE
        spent["motion"] = rest - sum(spent.values())
        shares = [{"ns/step": time, "share": f"{100 * time / whole:.0f} %"} for time in (*spent.values(), whole)]
        stages = zip((*spent, "whole step"), shares, strict=True)
        yield [{"stage": stage, **names(case, request.cases), **share} for stage, share in stages], records(results)


def of_memory(request: StudyRequest) -> Found:
    """Report bytes per world on a CPU and on a GPU, and the number of worlds that fit in free memory."""
    import fajin
    from fajin.device.memory_estimate import batch_footprint

    from .models import load

    for case in request.cases:
        model = fajin.compile(load(case["robot"], case["solver"], case["iterations"], case["dt"]))
        cpu, gpu = (batch_footprint(model, device, case["precision"]) for device in ("cpu", CPU_LANES))
        row = {"robot": case["name"], "dofs": case["dofs"], "precision": case["precision"]}
        row |= {"CPU [B/world]": cpu.world, "host [B/world]": cpu.host, "CPU shared [kB]": cpu.shared // 1000}
        row |= {"GPU [B/world]": gpu.world + gpu.scratch, "worlds that fit here": cpu.most()}
        yield [row], [row]


def of_copies(request: StudyRequest) -> Found:
    """Compare a step of robots in one stage with a step of as many worlds, and with PhysX on that stage.

    Times of reading and making are those of the stage, in the process; memory is what they and a step add to its peak.
    """
    import tempfile
    from pathlib import Path

    from fajin import author

    from .engines import write_robot

    for case in request.cases:
        with tempfile.TemporaryDirectory() as folder:
            stage = Path(folder) / "copies.usda"
            author.copies(write_robot(case, Path(folder)), stage, case["worlds"], 3.0)
            staged = {**case, "stage": str(stage)}
            peers = [("ovphysx", staged)] if "ovphysx" in request.peers else []
            results = worlds, copies, *others = request.race(("fajin", case), ("copies", staged), *peers)
        if worlds is None or copies is None:
            continue
        facts, robots = copies.facts, case["worlds"]
        row = names(case, request.cases) | {"read [s]": facts["read_s"], "make [s]": facts["make_s"]}
        row |= {"kB/copy": facts["bytes"] / 1e3, "ms/step": 1e3 * robots / copies.rate()}
        row |= {"worlds [ms/step]": 1e3 * robots / worlds.rate(), "ratio": worlds.ratio(copies)}
        for other in filter(None, others):
            row |= {"ovphysx [ms/step]": 1e3 * robots / other.rate(), "× ovphysx": copies.ratio(other)}
        yield [row], records(results)


def of_reading(request: StudyRequest) -> Found:
    """Measure reading of robots with 9, 30 and 60 joints, by reference and written out."""
    import statistics
    import tempfile
    from pathlib import Path

    from .chains import COPIED_CHAINS, seconds_to_read, write_scenes

    for case in request.cases:
        with tempfile.TemporaryDirectory() as folder:
            scenes = write_scenes(case["worlds"], Path(folder))
            seconds_to_read(scenes[0])  # loads the modules that reading needs
            times = [[seconds_to_read(scene) for scene in scenes] for _ in range(request.repeats)]
        dofs = sum(COPIED_CHAINS[i % len(COPIED_CHAINS)] for i in range(case["worlds"]))
        copied, written = map(statistics.median, zip(*times, strict=True))
        row = {"robots": case["worlds"], "dofs": dofs, "by reference [s]": copied, "each [s]": written}
        row["ratio"] = statistics.median(each / once for once, each in times)
        yield [row], [{**row, "reading": times}]


def of_environments(request: StudyRequest) -> Found:
    """Compare control steps of a Go2 that walks with the physics within, and MuJoCo's; time a reset."""
    from .environments import case_of_mujoco, decimation

    for case in request.cases:
        peer = [("mujoco", case_of_mujoco(case))] * ("mujoco" in request.peers)
        results = request.race(("environment", case), *peer)
        mine, other = results[0], results[1] if peer else None
        if mine is None:
            continue
        row = {"worlds": case["worlds"], "threads": case["threads"], "control steps [1/s]": mine.rate("loop")}
        row |= {"physics [1/s]": mine.rate("physics"), "share": f"{100 * mine.ratio(mine, 'loop', 'physics'):.0f} %"}
        row |= {"reset of 2 [µs]": 1e6 * case["worlds"] / mine.rate("reset")}
        row |= {"MuJoCo's physics [1/s]": other and other.rate() / decimation()}
        yield [row], records(results)


def of_startup(request: StudyRequest) -> Found:
    """Measure whole commands by wall time: help, and a simulation with and without cached kernels."""
    from .startup import COMMANDS, seconds_of

    for command, kernels in COMMANDS:
        times = seconds_of(command, kernels, request.repeats)
        row = {"command": f"fajin {command}", "kernels": kernels, "median [s]": sorted(times)[len(times) // 2]}
        yield [row], [{**row, "seconds": times}]


def of_sweep(request: StudyRequest) -> Found:
    """Measure a batch job from scene to last table, as a command and in a session: the share of stepping."""
    import statistics

    from .sweep import as_command, in_session

    for case in request.cases:
        for place, seconds_of in (("command", as_command), ("session", in_session)):
            times = [seconds_of(case) for _ in range(request.repeats)]
            whole, stepping = map(statistics.median, zip(*times, strict=True))
            share = statistics.median(stepping / whole for whole, stepping in times)
            figures = {"end to end [s]": whole, "stepping [s]": stepping, "share": f"{100 * share:.0f} %"}
            yield [{"as": place, **names(case, request.cases), **figures}], [{**case, "as": place, "seconds": times}]


@dataclass(frozen=True)
class Study:
    """A study: its function, default variations, and the unit of its plot."""

    measure: Callable[[StudyRequest], Found]
    unit: str
    robots: tuple[str, ...] = ("franka",)
    worlds: tuple[int, ...] = (4096,)
    threads: tuple[int, ...] = (1,)


CHAIN_ROBOTS = ("chain9", "chain30", "chain60", "chain120")
STUDIES = {
    "robots": Study(beside_peers, "[1/s]", ("franka", "g1", "cartpole", "ant"), (1, 64, 4096)),
    "dofs": Study(scaling, "ns/(dof·step)", CHAIN_ROBOTS, (1024,)),
    "worlds": Study(scaling, "steps/s", worlds=(1, 16, 64, 256, 1024, 4096, 16384, 65536)),
    "threads": Study(over_threads, "speed-up", ("franka", "g1"), threads=ANY_CPU),
    "latency": Study(scaling, "µs/step", ("franka", "g1"), (1,)),
    "stages": Study(by_stage, "ns/step", ("franka", "g1")),
    "constraints": Study(under_constraints, "ratio", worlds=(1, 4096)),
    "dynamics": Study(of_dynamics, "[ms]"),
    "memory": Study(of_memory, "[B/world]", ("franka", "g1", "cartpole", "ant", "chain120")),
    "copies": Study(of_copies, "ms/step", ("franka", "g1"), (1024,)),
    "reading": Study(of_reading, "[s]", worlds=(1000,)),
    "env": Study(of_environments, "[1/s]", worlds=(2048,), threads=(1, 2)),
    "startup": Study(of_startup, "[s]"),
    "sweep": Study(of_sweep, "[s]", worlds=(10_000,), threads=(os.cpu_count() or 1,)),
}
