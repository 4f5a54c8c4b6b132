"""Laws of a step that are compiled as functions of their own.

Taichi puts the text of each function into its kernel, and the time to compile grows faster than the text: contact points of
all kinds of shapes take 8 s by themselves and 45 s within a step. A function of its own gets numbers and arrays, from which
it makes its view of the world, and returns the numbers that it sets.
"""

import taichi as ti

from . import SEPARATE
from .contacts.contacts import detect_contacts, prepare_contacts
from .lanes import Array, Float, Real, broadcast, traced
from .solver_params import step_params
from .world_view import CONTACT_COUNTS, WorldView


@traced
def detect(w, island_id):
    """Compute contact points, friction patches and turns of an island at the poses of the step's start."""
    if not SEPARATE:
        detect_contacts(w, island_id)
        return
    awake = w.awake if w.features.sleeps else broadcast(1.0)
    counts = _detect(*_arrays(w), w.index, w.worker, *_counts(w), awake, island_id, w.features)
    for name, count in zip(CONTACT_COUNTS, counts, strict=True):
        w.set_count(name, count)


@traced
def prepare(w, island_id, params):
    """Compute the rows of all pairs of an island that touch."""
    if not SEPARATE:
        prepare_contacts(w, island_id, params)
        return
    solver = ti.select(params.forces_per_substep, 2, ti.select(params.tgs, 1, 0))
    _prepare(*_arrays(w), w.index, w.worker, *_counts(w), island_id, params.h, solver, w.features)


def _arrays(w):
    return w.state_rows, w.parameter_rows, w.scratch, w.topology, w.results.array, w.contacts.array


def _counts(w):
    return [getattr(w, name) for name in CONTACT_COUNTS]


@traced
def _view(states, parameters, scratch, topology, results, contacts, index, worker, *others):
    *counts, features = others
    w = WorldView(states, parameters, scratch, topology, index, worker, features)
    w.attach(results, contacts)
    for name, count in zip(CONTACT_COUNTS, counts, strict=True):
        w.set_count(name, count)
    return w


@ti.real_func
def _detect(
    states: Array(Real, 1),
    parameters: Array(Real, 1),
    scratch: Array(Real, 1),
    topology: Array(ti.i32, 1),
    results: Array(Real, 1),
    contacts: Array(Real, 1),
    index: ti.i32,
    worker: ti.i32,
    touching: ti.i32,
    pairs: ti.i32,
    early_pairs: ti.i32,
    early_turns: ti.i32,
    top: ti.i32,
    spare: ti.i32,
    awake: Real,
    island_id: ti.i32,
    features: ti.template(),
) -> (ti.i32, ti.i32, ti.i32, ti.i32, ti.i32, ti.i32):
    w = _view(
        states, parameters, scratch, topology, results, contacts, index, worker,
        touching, pairs, early_pairs, early_turns, top, spare, features,
    )  # fmt: skip
    if ti.static(features.sleeps):
        w.set_awake(awake, 0)
    detect_contacts(w, island_id)
    return w.touching, w.pairs, w.early_pairs, w.early_turns, w.top, w.spare


@ti.real_func
def _prepare(
    states: Array(Real, 1),
    parameters: Array(Real, 1),
    scratch: Array(Real, 1),
    topology: Array(ti.i32, 1),
    results: Array(Real, 1),
    contacts: Array(Real, 1),
    index: ti.i32,
    worker: ti.i32,
    touching: ti.i32,
    pairs: ti.i32,
    early_pairs: ti.i32,
    early_turns: ti.i32,
    top: ti.i32,
    spare: ti.i32,
    island_id: ti.i32,
    h: Float,
    solver: ti.i32,
    features: ti.template(),
):
    w = _view(
        states, parameters, scratch, topology, results, contacts, index, worker,
        touching, pairs, early_pairs, early_turns, top, spare, features,
    )  # fmt: skip
    prepare_contacts(w, island_id, step_params(w.island[island_id].position_iterations, h, solver))
