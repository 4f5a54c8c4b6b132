"""Kernel behind `fajin.dynamics`: evaluates a law for one articulation, in every world."""

import taichi as ti

from . import TILE
from .energy import com_momentum_and_energy
from .forward_dynamics import forward_dynamics
from .host_array import HostArray, Request
from .inverse_dynamics import inverse_dynamics, link_accelerations
from .jacobian import jacobian
from .lanes import Array, Float, Real
from .mass_matrix import mass_matrix
from .world_view import WorldView, share_of

ALGORITHMS = {
    law.__name__: law
    for law in (inverse_dynamics, forward_dynamics, link_accelerations, mass_matrix, jacobian, com_momentum_and_energy)
}


@ti.kernel
def evaluate(
    states: Array(Real, 1),
    parameters: Array(Real, 1),
    scratch: Array(Real, 1),
    topology: Array(ti.i32, 1),
    words: Array(ti.i32, 1),
    given: Array(Float, 2),
    link_forces: Array(Float, 2),
    result: Array(Float, 2),
    worlds: ti.i32,
    workers: ti.i32,
    law: ti.template(),
):
    """Evaluate a law, by its name, in every world (or pack).

    `words` as in `tables.request`; the other arrays have the shape (worlds, numbers).
    """
    ti.loop_config(block_dim=TILE)
    for worker in range(workers):
        share = share_of(worker, workers, worlds)
        for turn in range(share.first, share.end):
            index, _, place = share.task(turn)
            here = WorldView(states, parameters, scratch, topology, index, place)
            inputs = HostArray(given, index), HostArray(link_forces, index)
            request = Request(here, words, inputs[0], inputs[1], HostArray(result, index))
            ti.static(ALGORITHMS[law])(here, request)
