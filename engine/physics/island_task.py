"""One task of a launch: all steps of an island of one world (or pack of worlds).

Where `SEPARATE_TASKS` is set, a task is a function of its own, to which the kernel passes its arrays, and which the
compiler writes back into the kernel. The addresses of the arrays are then variables of the kernel. Without it each
access loads the address of its array, since a store might have changed it: half as many loads again.
"""

from functools import cache
from zlib import crc32

import taichi as ti

from . import BITS, SEPARATE_TASKS
from .contacts.slot_storage import begin_contacts, end_contacts
from .lanes import Array, Float, Real, traced
from .record import record_frame
from .scheduled_values import follow_schedules
from .sleeping import wake_island
from .solver_params import step_params
from .statistics import update_statistics
from .step import step
from .views import View
from .world_view import WorldView


class Launch(View):
    """Arguments of a launch by their names in `step_kernel`: `launch.steps`."""

    arrays = ("trace", "schedule_words", "schedule_numbers")
    numbers = ("steps", "every", "h", "solver", "splits_forces", "schedule_step", "recorded")

    def __init__(self, arrays, numbers):
        vars(self).update(zip(self.arrays + self.numbers, (*arrays, *numbers), strict=True))


@traced
def run_task(features, buffers, others, numbers, place):
    """Run a task, with the arguments of `task_function`; `place` is the world, island and place of the scratch."""
    if SEPARATE_TASKS:
        task_function(features)(*buffers, *others, *numbers, *place)
    else:
        advance(features, buffers, others, numbers, place)


@traced
def advance(features, buffers, others, numbers, place):
    """Advance the island of a task."""
    states, parameters, scratch, topology, results, sleep, statistics, contacts = buffers
    index, island_id, worker = place
    here = WorldView(states, parameters, scratch, topology, index, worker, features)
    here.attach(results, contacts, sleep, statistics)
    advance_island(here, island_id, Launch(others, numbers))


@ti.func
def advance_island(w: ti.template(), island_id, launch: ti.template()):
    """Advance an island by all steps of the launch."""
    params = step_params(w.island[island_id].position_iterations, launch.h, launch.solver)
    if ti.static(w.features.contacts):
        begin_contacts(w, island_id)
    for i in range(launch.steps):
        if ti.static(w.features.schedule):
            follow_schedules(w, island_id, launch.schedule_words, launch.schedule_numbers, launch.schedule_step + i)
        moves = True
        if ti.static(w.features.sleeps):
            moves = wake_island(w, island_id, launch.h)
        if moves:
            step(w, island_id, params, 2 * launch.splits_forces + (i == launch.steps - 1))
        if ti.static(w.features.statistics):
            update_statistics(w, island_id, launch.h)
        if launch.every > 0 and (i + 1) % launch.every == 0:
            place = (i + 1) // launch.every - 1, launch.steps // launch.every
            record_frame(w, island_id, launch.trace, launch.recorded, place)
    if ti.static(w.features.contacts):
        end_contacts(w, island_id)


@cache
def task_function(features):
    """Return the function of kernels with these features."""

    @ti.real_func
    def island_task(
        states: Array(Real, 1), parameters: Array(Real, 1), scratch: Array(Real, 1), topology: Array(ti.i32, 1),
        results: Array(Real, 1), sleep: Array(Real, 1), statistics: Array(Real, 1), contacts: Array(Real, 1),
        trace: Array(Real, 1), schedule_words: Array(ti.i32, 1), schedule_numbers: Array(Float, 1),
        steps: ti.i32, every: ti.i32, h: Float, solver: ti.i32, splits_forces: ti.i32, schedule_step: ti.i32,
        recorded: ti.i32, index: ti.i32, island_id: ti.i32, worker: ti.i32,
    ):  # fmt: skip
        """Run a task. Real functions take no views."""
        advance(
            features,
            (states, parameters, scratch, topology, results, sleep, statistics, contacts),
            (trace, schedule_words, schedule_numbers),
            (steps, every, h, solver, splits_forces, schedule_step, recorded),
            (index, island_id, worker),
        )

    # Taichi numbers functions as they come; what a process loads before must not change the name in its cache.
    island_task.func.func_id = crc32(f"task {features} {BITS}".encode()) >> 1
    return island_task
