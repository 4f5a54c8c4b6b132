"""What is passed by mistake in Python is named in one line that says what to pass."""

import pickle

import numpy as np
import pytest
from planar_arm import arm, simulation

import fajin
from fajin import dynamics


@pytest.fixture(scope="module")
def sim() -> fajin.Simulation:
    """Two worlds of an arm."""
    return simulation(arm(), 2)


@pytest.mark.parametrize(
    ("ask", "kind", "line"),
    [
        (
            lambda sim: sim.load("x.npz"),
            TypeError,
            r"snapshot = 'x\.npz': must be a Snapshot; read it by Snapshot\.read",
        ),
        (lambda sim: sim.load(3), TypeError, r"snapshot = 3: must be a Snapshot; pass what save returned"),
        (lambda sim: dynamics.mass_matrix(sim.scene), TypeError, r"sim = Scene: must be a Simulation; pass fajin\."),
        (lambda sim: sim.read("target"), KeyError, "no field 'target'; did you mean 'target_q'"),
        (lambda sim: sim.read("kp"), KeyError, "no field 'kp'; did you mean 'stiffness'"),
        (lambda sim: sim.names, AttributeError, "Simulation has no 'names'; did you mean 'dof'"),
        (lambda sim: sim.snapshot(), AttributeError, "Simulation has no 'snapshot'; did you mean 'save'"),
        (lambda sim: sim.stifness, AttributeError, "Simulation has no 'stifness'; did you mean 'stiffness'"),
        (
            lambda sim: sim.run(seconds=sim.dt, every=1).to_pandas(),
            AttributeError,
            "Recording has no 'to_pandas'; did you mean 'to_frame'",
        ),
        (lambda sim: sim.read("zzz"), KeyError, "no field 'zzz'; must be one of .*stiffness"),
        (
            lambda sim: fajin.batch(sim.scene, grid={"elbow:stiffness": [1.0, 2.0, 3.0]}, worlds=2000),
            fajin.InvalidJob,
            "^worlds = 2000: must be a multiple of the 3 points of grid and table; use 2001",
        ),
        (
            lambda sim: fajin.batch(sim.scene, "sweep"),
            fajin.InvalidJob,
            "^parameters = 'sweep': must be a dict or a DataFrame; pass {setting: values}",
        ),
        (lambda sim: sim.dof.index("elbo"), KeyError, "no degree of freedom 'elbo'; did you mean 'elbow'"),
        (lambda sim: sim.link.index("elbow"), KeyError, "no link 'elbow'"),
    ],
)
def test_a_mistake_is_named(sim, ask, kind, line):
    """With what to pass instead."""
    with pytest.raises(kind, match=line):
        ask(sim)


def test_columns_are_found_by_any_of_their_names(sim):
    """As `sim.q[:, name]` finds them."""
    full = sim.dof[1]
    path = full.partition(":")[0]
    assert [sim.dof.index(name) for name in (full, path, path.rpartition("/")[2], full.rpartition("/")[2])] == [1] * 4
    assert (sim.dof, pickle.loads(pickle.dumps(sim.dof)).index(path)) == (tuple(sim.dof), 1)


def test_a_snapshot_is_shown_in_a_line(sim):
    """Not with all its numbers."""
    assert repr(sim.save()) == f"<Snapshot of 2 worlds, 3 degrees of freedom, 4 links, step {sim.steps}>"


def test_a_restored_snapshot_is_written_a_buffer_at_once(sim, monkeypatch):
    """All rows of a buffer in one write, with the bits of the snapshot; tables are hashed once per model."""
    from fajin.device.buffer import Buffer

    sim.step(3)
    start, calls = sim.save(), []
    write = Buffer.write
    monkeypatch.setattr(Buffer, "write", lambda self, values, *rest: (calls.append(1), write(self, values, *rest))[1])
    monkeypatch.setattr("hashlib.sha256", None)
    sim.step(2)
    calls.clear()
    sim.load(start)
    assert len(calls) <= 4  # state, rates, rest, contacts
    monkeypatch.undo()
    again = sim.save()
    assert all(np.array_equal(again.rows[name], rows) for name, rows in start.rows.items())
