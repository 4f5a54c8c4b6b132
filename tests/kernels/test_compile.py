"""Kernels are compiled once for a lane type, and once more where roots move: never for another robot or solver."""

from dataclasses import replace

import numpy as np
import pytest
from one_joint import slider, wheel
from random_tree import KINDS, random_tree

import fajin
from fajin import dynamics
from fajin.scene import Articulation, Link, Scene, SolverType

SCENES = (
    random_tree(0),
    random_tree(1, floating=True),
    replace(random_tree(2, KINDS * 3), solver=SolverType.TGS),
    replace(random_tree(3, ("revolute",)), solver=SolverType.TGS, external_forces_every_iteration=False),
    Scene("one link", (Articulation("/ball", (Link("/ball"),), ()),)),
    Scene("two", (slider(), replace(wheel(), path="/other"))),
)


@pytest.mark.parametrize(
    ("device", "precision", "worlds"),
    [
        ("cpu", "f32", (2, 17, 50)),
        pytest.param("cpu", "f64", (1,), marks=pytest.mark.slow),
        pytest.param("cpu-lanes", "f32", (1, 2, 50), marks=pytest.mark.slow),
    ],
)
def test_no_kernel_is_compiled_anew(compiled, device, precision, worlds):
    """One for the poses, two for the steps, three for who reads, one for each law asked, whatever is simulated."""

    def simulate(scene, count: int) -> None:
        sim = fajin.Simulation(scene, count, device, precision, threads=1)
        sim.run(steps=6, fps=0.5 / sim.dt)
        sim.step(3)
        for ask in (dynamics.mass_matrix, dynamics.jacobian, dynamics.joint_acceleration, dynamics.momentum):
            ask(sim, articulation=0)
        sim.write("target_q", sim.read("q"))
        sim.write("q", sim.read("qd", worlds=[0]), [0])
        assert np.isfinite(sim.link_velocity).all()
        assert np.isfinite(sim.link_acceleration).all()

    for scene in SCENES[:2]:  # one that stands, one that floats
        simulate(scene, worlds[-1])
    compiled.clear()
    for scene in SCENES:
        for count in worlds:
            simulate(scene, count)
    assert not compiled


def test_a_compilation_is_seen(compiled):
    """The count counts."""
    import taichi as ti

    fajin.Simulation(SCENES[0], device="cpu-lanes", threads=1)
    compiled.clear()

    @ti.kernel
    def new(x: int) -> int:
        return x + 1

    assert new(1) == 2
    assert compiled == ["new"]


def test_no_step_at_all_compiles_what_steps_need(compiled):
    """So that whoever takes the time of steps can have the compiler out of it."""
    sim = fajin.Simulation(SCENES[0], device="cpu", threads=1)
    sim.step(0)
    compiled.clear()
    sim.step(1)
    assert (compiled, sim.steps) == ([], 1)
