"""Portions of a job: several machines that share a disk, Slurm arrays, shards as large as memory allows."""

import json
import os
import subprocess

import pytest
from batches import COMMAND, fajin_batch_here, results

import fajin
from fajin.jobs.results import manifest
from fajin.jobs.shards import shard_size
from fajin.jobs.shards.partition import ShardSubset

JOB = ("--random", "elbow:q+=normal(0,0.3)", "--worlds", "20", "--seconds", "0.2", "--shard-size", "3")
JOB = (*JOB, "--device", "cpu")
ARRAY = {"SLURM_ARRAY_TASK_MIN": "2", "SLURM_ARRAY_TASK_MAX": "8", "SLURM_ARRAY_TASK_STEP": "2"}
ARRAY |= {"SLURM_ARRAY_TASK_COUNT": "4"}


@pytest.fixture(scope="module")
def scene(request):
    """A double pendulum."""
    return request.config.rootpath / "scenes" / "double_pendulum.usda"


@pytest.fixture(scope="module")
def whole(scene, tmp_path_factory):
    """The results of the job, done by one machine."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    assert fajin_batch_here(scene, "-o", folder, *JOB).returncode == 0
    return results(folder)


def test_portions_are_all_shards_and_none_twice():
    """However many there are of each."""
    for n in (1, 3, 7, 20):
        shards = [i for k in range(n) for i in ShardSubset(k, n).of(11)]
        assert sorted(shards) == list(range(11))


@pytest.mark.parametrize(
    ("text", "environment", "portion"),
    [
        ("0/1", {}, ShardSubset(0, 1)),
        ("3/16", {"SLURM_ARRAY_TASK_ID": "7"}, ShardSubset(3, 16)),
        ("auto", ARRAY | {"SLURM_ARRAY_TASK_ID": "6"}, ShardSubset(2, 4)),
        ("auto", {"JOB_COMPLETION_INDEX": "4", "JOB_COMPLETIONS": "5"}, ShardSubset(4, 5)),
    ],
)
def test_a_portion_is_what_is_given_or_what_the_machine_is_told(text, environment, portion):
    """An environment counts only where it is asked for."""
    assert ShardSubset.parse(text, environment) == portion


@pytest.mark.parametrize(
    ("text", "environment"),
    [
        ("3/3", {}),
        ("-1/3", {}),
        ("1", {}),
        ("0/0", {}),
        ("auto", {}),
        ("auto", {"JOB_COMPLETION_INDEX": "4"}),
        ("auto", {"JOB_COMPLETION_INDEX": "4", "JOB_COMPLETIONS": "4"}),
        ("auto", ARRAY | {"SLURM_ARRAY_TASK_ID": "6", "SLURM_ARRAY_TASK_COUNT": "2"}),  # --array=2,8
    ],
)
def test_a_portion_that_is_none_is_refused(text, environment):
    """In a line with the mend."""
    with pytest.raises(fajin.InvalidJob, match="--shard") as error:
        ShardSubset.parse(text, environment)
    assert "i/N" in str(error.value)


@pytest.mark.parametrize("links", [True, False])
def test_the_manifest_that_was_first_stays(tmp_path, monkeypatch, links):
    """Also on a disk without hard links; nothing is left beside it."""

    def refuse(*_):
        raise PermissionError(1, "no hard links here")

    if not links:
        monkeypatch.setattr("pathlib.Path.hardlink_to", refuse)
    first, second = ({"job": {"seed": seed}, "scene": {"files": {}}} for seed in (1, 2))
    assert manifest.create_if_absent(first, tmp_path)
    assert not manifest.create_if_absent(second, tmp_path)
    assert json.loads((tmp_path / manifest.NAME).read_text()) == first
    assert [path.name for path in tmp_path.iterdir()] == [manifest.NAME]


@pytest.mark.slow
def test_machines_that_begin_at_once_do_a_job_together(scene, whole, tmp_path):
    """One of them makes the manifest; the last one says that all is done; the results are those of one machine."""
    folder = tmp_path / "out"
    command = [*COMMAND, str(scene), "-o", str(folder), *JOB]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = [subprocess.Popen([*command, "--shard", f"{i}/3"], **pipes) for i in range(3)]
    said = [process.communicate() for process in running]
    assert [process.returncode for process in running] == [0] * 3, said
    assert sum(out.endswith("7 of 7 shards; complete\n") for out, _ in said) >= 1
    assert results(folder) == whole
    assert not list(folder.rglob(".*"))
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    again = fajin_batch_here(scene, "-o", folder, *JOB, "--shard", "1/3")
    assert (again.returncode, again.stdout) == (0, f"{folder}: 20 of 20 worlds, 7 of 7 shards; complete\n")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    other = fajin_batch_here(scene, "-o", folder, *JOB, "--seed", "1", "--shard", "1/3")
    assert (other.returncode, other.stderr.count("\n")) == (2, 1)
    assert "seed" in other.stderr


@pytest.mark.slow
def test_the_file_for_sbatch_does_the_job(scene, whole, tmp_path, monkeypatch):
    """Its command lines, under the variables of an array's tasks, one after the other, in a folder with a space."""
    monkeypatch.chdir(tmp_path)
    command = fajin_batch_here(scene, "-o", "out of it", *JOB, "--slurm", "--tasks", "2")
    assert (command.returncode, command.stderr) == (0, "")
    assert not list(tmp_path.iterdir())
    script = tmp_path / "array.sh"
    script.write_text(command.stdout)
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    assert f"#SBATCH --chdir={tmp_path}\n#SBATCH --array=0-1\n" in command.stdout
    for task in "10":
        environment = {**os.environ, "SLURM_ARRAY_TASK_ID": task, "SLURM_CPUS_PER_TASK": "1"}
        run = subprocess.run(
            ["bash", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert (run.returncode, run.stderr) == (0, "")
        assert ("complete" in run.stdout) == (task == "0")
    assert results(tmp_path / "out of it") == whole
    again = fajin_batch_here("-o", "out of it", "--slurm")
    assert "#SBATCH --array=0-6\n" in again.stdout


@pytest.mark.parametrize(
    ("worlds", "most", "processes"), [(20, 7, 1), (10_000, 4096, 1), (10_000, 3000, 4), (5, 64, 2)]
)
def test_shards_are_as_large_as_fits_and_even(worlds, most, processes):
    """In whole packs, as many for each process, no fewer than needed."""
    size = shard_size.even_shards(worlds, most, processes)
    shards = -(-worlds // size)
    assert size <= most
    assert size % shard_size.PACK[32] == 0 or size == most
    assert shards <= processes * -(-worlds // (most * processes))


def test_shards_are_fitted_to_memory_before_anything_starts(scene, whole, tmp_path):
    """What a world takes is said; a job that has begun keeps to its shards."""
    job = [word for word in JOB if word not in ("--shard-size", "3")]
    done = fajin_batch_here(scene, "-o", tmp_path / "out", *job, "--batch", "auto")
    assert done.returncode == 0
    assert "MB per world" in done.stderr
    assert "1 shards of 32\n" in done.stderr
    assert results(tmp_path / "out") == whole
    again = fajin_batch_here(scene, "-o", tmp_path / "out", *job, "--batch", "auto", "--workers", "2", "--resume")
    assert again.returncode == 0, again.stderr
    refused = fajin_batch_here(scene, "-o", tmp_path / "none", *job, "--batch", "auto", "--shard", "0/2")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert not (tmp_path / "none").exists()
