"""Metrics of contacts in a batch job: one column per link that may touch something."""

import numpy as np
import pytest
from bodies_on_ground import MU, G, H, scene

import fajin
from fajin.jobs.description.job import Job
from fajin.jobs.metrics.named_metrics import LINK_METRICS


def test_a_batch_reports_contacts_of_links():
    """Time in contact, peak force, slip v²/(2 μ g) and penetration of each body; nothing of what is not asked for."""
    table = fajin.batch(scene(), seconds=0.5, metrics=["contact_time", "slip_distance"], device="cpu", threads=1)
    assert float(table["box:contact_time"][0]) == pytest.approx(0.5)
    assert float(table["sled:slip_distance"][0]) == pytest.approx(1.0 / (2 * MU * G), abs=1.5 * H)
    names = list(table.columns if hasattr(table, "columns") else table.dtype.names)
    assert not [name for name in names if name.startswith(("peak_effort", "penetration"))]
    assert {f"ball:{name}" for name in ("contact_time", "slip_distance")} < set(names)


def test_a_batch_without_contacts_has_no_columns_of_contacts():
    """contacts=False drops the colliders; all metrics then are those of joints, and bodies fall."""
    table = fajin.batch(scene(), seconds=0.1, device="cpu", threads=1, contacts=False)
    names = list(table.columns if hasattr(table, "columns") else table.dtype.names)
    assert not [name for name in names if name.rpartition(":")[2] in LINK_METRICS]
    assert np.asarray(table["end"]).tolist() == ["done"]


def test_slots_of_a_batch_are_those_of_the_job(monkeypatch):
    """Function and command pass the number of slots on; too few of them are reported."""
    asked = []
    real = fajin.Simulation.__init__

    def record(self, *args, contact_slots=None, **options):
        asked.append(contact_slots)
        real(self, *args, **options)

    monkeypatch.setattr(fajin.Simulation, "__init__", record)
    fajin.batch(scene(), seconds=0.01, device="cpu", threads=1, contact_slots=50)
    assert asked == [50]
    job = Job(scene="", worlds=1, seconds=None, shard=1, contact_slots=7)
    assert Job.of_json(job.as_json()).contact_slots == 7
