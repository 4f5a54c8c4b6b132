"""A job that travels: it is done where none of its files are, and its results come back whole."""

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest

import fajin
from fajin.jobs.description.job import Job, Record
from fajin.jobs.description.prepared_job import prepare
from fajin.jobs.execution import payload as payloads
from fajin.jobs.execution.payload import JobPayload, run_payload, write_outputs
from fajin.jobs.shards.shard import run_shard

OWN = """from other import FACTOR

def act(sim):
    sim.write("target_q", FACTOR * sim.read("q"))
"""


@pytest.fixture(scope="module")
def job(request, tmp_path_factory) -> Job:
    """A job that names everything that it can."""
    folder = tmp_path_factory.mktemp("here")
    scene = request.config.rootpath / "scenes" / "double_pendulum.usda"
    (folder / "own.py").write_text(OWN)
    (folder / "other.py").write_text("FACTOR = 0.5")
    (folder / "params.csv").write_text("elbow:q\n0.1\n0.2\n0.3\n0.4")
    np.savez(folder / "controls.npz", effort=np.ones((3, 2)), every=4)
    files = {"table": "params.csv", "controls": "controls.npz", "initial": "start.npz"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "path", [str(folder), *sys.path])
        plain = Job(str(scene), 4, 0.2, 3, device="cpu", threads=1, dt=1 / 100, position_iterations=7)
        plain = replace(plain, drive=("elbow=3,0.1",))
        fajin.Simulation(prepare(plain).scene, device="cpu").save().write(folder / "start.npz")
        paths = {name: str(folder / file) for name, file in files.items()}
        yield replace(plain, policy="own:act", record=Record(1, 3, 2), **paths)
        for name in ("own", "other"):
            sys.modules.pop(name, None)


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder but tables, whose heads say how long they took."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".parquet")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.slow
def test_a_payload_is_done_without_usd_scene_and_files_to_the_same_bits(job, tmp_path):
    """In another process, another folder, with no pxr to import: tables and trajectories are those of here."""
    (tmp_path / "payload").write_bytes(pickle.dumps(JobPayload.of(job)))
    code = "import pickle, sys; sys.modules['pxr'] = None; from fajin.jobs.execution.payload import run_payload\n"
    code += "payload = pickle.load(open('payload', 'rb')); pickle.dump(run_payload(payload, 0), open('files', 'wb'))"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    write_outputs(pickle.loads((tmp_path / "files").read_bytes()), tmp_path / "there")
    run_shard(job, 0, tmp_path / "here")
    here, there = (parquet.read_table(tmp_path / name / "metrics") for name in ("here", "there"))
    assert here.equals(there)
    assert len(here) == 3
    assert contents(tmp_path / "here") == contents(tmp_path / "there") != {}


def test_a_payload_holds_what_the_job_has_changed_and_the_users_modules(job):
    """The model is compiled with step, solver and gains; own modules travel with those that they import."""
    payload = JobPayload.of(job)
    names = {name for name, _ in payload.files}
    assert names == {"model.npz", "table.csv", "controls.npz", "initial.npz", "code/own.py", "code/other.py"}
    sent = Job.of_json(payload.job)
    assert (sent.dt, sent.position_iterations, sent.drive) == (None, None, ())
    assert (sent.scene, sent.table, sent.record) == ("model.npz", "table.csv", job.record)


def test_a_worker_takes_the_modules_of_the_job_at_hand(job, tmp_path):
    """A second job whose modules are called the same gets its own."""
    first = JobPayload.of(job)
    changed = {**dict(first.files), "code/other.py": b"FACTOR = -0.5"}
    second = replace(first, files=tuple(changed.items()))
    for name in ("own", "other"):
        sys.modules.pop(name, None)
    tables = []
    for payload in (first, second, first):
        files = run_payload(payload, 1)
        write_outputs(files, tmp_path / str(len(tables)))
        tables.append(files["metrics/00001.parquet"])
    rows = [parquet.read_table(tmp_path / str(i) / "metrics").to_pydict() for i in range(3)]
    assert rows[0] == rows[2] != rows[1]


def test_a_worker_with_other_packages_is_refused(job, monkeypatch):
    """Its bits might be others."""
    payload = JobPayload.of(job)
    monkeypatch.setattr(payloads, "version", lambda name: "0.0.1")
    with pytest.raises(fajin.InvalidJob, match=r"a worker has fajin 0\.0\.1, .* install equal"):
        run_payload(payload, 0)


def test_files_of_a_shard_appear_whole_and_its_table_last(tmp_path, monkeypatch):
    """A table says that all else is there."""
    placed = []
    place = payloads.write_atomically
    monkeypatch.setattr(payloads, "write_atomically", lambda path, write: (placed.append(path), place(path, write)))
    files = {"metrics/00002.parquet": b"m", "trajectories/00002.zarr/q/c/0": b"q", "trajectories/00002.zarr/z": b"z"}
    write_outputs(files | {"broken/world-7.npz": b"b"}, tmp_path)
    assert placed[-1] == tmp_path / "metrics" / "00002.parquet"
    assert len(placed) == 3
    assert (tmp_path / "trajectories/00002.zarr/q/c/0").read_bytes() == b"q"
    assert not list(tmp_path.rglob(".*"))


@pytest.mark.parametrize(("cluster", "words"), [("http://host:1", "tcp://host:port"), ("dask", "ray://")])
def test_a_cluster_of_no_kind_is_refused(cluster, words):
    """In a line that names those there are."""
    from fajin.jobs.execution.connection import open_worker_pool

    with pytest.raises(fajin.InvalidJob, match=words), open_worker_pool(cluster):
        pass


@pytest.mark.parametrize(
    ("cluster", "package", "wanted"),
    [("tcp://127.0.0.1:1", "distributed", "distributed"), ("ray://127.0.0.1:1", "ray", r"'ray\[client\]'")],
)
def test_a_cluster_without_its_package_says_what_to_install(monkeypatch, cluster, package, wanted):
    """The package, whose name is right in a checkout, too."""
    from fajin.jobs.execution.connection import open_worker_pool

    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(fajin.InvalidJob, match=f"pip install {wanted}"), open_worker_pool(cluster):
        pass
