"""A world's result is the same to the bit alone, in any batch, at any place in it, on any thread and in any launch."""

from dataclasses import replace

import numpy as np
import pytest
from broken_state import break_state
from one_joint import wheel
from random_tree import edited, random_tree

import fajin
from fajin.scene import Drive, Friction, Scene, SolverType

WORLDS = 100
STEPS = 50
PLACES = (0, 15, 16, 57, WORLDS - 1)
FIELDS = ("q", "qd", "effort", "pose")
PRECISIONS = pytest.mark.parametrize("precision", ["f32", "f64"])


def scene(solver: SolverType = SolverType.TGS) -> Scene:
    """A fixed and a floating tree of every joint type with every row."""
    rows = {
        "drive": Drive(stiffness=60.0, damping=2.0, max_force=40.0, target_q=0.2),
        "friction": Friction(0.5, 0.4, 0.05),
        "max_velocity": 20.0,
    }
    fixed, floating = (
        edited(random_tree(seed, floating=seed > 0), axes=lambda axis: replace(axis, **rows)).articulations[0]
        for seed in (0, 1)
    )
    return Scene("two trees", (fixed, replace(floating, path="/other")), solver=solver)


def initial(dofs: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A start and targets of every world of the batch, all different: q, q̇, q*."""
    rng = np.random.default_rng(1)
    return tuple(rng.uniform(-1, 1, (WORLDS, dofs)) for _ in range(3))


def simulation(worlds, precision: str, device: str = "cpu", threads: int = 1, solver=SolverType.TGS):
    """The worlds of those numbers of the batch, in that order."""
    sim = fajin.Simulation(scene(solver), len(worlds), device, precision, threads)
    q, qd, target = (values[list(worlds)] for values in initial(len(sim.dof)))
    sim.q, sim.qd, sim.target_q = q, qd, target
    return sim


def motion(sim: fajin.Simulation, steps: int = STEPS) -> dict[str, np.ndarray]:
    """What a run records, (T, W, …)."""
    recording = sim.run(steps=steps, fps=1 / (10 * sim.dt))
    return {field: getattr(recording, field) for field in FIELDS}


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray], at=slice(None), bt=slice(None)) -> bool:
    """Whether worlds `at` of a moved as worlds `bt` of b, to the bit."""
    return all(a[f][:, at].tobytes() == b[f][:, bt].tobytes() for f in FIELDS)


@pytest.fixture(scope="module", params=["f32", "f64"])
def batch(request) -> tuple[str, dict[str, np.ndarray]]:
    """The precision, and the motion of all worlds together on one thread."""
    return request.param, motion(simulation(range(WORLDS), request.param))


def test_the_worlds_of_the_batch_differ(batch):
    """Else the other tests say nothing."""
    ends = batch[1]["pose"][-1].reshape(WORLDS, -1)
    assert np.isfinite(ends).all()
    assert len(np.unique(ends, axis=0)) == WORLDS


@pytest.mark.parametrize("place", PLACES)
def test_a_world_alone_is_the_world_in_a_batch(batch, place):
    """Any place, any neighbours."""
    precision, together = batch
    alone = simulation([place], precision)
    assert same(motion(alone), together, 0, place)


def test_the_order_of_the_worlds_does_not_matter(batch):
    """Permuted worlds permute their motion."""
    precision, together = batch
    order = np.random.default_rng(2).permutation(WORLDS)
    assert same(motion(simulation(order, precision)), together, slice(None), order)


@pytest.mark.parametrize("worlds", [2, 17, 40])
def test_the_number_of_worlds_does_not_matter(batch, worlds):
    """Full packs and idle lanes."""
    precision, together = batch
    assert same(motion(simulation(range(worlds), precision)), together, slice(None), slice(worlds))


@pytest.mark.parametrize("threads", [2, 3, 4, 16])
def test_threads_do_not_matter(batch, threads):
    """Tasks are shared out otherwise, and compute the same."""
    precision, together = batch
    assert same(motion(simulation(range(WORLDS), precision, threads=threads)), together)


def test_a_run_can_be_repeated(batch):
    """Twice the same."""
    precision, together = batch
    assert same(motion(simulation(range(WORLDS), precision)), together)


def test_launches_do_not_matter(batch):
    """Fifty launches of one step, one of fifty, or some of each, with or without a look at the host copy."""
    precision, together = batch
    at_once, one_by_one, mixed = (simulation(range(WORLDS), precision) for _ in range(3))
    at_once.step(STEPS)
    for _ in range(STEPS):
        one_by_one.step()
    for n in (7, 30, 13):
        mixed.step(n)
        assert np.isfinite(mixed.q[0]).all()
    for sim in (at_once, one_by_one, mixed):
        assert sim.q[:].astype(together["q"].dtype).tobytes() == together["q"][-1].tobytes()
        assert sim.qd[:].astype(together["qd"].dtype).tobytes() == together["qd"][-1].tobytes()


@pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
def test_the_path_of_a_gpu_gives_the_same_bits_on_a_cpu(solver):
    """One world a lane and rows of all worlds together: the kernels of CUDA and Vulkan."""
    packs = motion(simulation(range(20), "f32", solver=solver))
    assert same(motion(simulation(range(20), "f32", "cpu-lanes", solver=solver)), packs)


def test_a_world_that_breaks_harms_no_other(batch):
    """Not even in its own pack."""
    precision, together = batch
    sim = simulation(range(WORLDS), precision)
    broken = 5
    break_state(sim, "qd", broken)
    sim.step(STEPS)
    rest = np.arange(WORLDS) != broken
    assert np.isnan(sim.qd[broken]).any()
    assert sim.q[rest].astype(together["q"].dtype).tobytes() == together["q"][-1, rest].tobytes()


VARIED = {
    "target_q": (-1.0, 1.0), "target_qd": (-1.0, 1.0), "effort": (-5.0, 5.0), "stiffness": (0.0, 500.0),
    "damping": (0.0, 20.0), "max_force": (1.0, 50.0), "lower": (-1.5, -0.2), "upper": (0.2, 1.5),
    "static_friction": (0.0, 1.0), "dynamic_friction": (0.0, 1.0), "viscous_friction": (0.0, 0.2),
    "armature": (0.0, 1.0), "max_velocity": (1.0, 10.0),
}  # fmt: skip


@PRECISIONS
@pytest.mark.parametrize(
    "names", [*((name,) for name in VARIED), tuple(VARIED)], ids=lambda names: "+".join(names)[:20]
)
def test_a_parameter_may_differ_from_world_to_world(precision, names):
    """A world with its own values moves as a simulation of that world alone with those values, and unlike others."""
    rng = np.random.default_rng(3)
    sim = simulation([0] * 20, precision)
    sim.lower, sim.upper = -1.6, 1.6  # a joint with one limit has none
    values = {name: rng.uniform(*VARIED[name], (20, len(sim.dof))) for name in names}
    for name in names:
        setattr(sim, name, values[name])
    together = motion(sim)
    assert len(np.unique(together["qd"][-1], axis=0)) == 20
    for world in (0, 13, 17):
        alone = simulation([0], precision)
        alone.lower, alone.upper = -1.6, 1.6
        for name in names:
            setattr(alone, name, values[name][world])
        assert same(motion(alone), together, 0, world)


@PRECISIONS
@pytest.mark.parametrize(
    ("name", "none", "some"),
    [
        ("lower", -np.inf, -0.3), ("upper", np.inf, 0.3), ("upper", 10.0, np.inf),
        ("dynamic_friction", 0.0, 0.5), ("viscous_friction", 0.0, 0.5), ("max_velocity", np.inf, 1.0),
        ("max_force", 0.0, 5.0), ("armature", 0.0, 0.5),
    ],
)  # fmt: skip
def test_a_row_that_only_a_neighbour_has_is_not_felt(precision, name, none, some):
    """A world without limits, friction or speed limit moves as if no other world had them; turning joints wrap."""
    rows = {"lower": -np.inf, "upper": np.inf, "max_velocity": np.inf} | ({"upper": 0.3} if name == "lower" else {})
    machine = wheel(drive=Drive(damping=2.0, target_qd=25.0), **(rows | ({"lower": -0.3} if name == "upper" else {})))
    spun = fajin.Simulation(Scene("wheel", (machine,)), 3, "cpu", precision, 1)
    alone = fajin.Simulation(Scene("wheel", (machine,)), 1, "cpu", precision, 1)
    setattr(spun, name, np.array([[none], [some], [some]]))
    setattr(alone, name, none)
    together = motion(spun)
    assert not same(together, together, 0, 1)
    assert same(motion(alone), together, 0, 0)


@pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
def test_single_precision_follows_double(solver):
    """|q32 - q64| grows from the ε of f32 and no faster than the motion spreads a disturbance of that size."""
    double, single = (motion(simulation(range(4), precision, solver=solver)) for precision in ("f64", "f32"))
    eps = np.finfo(np.float32).eps
    disturbed = simulation(range(4), "f64", solver=solver)
    disturbed.q = disturbed.q[:] * (1.0 + eps)
    disturbed.qd = disturbed.qd[:] * (1.0 + eps)
    spread = np.abs(motion(disturbed)["q"] - double["q"]).max()
    error = np.abs(single["q"] - double["q"]).max()
    assert eps < error <= STEPS * max(spread, eps)


@PRECISIONS
def test_a_world_that_is_too_fast_slows_no_other(precision):
    """Nor is it forgotten beside slow ones: each is slowed as it is alone, from a hair above its limit on."""
    limit, eps = 10.0, np.finfo(f"f{int(precision[1:]) // 8}").eps
    slow_wheel = edited(Scene("wheel", (wheel(),)), links=lambda link: replace(link, max_angular_velocity=limit))
    speeds = limit * np.array([0.5, 1.0, 1.0 - 1e-5, 1.0 + 1e-5, 3.0, 0.0])
    together = fajin.Simulation(slow_wheel, len(speeds), "cpu", precision, 1)
    together.qd = speeds[:, None]
    together.step()
    assert np.abs(together.qd[:, 0] - np.minimum(speeds, limit)).max() <= 8 * eps * limit
    for speed, end in zip(speeds, together.qd[:, 0], strict=True):
        alone = fajin.Simulation(slow_wheel, 1, "cpu", precision, 1)
        alone.qd = [speed]
        alone.step()
        assert alone.qd[0] == end
