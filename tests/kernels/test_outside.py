"""Tendons and joints outside the trees on every lane type: the same bits, and no kernel that is compiled twice."""

from dataclasses import replace

import numpy as np
import pytest

import fajin
from fajin.scene import (
    WORLD,
    Articulation,
    Attachment,
    Axis,
    Distance,
    Drive,
    FixedTendon,
    Joint,
    JointType,
    LimitSpring,
    Link,
    Scene,
    SolverType,
    SpatialTendon,
    TendonAxis,
)

LONG = ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
WORLDS = 20
SIZE = {"mass": 0.7, "com": (0.5, 0.02, 0.0), "inertia": ((0.01, 0.0, 0.0), (0.0, 0.06, 0.0), (0.0, 0.0, 0.05))}
TENDONS = {
    "fixed_tendons": (
        FixedTendon(
            "/arm/j1:t",
            (TendonAxis("/arm/j1:rotY", 0.1), TendonAxis("/arm/j2:rotY", -0.2)),
            80.0,
            1.0,
            50.0,
            upper=0.01,
        ),
    ),
    "spatial_tendons": (
        SpatialTendon(
            "/arm/base:s",
            (
                Attachment("/arm/base", (0.0, 0.0, 0.3)),
                Attachment("/arm/l2", (0.4, 0.0, 0.1), parent=0, gearing=1.2),
                Attachment("/arm/l3", (0.8, 0.0, 0.1), parent=1, leaf=True, rest_length=0.7),
            ),
            60.0,
            2.0,
        ),
    ),
}
JOINTS = (
    Joint("/loop", JointType.SPHERICAL, "/arm/l3", "/ball", LONG, axes=tuple(Axis(f"rot{x}") for x in "XYZ")),
    Joint("/rope", JointType.DISTANCE, "/ball", WORLD, distance=Distance(0.5, 2.5)),
    Joint(
        "/guide", JointType.D6, "/arm/l2", WORLD, frame1=((1.5, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)),
        axes=(
            Axis("transX", -0.2, 0.2, limit=LimitSpring(stiffness=500.0, damping=5.0)),
            Axis("transY"), Axis("transZ", -1.0, 1.0, limit=LimitSpring(restitution=0.5)),
            Axis("rotX", drive=Drive(stiffness=5.0, damping=0.5)), Axis("rotY"), Axis("rotZ"),
        ),
    ),
    Joint("/twin", JointType.REVOLUTE, "/ball", "/other", axis="Z", axes=(Axis("rotZ", -0.5, 0.5),)),
)  # fmt: skip


def scene(solver: SolverType, tendons: bool = True, joints: bool = True) -> Scene:
    """An arm of three hinges and two free bodies, with every kind of row that is outside a tree."""
    links = [Link("/arm/base", ((0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)))]
    hinges = []
    for i in range(1, 4):
        links.append(Link(f"/arm/l{i}", **SIZE))
        frame = LONG if i > 1 else ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
        axis = Axis("rotY", q=0.2 * i, drive=Drive(stiffness=3.0, damping=0.3))
        hinges.append(Joint(f"/arm/j{i}", JointType.REVOLUTE, links[i - 1].path, links[i].path, frame, axes=(axis,)))
    arm = Articulation("/arm", tuple(links), tuple(hinges), True, 4, 1, **(TENDONS if tendons else {}))
    ball = Link("/ball", ((2.6, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)), **SIZE)
    free = [Articulation(path, (replace(ball, path=path),), (), False, 3, 1, True) for path in ("/ball", "/other")]
    return Scene("outside", (arm, *free), dt=1 / 120, solver=solver, joints=JOINTS if joints else ())


def motion(solver: SolverType, worlds, device: str = "cpu") -> np.ndarray:
    """(T, W, L, 7) link poses of the worlds of those numbers: each starts elsewhere."""
    sim = fajin.Simulation(scene(solver), len(worlds), device, threads=1)
    sim.q = sim.q[:] + np.random.default_rng(1).uniform(-0.1, 0.1, (WORLDS, len(sim.dof)))[list(worlds)]
    return sim.run(steps=60, fps=12).pose


@pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
def test_a_world_alone_is_the_world_in_a_batch(solver):
    """Any place, any neighbours: packs and single lanes."""
    together = motion(solver, range(WORLDS))
    assert np.isfinite(together).all()
    assert len(np.unique(together[-1].reshape(WORLDS, -1), axis=0)) == WORLDS
    for world in (0, 13, 19):
        assert motion(solver, [world]).tobytes() == together[:, [world]].tobytes()


@pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
def test_the_path_of_a_gpu_gives_the_same_bits_on_a_cpu(solver):
    """One world a lane and rows of all worlds together: the kernels of CUDA and Vulkan."""
    assert motion(solver, range(WORLDS), "cpu-lanes").tobytes() == motion(solver, range(WORLDS)).tobytes()


def test_what_is_outside_a_tree_is_compiled_only_where_it_is(compiled):
    """A kernel for trees alone, and one more for each of tendons, joints, or both: none of them twice."""
    kinds = [(tendons, joints) for tendons in (False, True) for joints in (False, True)]
    for kind in kinds[::3]:
        fajin.Simulation(scene(SolverType.TGS, *kind), device="cpu", threads=1).step(2)
    compiled.clear()
    for kind in kinds[::3]:
        for solver in SolverType:
            fajin.Simulation(scene(solver, *kind), device="cpu", threads=1).step(2)
    assert not compiled
