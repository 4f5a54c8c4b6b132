"""Worlds of `fajin.batch` that break: alone, named, with their last states."""

from dataclasses import replace

import numpy as np
import pytest
from one_joint import simulate as simulate_one
from one_joint import slider, wheel

import fajin
from fajin.jobs.description.control_sequences import Rows
from fajin.jobs.description.prepared_job import ColumnNames, PreparedJob
from fajin.jobs.description.sweep import Sweep
from fajin.jobs.rollout.nonfinite import MAX_STATES
from fajin.jobs.shards.simulate_shard import simulate_worlds
from fajin.scene import Articulation, Drive, Scene
from fajin.selection import short_names


@pytest.fixture(scope="module")
def scene(request) -> Scene:
    """An arm."""
    return fajin.read(request.config.rootpath / "scenes" / "arm7.usda")


BAD = {"joint2:effort": np.where(np.arange(20) == 7, 1e30, 0.0), "joint2:max_force": np.full(20, np.inf)}
BAD |= {"link2:mass*": np.where(np.arange(20) == 7, 1e-10, 1.0)}


def test_a_world_that_breaks_ends_alone(scene):
    """It is named with its joint and its step, its last states are kept, and the others' bits are as without it."""
    steps = 400
    bad, others = fajin.batch(scene, BAD, seconds=steps * scene.dt, device="cpu"), np.arange(20) != 7
    fine = {name: np.where(others, values, values[0]) for name, values in BAD.items()}
    fine = fajin.batch(scene, fine, seconds=steps * scene.dt, device="cpu")
    numbers = [name for name in fine if name not in BAD]
    assert bad.loc[others, numbers].fillna(0).equals(fine.loc[others, numbers].fillna(0))
    assert list(bad["end"] == "non-finite") == list(~others)
    assert bad.loc[7, "bad_dof"].startswith("/World/arm/joint")
    assert bad.loc[7, "seconds"] < steps * scene.dt
    assert np.isfinite(bad.loc[7, [name for name in bad if name.endswith(":final_q")]].to_numpy(float)).all()


def test_the_last_states_of_a_broken_world_are_those_of_its_motion(scene):
    """A hundred of them, or all there were; the last is the last finite one. Events before them happened."""
    model = fajin.compile(scene)
    efforts = np.zeros((3, 3, 7))
    efforts[:, 1:, 0] = 3.0  # from step 90 on
    efforts[1, 2, 1] = efforts[2, 2:, 3] = 1e30  # from step 180 on
    table = {"joint[24]:max_force": np.full(3, np.inf), "joint4:q": np.array([0.0, 0.0, 0.4])}
    sweep = Sweep(ColumnNames.of(model), table, {}, {})
    job = PreparedJob(model, sweep, 3, 400, rows=(Rows("effort", efforts, 90),), device="cpu", threads=1)
    outcome = simulate_worlds(job, np.arange(3))
    assert [failure.world for failure in outcome.failures] == [1, 2]
    for failure in outcome.failures:
        assert len(failure.states) == MAX_STATES
        assert 0 < failure.step - 180 < 20
        assert failure.states.time[-1] == pytest.approx((failure.step - 1) * scene.dt)
        assert np.isfinite(failure.states.q).all()
        last = [outcome.columns[f"{dof}:final_q"][failure.world] for dof in short_names(model.dof)]
        assert (failure.states.q[-1] == last).all()


def renamed(machine: Articulation) -> Articulation:
    """The same machine below /n."""
    links = tuple(replace(link, path=link.path.replace("/m", "/n")) for link in machine.links)
    ends = {name: getattr(machine.joints[0], name).replace("/m", "/n") for name in ("path", "body0", "body1")}
    return replace(machine, path="/n", links=links, joints=(replace(machine.joints[0], **ends),))


def test_articulations_of_a_broken_world_end_with_it():
    """Numbers of all of them are those at the step before; a second robot's are not counted on."""
    drive = Drive(stiffness=10.0, damping=1.0, target_q=1.0)
    scene = simulate_one(slider(drive=Drive())).scene
    scene = replace(scene, articulations=(*scene.articulations, renamed(wheel(drive=drive))))
    rows = fajin.batch(
        scene, {"/m/joint:effort": [1e30, 0.0], "/m/link:mass*": [1e-10, 1.0]}, seconds=1.0, device="cpu"
    )
    assert list(rows["end"]) == ["non-finite", "done"]
    assert list(rows["bad_dof"]) == ["/m/joint:transZ", ""]
    energy = "joint:rotZ:energy"
    alone = fajin.batch(scene, worlds=1, seconds=float(rows.loc[0, "seconds"]), device="cpu")
    assert rows.loc[0, energy] == alone.loc[0, energy]
    assert rows.loc[0, energy] < rows.loc[1, energy]


def test_under_a_policy_a_world_that_breaks_is_named_when_it_is_seen(scene):
    """It cannot be run again; joint and time are known all the same."""

    def push(sim):
        sim.effort[1, "joint2"] = 1e30 * (sim.steps >= 20)

    table = {"link2:mass*": [1.0, 1e-10], "joint2:max_force": [np.inf, np.inf]}
    rows = fajin.batch(scene, table, seconds=0.5, policy=push, device="cpu")
    assert list(rows["end"]) == ["done", "non-finite"]
    assert rows.loc[1, "bad_dof"].startswith("/World/arm/joint")
    assert 20 * scene.dt <= rows.loc[1, "seconds"] < 0.5
