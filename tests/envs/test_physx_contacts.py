"""Contacts that PhysX reports: the law of their times and forces, and the stage in which PhysX reports them."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pxr import Usd  # noqa: E402

import fajin  # noqa: E402
from fajin import envs  # noqa: E402
from fajin.author.contact_reports import REPORTS, report_contacts  # noqa: E402
from fajin.envs.physx_contacts import TIMES, ReportedContacts  # noqa: E402
from fajin.envs.playing import nominal  # noqa: E402

WORLDS, STEPS = 3, 4
QUANTITIES = ("net_force", "peak_force", *TIMES)


def test_reported_contacts_are_those_that_steps_add_up():
    """A Go2 whose feet leave the ground and land: forces of every step give what a launch of all steps counts."""
    task = nominal(envs.find_task("VelocityFlatGo2-v0"))
    whole, single, told = (envs.make(task, WORLDS, threads=1).sim for _ in range(3))
    readouts = [fajin.Readout(sim) for sim in (whole, single, told)]
    columns = readouts[0].colliders("(FL|FR|RL|RR)|.*/base/[^/]*")
    rows = [{name: readout.add(name, columns) for name in QUANTITIES} for readout in readouts]
    contacts, touched = ReportedContacts(readouts[2], columns), []
    default = whole.read("q")
    targets = np.random.default_rng(0).normal(0.0, 0.6, (20, WORLDS, len(whole.dof))).astype(np.float32)
    for target in targets:
        forces = []
        for sim in (whole, single):
            sim.write("target_q", default + target)
        whole.step(STEPS)
        for _ in range(STEPS):
            single.step(1)
            readouts[1].update()
            forces.append(np.array(readouts[1].values[rows[1]["net_force"]]).T.reshape(WORLDS, -1, 3))
        contacts.add(np.array(forces), whole.dt)
        for readout in (readouts[0], readouts[2]):
            readout.update()
        for name in QUANTITIES:
            found, expected = (readouts[i].values[rows[i][name]] for i in (2, 0))
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6, err_msg=name)
        touched.append(np.array(readouts[0].values[rows[0]["current_contact_time"]]) > 0.0)
    assert (np.diff(touched, axis=0).sum(0) > 1).any()  # in and out of contact


def test_colliders_and_their_bodies_report_in_the_stage(tmp_path, monkeypatch):
    """Others do not, and the scene is the same, also of a path from the working folder."""
    env = envs.make("VelocityFlatAnymalC-v0", 1)
    scene = env.sim.scene
    shapes = env.contacts(".*_FOOT").colliders
    monkeypatch.chdir(Path(scene.source).parent)
    path = report_contacts(Path(Path(scene.source).name), tmp_path / "reporting.usda", shapes)
    stage = Usd.Stage.Open(str(path))
    found = {str(prim.GetPath()) for prim in stage.Traverse() if REPORTS in prim.GetAppliedSchemas()}
    assert found == {*shapes, *(shape.rpartition("/")[0] for shape in shapes)}
    assert all(stage.GetPrimAtPath(p).GetAttribute("physxContactReport:threshold").Get() == 0.0 for p in found)
    again = fajin.Simulation(fajin.read(path), 1, "cpu", threads=1)
    assert again.dof == env.sim.dof
    assert again.dt == env.sim.dt
