"""What a scene does not have is not compiled in, and what is compiled in for others changes none of its bits."""

from dataclasses import replace

import numpy as np
import pytest
from random_tree import random_tree

import fajin
from fajin.scene import SolverType


def simulation(solver: SolverType, floating: bool = False) -> fajin.Simulation:
    """A tree of every kind of joint."""
    scene = replace(random_tree(0, floating=floating), solver=solver)
    sim = fajin.Simulation(scene, device="cpu", threads=1)
    sim.qd = np.random.default_rng(2).normal(0.0, 1.0, (1, len(sim.dof)))
    return sim


@pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
def test_a_robot_that_stands_moves_as_in_a_kernel_that_knows_of_moving_roots(solver):
    """Its own kernel knows of none."""
    own, general = simulation(solver), simulation(solver)
    state = general._synced_state()
    assert not state.features.floats
    state.features = replace(state.features, floats=True, mimics=True)
    for sim in (own, general):
        sim.step(30)
    assert own._synced_state().read().tobytes() == state.read().tobytes()
    for name in ("link_acceleration", "link_incoming_force"):
        assert own.read(name).tobytes() == general.read(name).tobytes()


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
def test_what_nobody_asks_a_step_changes_nothing_of_it(solver, floating):
    """The state is the same to the bit; what steps would tell stays what it was."""
    silent, telling = simulation(solver, floating), simulation(solver, floating)
    state = silent._synced_state()
    state.features = replace(state.features, results=False)
    for sim in (silent, telling):
        sim.step(30)
    assert silent._synced_state().read().tobytes() == telling._synced_state().read().tobytes()
    for name in ("link_acceleration", "link_incoming_force"):
        assert telling.read(name)[-1].any()
        assert not silent.read(name).any()
