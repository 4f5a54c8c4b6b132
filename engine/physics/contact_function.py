"""Detection and preparation of contacts, compiled as a function of its own.

Taichi puts the text of each function into its kernel, and the time to compile grows faster than the text: contact
points of all kinds of shapes take 8 s by themselves and 45 s within a step. A function of its own gets numbers and
arrays, from which it makes its view of the world, and returns the numbers that it sets.

There is one such function, with two stages, since Taichi writes several in the order of their addresses: every second
process would not find its kernel in the cache.

Machine code consists of two object files, one with this function and one with the kernel that calls it. Two processes
compile them at the same time, and kernels that differ in other laws share the function.
"""

from functools import cache
from zlib import crc32

import taichi as ti

from . import BITS, LANES, SEPARATE
from .contacts.pipeline import detect_contacts, prepare_contacts
from .lanes import Array, Float, Real, broadcast, indicator, traced
from .solver_params import step_params
from .world_view import CONTACT_COUNTS, WorldView

DETECT, PREPARE = 0, 1


@traced
def detect(w, island_id, h):
    """Compute contact points, friction patches and turns of an island at the poses of the step's start."""
    if not SEPARATE:
        detect_contacts(w, island_id, h)
        return
    awake = indicator(w.awake) if w.features.sleeps else broadcast(1.0)
    drowsy = w.drowsy if w.features.sleeps else 0
    counts = contact_function(w.features)(
        stage=DETECT, **arguments(w), awake=awake, drowsy=drowsy, island_id=island_id, h=h, solver=0
    )
    for name, count in zip(CONTACT_COUNTS, counts, strict=True):
        w.set_count(name, count)


@traced
def prepare(w, island_id, params):
    """Compute the rows of all pairs of an island that touch."""
    if not SEPARATE:
        prepare_contacts(w, island_id, params)
        return
    contact_function(w.features)(
        stage=PREPARE, **arguments(w), awake=broadcast(1.0), drowsy=0, island_id=island_id, h=params.h,
        solver=params.solver,
    )  # fmt: skip


def arguments(w):
    """Return the arrays and numbers by name of which `view` makes the view of a world again."""
    arrays = {"states": w.state_rows, "parameters": w.parameter_rows, "scratch": w.scratch, "topology": w.topology}
    arrays |= {"results": w.results.array, "contacts": w.contacts.array, "index": w.index, "worker": w.worker}
    return arrays | {name: getattr(w, name) for name in CONTACT_COUNTS}


@traced
def view(features, **given):
    """Return the view of a world inside the function, of the arguments that `arguments` returns."""
    names = ("states", "parameters", "scratch", "topology", "index", "worker")
    w = WorldView(*(given[name] for name in names), features)
    w.attach(given["results"], given["contacts"])
    for name in CONTACT_COUNTS:
        w.set_count(name, given[name])
    return w


@cache
def contact_function(features):
    """Return the function of kernels with these features."""
    own = features.of_contacts()

    @ti.real_func
    def contacts_of_island(
        stage: ti.i32,
        states: Array(Real, 1), parameters: Array(Real, 1), scratch: Array(Real, 1), topology: Array(ti.i32, 1),
        results: Array(Real, 1), contacts: Array(Real, 1), index: ti.i32, worker: ti.i32,
        touching: ti.i32, pairs: ti.i32, early_pairs: ti.i32, early_turns: ti.i32, top: ti.i32, spare: ti.i32,
        awake: Real, drowsy: ti.i32, island_id: ti.i32, h: Float, solver: ti.i32,
    ) -> (ti.i32, ti.i32, ti.i32, ti.i32, ti.i32, ti.i32):  # fmt: skip
        """Detect or prepare the contacts of an island; return CONTACT_COUNTS. Real functions take no views.

        awake, drowsy: 1 in the lanes that a step moves; whether anything in the island sleeps or might fall asleep.
        h, solver: arguments of `step_params`.
        """
        w = view(
            own, states=states, parameters=parameters, scratch=scratch, topology=topology, results=results,
            contacts=contacts, index=index, worker=worker, touching=touching, pairs=pairs, early_pairs=early_pairs,
            early_turns=early_turns, top=top, spare=spare,
        )  # fmt: skip
        if ti.static(not features.linked):
            if stage == DETECT:
                if ti.static(own.sleeps):
                    w.set_awake(awake > 0.0, drowsy)
                detect_contacts(w, island_id, h)
            else:
                prepare_contacts(w, island_id, step_params(w.island[island_id].position_iterations, h, solver))
        return w.touching, w.pairs, w.early_pairs, w.early_turns, w.top, w.spare

    # Taichi numbers functions as they come; what a process loads before must not change the name in its cache.
    contacts_of_island.func.func_id = crc32(f"{own} {BITS} {LANES}".encode()) >> 1
    return contacts_of_island


@ti.kernel
def contact_kernel(
    states: Array(Real, 1),
    parameters: Array(Real, 1),
    scratch: Array(Real, 1),
    topology: Array(ti.i32, 1),
    results: Array(Real, 1),
    contacts: Array(Real, 1),
    workers: ti.i32,
    features: ti.template(),
):
    """Have `contact_function` compiled; only the function is kept."""
    for worker in range(workers):
        contact_function(features)(
            DETECT, states, parameters, scratch, topology, results, contacts, worker, worker,
            0, 0, 0, 0, 0, 0, broadcast(1.0), 0, 0, 0.0, 0,
        )  # fmt: skip
