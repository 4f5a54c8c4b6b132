"""What a scene does not have is not compiled in, and what is compiled in for others changes none of its bits."""

import json
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from paths import RECORDINGS
from random_tree import random_tree
from shared_kernels import shared_features

import fajin
from fajin.scene import SolverType


def simulation(solver: SolverType, results: bool = True) -> fajin.Simulation:
    """A tree of every kind of joint."""
    scene = replace(random_tree(0), solver=solver)
    sim = fajin.Simulation(scene, device="cpu", threads=1, results=results)
    sim.qd = np.random.default_rng(2).normal(0.0, 1.0, (1, len(sim.dof)))
    return sim


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("folder", "name", "worlds"),
    [
        ("joints", "f05_branch", 1), slow("contacts", "a01_legs2_tgs", 1),
        slow("joints", "f05_branch_floating", 20), slow("joints", "f13_loop_excluded", 1),
        slow("joints", "n07_tendons_names", 1),
    ],
)  # fmt: skip
def test_laws_that_a_scene_does_not_need_change_none_of_its_bits(own_kernels, folder, name, worlds):
    """So tests of many scenes can share kernels."""
    scene = fajin.read(RECORDINGS / folder / "scenes" / f"{name}.usda")
    motions, features = [], []
    for shared in (False, True):
        own_kernels.use(shared)
        sim = fajin.Simulation(scene, worlds, "cpu", threads=1)
        sim.step(60)
        told = [sim.read(quantity) for quantity in ("link_acceleration", "link_incoming_force")]
        motions.append([bits(numbers) for numbers in (sim._synced_state().read(), *told)])
        features.append(sim._synced_state()._features())
    assert motions[0] == motions[1]
    assert features[0] != features[1] == shared_features(features[0], sim._synced_state().device)


def bits(numbers: np.ndarray) -> bytes:
    """The bits of numbers; the sign of what is not a number means nothing."""
    return np.where(np.isnan(numbers), np.nan, numbers).astype(numbers.dtype).tobytes()


@pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
def test_steps_without_results_move_and_accelerate_joints_to_the_same_bits(own_kernels, solver):
    without, complete = simulation(solver, results=False), simulation(solver)
    assert (without.results, complete.results) == (False, True)
    for sim in (without, complete):
        sim.step(30)
    assert without._synced_state().read().tobytes() == complete._synced_state().read().tobytes()
    assert complete.read("qdd").any()
    assert without.read("qdd").tobytes() == complete.read("qdd").tobytes()


def test_results_that_steps_leave_out_are_refused():
    """Those that were read before, too."""
    without, complete = simulation(SolverType.TGS, results=False), simulation(SolverType.TGS)
    without.step(30)
    complete.step(30)
    for name in ("link_acceleration", "link_incoming_force", "friction_effort", "contact_force", "pair_force"):
        assert np.isfinite(complete.read(name)).all()
        with pytest.raises(ValueError, match=r"results = False: must be True to read \w+; pass results=True to"):
            without.read(name)
    with pytest.raises(ValueError, match="must be True to read contacts"):
        _ = without.contacts


@pytest.mark.parametrize(("name", "collides"), [("double_pendulum", False), slow("bouncing_ball", True)])
def test_a_scene_without_colliders_has_no_law_of_contacts_in_its_kernel(name, collides):
    """So it pays nothing for contacts, neither when it steps nor when it is compiled."""
    code = """
        import json, sys
        import fajin
        from fajin import device
        device.start_device.runs_machine_code = lambda: False  # the kernel is traced in this process
        sim = fajin.Simulation(fajin.read(sys.argv[1]), device="cpu", threads=1)
        sim._synced_state()
        from taichi.lang.kernel_impl import Func, Kernel
        files, trace, ensure = set(), Func.__call__, Kernel.ensure_compiled

        def noted(self, *args, **kwargs):
            files.add(self.func.__code__.co_filename.partition("/physics/")[2])
            return trace(self, *args, **kwargs)

        def ensured(self, *args):
            ensure(self, *args)
            if files:
                print(json.dumps(sorted(files)))
                sys.exit(0)  # before LLVM's long work
            return ensure(self, *args)

        Func.__call__, Kernel.ensure_compiled = noted, ensured
        sim.step()
    """
    scene = Path(__file__).parents[2] / "scenes" / f"{name}.usda"
    command = [sys.executable, "-c", textwrap.dedent(code), str(scene)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    files = json.loads(done.stdout)
    assert "articulated_body.py" in files
    assert any(file.startswith("contacts/") for file in files) == collides


def test_the_first_commands_of_a_user_share_a_kernel(own_kernels, scenes):
    """`simulate`, with controls or without, and statistics of a short batch: one world at a time."""
    own_kernels.use(False)
    kernels = []
    for scheduled, counted in ((False, False), (True, False), (False, True)):
        sim = fajin.Simulation(fajin.read(scenes / "arm7.usda"), device="cpu")
        state = sim._synced_state()
        if scheduled:
            sim.schedule({"target_q": np.zeros((2, len(sim.dof)))})
        if counted:
            state.count_statistics()
        kernels.append(state._features())
    assert kernels[0] == kernels[1] == kernels[2]
    assert kernels[0].schedule
    assert kernels[0].statistics
