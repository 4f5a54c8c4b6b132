"""Kernels that step every world, and that compute the poses of links from joint positions."""

import taichi as ti

from . import TILE
from .island_task import run_task
from .kinematics import update_link_pose
from .lanes import Array, Float, Real
from .world_view import WorldView, share_of_islands


@ti.kernel
def step_kernel(
    states: Array(Real, 1),
    parameters: Array(Real, 1),
    scratch: Array(Real, 1),
    topology: Array(ti.i32, 1),
    trace: Array(Real, 1),
    results: Array(Real, 1),
    sleep: Array(Real, 1),
    steps: ti.i32,
    every: ti.i32,
    h: Float,
    solver: ti.i32,
    splits_forces: ti.i32,
    tasks: ti.i32,
    workers: ti.i32,
    statistics: Array(Real, 1),
    monitors: Array(Real, 1),
    sums_begin: ti.i32,
    contacts: Array(Real, 1),
    schedule_words: Array(ti.i32, 1),
    schedule_numbers: Array(Float, 1),
    schedule_step: ti.i32,
    counts: ti.i32,
    recorded: ti.i32,
    features: ti.template(),
    block: ti.template(),
):
    """Advance every island of every world by `steps` steps of h [s], recording every `every`-th (0: none).

    solver: 0 PGS, 1 TGS with all forces at once, 2 TGS with gravity and efforts per substep.
    splits_forces: whether the last step also writes the joint forces without rows.
    statistics: sums over the steps, `layout.STATISTICS`.
    monitors: sums over the steps since `sums_begin` was 1, and contacts, `monitors.MONITORS`.
    schedule_step: number of steps since the first schedule was set; -1 without schedules.
    counts: whether steps add to the statistics.
    recorded: bits of the quantities that a frame has, `layout.FRAME`.
    features: the laws that are compiled.
    block: threads of a GPU's block.
    A task is one island of one world (or pack of worlds); `Share` says which tasks a worker takes.
    """
    ti.loop_config(block_dim=block)
    for worker in range(workers):
        share = share_of_islands(topology, worker, workers, tasks)
        for turn in range(share.first, share.end):
            run_task(
                features, share.task(turn),
                states=states, parameters=parameters, scratch=scratch, topology=topology, results=results, sleep=sleep,
                statistics=statistics, monitors=monitors, sums_begin=sums_begin, contacts=contacts, trace=trace,
                recorded=recorded, steps=steps, every=every, h=h, solver=solver, splits_forces=splits_forces,
                schedule_words=schedule_words, schedule_numbers=schedule_numbers, schedule_step=schedule_step,
                counts=counts,
            )  # fmt: skip


@ti.kernel
def forward_kinematics_kernel(
    states: Array(Real, 1),
    parameters: Array(Real, 1),
    topology: Array(ti.i32, 1),
    places: Array(ti.i32, 1),
    tasks: ti.i32,
    workers: ti.i32,
):
    """Compute the pose of every link from the joint positions and root poses, in the worlds (or packs) `places`."""
    ti.loop_config(block_dim=TILE)
    for worker in range(workers):
        share = share_of_islands(topology, worker, workers, tasks)
        for turn in range(share.first, share.end):
            which, island_id, _ = share.task(turn)
            here = WorldView(states, parameters, states, topology, places[which], 0)
            for m in range(here.island[island_id].member, here.island[island_id].member_end):
                a = here.member[m].articulation
                root = here.articulation[a].root
                for k in range(root + 1, here.articulation[a].end):
                    if here.node[k].last == k:
                        update_link_pose(here, k, True)
