"""Dense responses: sweeps with the inverse mass matrix do what sweeps through the tree do."""

from dataclasses import replace

import numpy as np
import pytest
from random_tree import edited, random_tree

import fajin
from fajin.model import dense
from fajin.scene import Drive, SolverType
from fajin.scene.axis import Friction
from fajin.tables.scratch import DENSE_NODES
from fajin.tables.topology import ARTICULATION

KINDS = ("fixed", "revolute", "limited", "prismatic", "revolute", "prismatic", "fixed", "revolute")
EPS = {"f32": 1.2e-7, "f64": 2.3e-16}
STEPS = 20


def driven(seed: int, solver: SolverType, iterations: int = 8, **tree) -> fajin.scene.Scene:
    """A random tree whose joints are driven, with friction on them and a limit that the third one may reach."""
    scene = edited(
        random_tree(seed, **{"kinds": KINDS, **tree}),
        axes=lambda axis: replace(
            axis, drive=Drive(stiffness=40.0, damping=2.0, max_force=50.0), friction=Friction(0.1, 0.1)
        ),
        solver=solver,
    )
    articulations = (replace(a, position_iterations=iterations, velocity_iterations=1) for a in scene.articulations)
    return replace(scene, articulations=tuple(articulations))


def is_dense(scene) -> bool:
    return bool(fajin.compile(scene).tables["ARTICULATIONS"][0, ARTICULATION["DENSE"]])


def motion(scene, precision: str, worlds: int = 1) -> np.ndarray:
    sim = fajin.Simulation(scene, worlds, "cpu", precision=precision, threads=1, sleeping=False)
    sim.step(STEPS)
    return np.concatenate([np.atleast_2d(sim.q), np.atleast_2d(sim.qd)], 1)


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
@pytest.mark.parametrize("seed", [0, 2, 5, 7])
def test_a_dense_articulation_moves_as_a_tree(monkeypatch, seed, solver, precision):
    """M⁻¹ column by column is what impulses do on their way through the tree, to the round-off of the sums.

    20 steps of 9 iterations over 8 joints, of which each adds a rounding of at most the largest velocity.
    """
    scene = driven(seed, solver)
    assert is_dense(scene)
    small = motion(scene, precision)
    monkeypatch.setattr(dense, "LEAST_ITERATIONS", 1000)
    assert not is_dense(scene)
    tree = motion(scene, precision)
    assert np.abs(tree).max() > 0.1
    bound = STEPS * 9 * len(KINDS) * EPS[precision] * np.abs(tree).max()
    assert np.abs(small - tree).max() < bound
    assert precision == "f64" or (small != tree).any()  # another order of sums


@pytest.mark.parametrize("worlds", [3, 20])
def test_a_dense_articulation_has_the_same_bits_in_every_batch(worlds):
    scene = driven(3, SolverType.TGS)
    assert (motion(scene, "f32", worlds) == motion(scene, "f32")).all()


def test_which_articulations_are_dense():
    """Small ones on a fixed base, if enough iterations follow and no joint needs the velocities of links."""
    assert is_dense(driven(0, SolverType.TGS))
    assert not is_dense(driven(0, SolverType.TGS, iterations=dense.LEAST_ITERATIONS - 2))
    assert not is_dense(driven(0, SolverType.TGS, floating=True))
    assert not is_dense(driven(0, SolverType.TGS, kinds=(*KINDS, "spherical")))
    assert is_dense(driven(0, SolverType.TGS, kinds=("revolute",) * DENSE_NODES))
    assert not is_dense(driven(0, SolverType.TGS, kinds=("revolute",) * (DENSE_NODES + 1)))
    assert not is_dense(driven(0, SolverType.TGS, kinds=("fixed", "revolute")))
