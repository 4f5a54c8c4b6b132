"""One task of a launch: all steps of an island of one world (or pack of worlds)."""

import taichi as ti

from .contacts.broad_phase.slot_storage import begin_contacts, end_contacts
from .lanes import traced
from .monitors import update_monitors
from .record import record_frame
from .scheduled_values import follow_schedules
from .sleeping import wake_island
from .solver_params import step_params
from .statistics import update_statistics
from .step import step
from .views import View
from .world_view import WorldView


class Launch(View):
    """Arguments of `step_kernel` by their names: `launch.steps`."""

    def __init__(self, **arguments):
        vars(self).update(arguments)


@traced
def run_task(features, place, **arguments):
    """Run a task of `step_kernel`; `place` is the world, the island and the place of the scratch."""
    launch, (index, island_id, worker) = Launch(**arguments), place
    here = WorldView(launch.states, launch.parameters, launch.scratch, launch.topology, index, worker, features)
    here.enter_island(island_id)
    here.attach(launch.results, launch.contacts, launch.sleep, launch.statistics, launch.monitors)
    advance_island(here, island_id, launch)


@ti.func
def advance_island(w: ti.template(), island_id, launch: ti.template()):
    """Advance an island by all steps of the launch."""
    params = step_params(w.island[island_id].position_iterations, launch.h, launch.solver)
    if ti.static(w.features.contacts):
        begin_contacts(w, island_id)
    for i in range(launch.steps):
        if ti.static(w.features.schedule):
            if launch.schedule_step >= 0:
                follow_schedules(w, island_id, launch.schedule_words, launch.schedule_numbers, launch.schedule_step + i)
        moves = True
        if ti.static(w.features.sleeps):
            moves = wake_island(w, island_id, launch.h)
        if moves:
            step(w, island_id, params, i == launch.steps - 1, launch.splits_forces)
        if ti.static(w.features.statistics):
            if launch.counts:
                update_statistics(w, island_id, launch.h)
        if ti.static(w.features.monitors):
            update_monitors(w, island_id, launch.h, i == 0 and launch.sums_begin, moves)
        if launch.every > 0 and (i + 1) % launch.every == 0:
            place = (i + 1) // launch.every - 1, launch.steps // launch.every
            record_frame(w, island_id, launch.trace, launch.recorded, place)
    if ti.static(w.features.contacts):
        end_contacts(w, island_id)
