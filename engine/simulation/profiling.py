"""Stages of a step, each repeatable by itself for timing."""

from ..device.compiled_kernel import launch
from .simulation import Simulation

STAGES = {"kinematics, inertia, forces": 1, "articulated bodies": 2, "responses": 3, "rows": 4}
"""Parts of a step before its iterations, in order, and the stage in `physics.profiling`."""


def repeat_stage(sim: Simulation, stage: str, times: int) -> None:
    """Repeat the step up to a stage in one launch, in all worlds; the simulation's state stays.

    Free bodies, tendons and maximal joints are left out.
    """
    for part in sim._synced_state().parts:
        launch(
            part.device, "profiling", "repeat_stages_kernel", (STAGES[stage],),
            states=part.array("state"), parameters=part.array("parameters"), scratch=part.scratch(),
            topology=part.array("topology"), times=times, h=sim.dt, solver=sim._stepper.solver,
            tasks=part.batch.tasks, workers=part.batch.workers,
        )  # fmt: skip
