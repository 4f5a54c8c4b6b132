"""The stages of a step: each can be repeated by itself, to see what it takes."""

from ..device import compiler_options, load_physics
from .simulation import Simulation

STAGES = {"kinematics, inertia, forces": 1, "articulated bodies": 2, "responses": 3, "rows": 4}
"""What a step does before its iterations, in its order, and the stage in `physics.profiling`."""


def repeat_stage(sim: Simulation, stage: str, times: int) -> None:
    """Do everything up to a stage so many times in one launch, in all worlds; the simulation stays where it is.

    Free bodies, tendons and joints outside the trees are left out.
    """
    state = sim._synced_state()
    workers, scratch = state._workers()
    arrays = (state.array("state"), state.array("parameters"), scratch, state.array("topology"))
    with compiler_options(state.device):
        load_physics(state.device, "profiling").repeat_stages_kernel(
            *arrays, times, sim.dt, sim._solver, state.tasks, workers, STAGES[stage]
        )
