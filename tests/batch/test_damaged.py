"""A job's folder, its tables and controls, damaged: done again to the same bits, or refused in one line."""

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest
from batches import fajin_batch_here, results

import fajin
from fajin.jobs.description.job import Job
from fajin.jobs.execution.payload import JobPayload
from fajin.jobs.results import job_folder, manifest
from fajin.jobs.shards import checksum, shard

pytest.importorskip("zarr", reason="zarr 3 needs Python 3.11")
SEED, DRAWS = 9, 40
JOB = ("--random", "elbow:q+=normal(0,0.3)", "--worlds", "8", "--seconds", "0.05", "--shard-size", "3")
JOB = (*JOB, "--device", "cpu", "--threads", "1", "--record", "worlds=2:4 every=8")


@dataclass(frozen=True)
class Done:
    """A finished job, and what is in it."""

    folder: Path
    rows: dict[str, list]
    frames: dict[str, bytes]  # of the trajectories, {path: contents}


def frames(folder: Path) -> dict[str, bytes]:
    """All files of the trajectories."""
    files = (path for path in folder.glob("trajectories/**/*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def scene(request) -> Path:
    """A double pendulum."""
    return request.config.rootpath / "scenes" / "double_pendulum.usda"


@pytest.fixture(scope="module")
def done(scene, tmp_path_factory) -> Done:
    """Eight worlds in three shards, trajectories of two of them."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    ran = fajin_batch_here(scene, "-o", folder, *JOB)
    assert ran.returncode == 0, ran.stderr
    return Done(folder, results(folder), frames(folder))


@pytest.fixture
def folder(done, tmp_path) -> Path:
    """A copy of it, to be damaged."""
    shutil.copytree(done.folder, tmp_path / "out")
    return tmp_path / "out"


def same(done: Done, folder: Path) -> bool:
    """Whether the folder holds what it held before it was damaged."""
    return results(folder) == done.rows and frames(folder) == done.frames


def flaws(folder: Path) -> dict[int, str]:
    """What is to be done of a job, and why; nothing is simulated."""
    return job_folder.start(manifest.job_of(folder), folder, resume=True)


def test_a_whole_job_is_not_done_again(done, folder):
    """Nothing is written, nothing is said."""
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    again = fajin_batch_here("-o", folder, "--resume")
    assert (again.returncode, again.stderr) == (0, "")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def table(folder: Path, i: int) -> Path:
    """Of shard i."""
    return shard.path_of(folder, i)


def rewrite(path: Path, change: Callable) -> None:
    """Write a table with something changed; its footer stays as it is."""
    whole = parquet.read_table(path)
    parquet.write_table(change(whole).replace_schema_metadata(whole.schema.metadata), path)


def flip(path: Path, at: int) -> None:
    """Turn a bit of a file over."""
    content = bytearray(path.read_bytes())
    content[at] ^= 1 << (at % 8)
    path.write_bytes(content)


def zarr_chunk(folder: Path) -> Path:
    """A file with numbers of shard 0's trajectories."""
    return folder / "trajectories" / "00000.zarr" / "q" / "c" / "0" / "0" / "0"


DAMAGE = {
    "cut short": lambda folder: table(folder, 1).write_bytes(table(folder, 1).read_bytes()[:-20]),
    "empty": lambda folder: table(folder, 1).write_bytes(b""),
    "text": lambda folder: table(folder, 1).write_text("world\n3\n4\n5\n"),
    "npz": lambda folder: np.savez(table(folder, 1).open("wb"), world=np.arange(3)),
    "a bit of the data": lambda folder: flip(table(folder, 1), 400),
    "a copy of another": lambda folder: shutil.copy(table(folder, 0), table(folder, 1)),
    "fewer rows": lambda folder: rewrite(table(folder, 1), lambda rows: rows.slice(0, 2)),
    "a value": lambda folder: rewrite(table(folder, 1), lambda rows: rows.set_column(1, rows.field(1), [rows[2]])),
    "without metadata": lambda folder: parquet.write_table(
        parquet.read_table(table(folder, 1)).replace_schema_metadata(None), table(folder, 1)
    ),
    "another metadatum": lambda folder: parquet.write_table(
        (rows := parquet.read_table(table(folder, 1))).replace_schema_metadata(
            {**rows.schema.metadata, b"fajin.broken": b"2"}
        ),
        table(folder, 1),
    ),
    "a link to nothing": lambda folder: (table(folder, 1).unlink(), table(folder, 1).symlink_to("none")),
    "missing": lambda folder: table(folder, 1).unlink(),
    "trajectories missing": lambda folder: shutil.rmtree(folder / "trajectories" / "00000.zarr"),
    "a chunk missing": lambda folder: zarr_chunk(folder).unlink(),
    "a chunk's bit": lambda folder: flip(zarr_chunk(folder), 20),
    "trajectories as text": lambda folder: (
        shutil.rmtree(folder / "trajectories" / "00000.zarr"),
        (folder / "trajectories" / "00000.zarr").write_text("q"),
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_shard_does_not_count_as_done(folder, damage):
    """Nor is it taken for a missing one; the others do."""
    DAMAGE[damage](folder)
    found = flaws(folder)
    assert list(found) == [0 if "chunk" in damage or "trajectories" in damage else 1]
    assert all(found.values()) == (damage not in ("missing", "a link to nothing"))
    assert not any("\n" in flaw or len(flaw) > 120 for flaw in found.values())


def test_damaged_shards_are_done_again_to_the_same_bits(done, folder):
    """A line each, from the command; also where nothing is left but the manifest."""
    for damage in ("a chunk's bit", "a bit of the data"):
        DAMAGE[damage](folder)
    again = fajin_batch_here("-o", folder, "--resume")
    assert again.returncode == 0, again.stderr
    lines = again.stderr.splitlines()
    assert [line.split(":")[1].strip() for line in lines] == [str(table(folder, i)) for i in (0, 1)]
    assert all(line.endswith("the shard is run again") for line in lines)
    assert same(done, folder)
    shutil.rmtree(folder / "metrics")
    DAMAGE["trajectories as text"](folder)
    assert fajin_batch_here("-o", folder, "--resume").returncode == 0
    assert same(done, folder)


def test_a_shard_of_another_job_is_done_again(scene, folder, tmp_path):
    """It has the same number and as many rows; its seed is another."""
    other = fajin_batch_here(scene, "-o", tmp_path / "other", *JOB, "--seed", "1")
    assert other.returncode == 0, other.stderr
    shutil.copy(table(tmp_path / "other", 1), table(folder, 1))
    assert flaws(folder) == {1: "is of another job"}


def test_a_folder_in_the_place_of_a_shard_is_refused(folder):
    """It is not ours to take away."""
    table(folder, 1).unlink()
    table(folder, 1).mkdir()
    with pytest.raises(fajin.InvalidJob, match="remove it"):
        flaws(folder)


def test_a_job_is_the_same_wherever_it_is_done(scene, tmp_path):
    """Also as a payload, where its changes are part of the model; another seed or step is another job."""
    plain = Job(str(scene), 4, 0.2, 3, device="cpu", dt=1 / 100, drive=("elbow=3,0.1",))
    there = JobPayload.of(plain).unpack(tmp_path)
    assert checksum.of_job(there) == checksum.of_job(plain)
    others = [Job(str(scene), 4, 0.2, 3, device="cpu", dt=1 / 100, drive=("elbow=3,0.1",), seed=1)]
    others += [Job(str(scene), 4, 0.2, 3, device="cpu", dt=1 / 50, drive=("elbow=3,0.1",))]
    assert len({checksum.of_job(job) for job in (plain, *others)}) == 3


def corrupt(file: Path, draw: random.Random, others: list[Path]) -> None:
    """Do one thing to a file that disks, programs and people do."""
    content = file.read_bytes()
    at = draw.randrange(max(1, len(content)))
    match draw.choice(("bit", "cut", "zeros", "delete", "swap", "text", "folder", "twice")):
        case "bit":
            file.write_bytes(content[:at] + bytes([content[at] ^ 1 << draw.randrange(8)]) + content[at + 1 :])
        case "cut":
            file.write_bytes(content[:at])
        case "zeros":
            file.write_bytes(content[:at] + bytes(min(64, len(content) - at)) + content[at + 64 :])
        case "delete":
            file.unlink()
        case "swap":
            other = draw.choice(others)
            file.write_bytes(other.read_bytes())
        case "text":
            file.write_text("Lorem ipsum")
        case "folder":
            file.unlink()
            file.mkdir()
        case "twice":
            file.write_bytes(content * 2)


def resume_at_random(done: Done, folder: Path, draw: random.Random, resume: Callable[[Path], dict[int, str]]) -> bool:
    """Damage any file of a copy of a job and go on with it; return whether a shard was done again, or would be."""
    shutil.copytree(done.folder, folder)
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    tables = [name for name in names if name.suffix in (".parquet", ".json")]
    file = folder / draw.choice(draw.choice((names, tables)))
    corrupt(file, draw, [done.folder / name for name in names])
    sound = results_if_sound(done, folder)
    try:
        found = resume(folder)
    except (fajin.InvalidJob, fajin.InvalidScene):
        return False
    assert sound or found, file
    return bool(found)


def results_if_sound(done: Done, folder: Path) -> bool:
    """Whether what a user would read is what it was, before anything is mended."""
    try:
        return same(done, folder)
    except Exception:  # whatever the readers of others raise
        return False


@pytest.mark.slow
def test_damage_anywhere_is_seen(done, tmp_path):
    """Of any file, the manifest among them, by anything that disks, programs and people do; seeded."""
    draw = random.Random(SEED)
    found = [resume_at_random(done, tmp_path / str(i), draw, flaws) for i in range(DRAWS)]
    assert sum(found) > DRAWS / 3


@pytest.mark.slow
def test_damage_anywhere_is_mended_to_the_same_bits(done, tmp_path):
    """Or refused in one line, by the command."""

    def resume(folder: Path) -> dict[int, str]:
        again = fajin_batch_here("-o", folder, "--resume")
        if again.returncode:
            assert (again.returncode, again.stderr.count("\n")) == (2, 1), again.stderr
            raise fajin.InvalidJob(again.stderr.strip())
        assert same(done, folder)
        return dict.fromkeys(range(again.stderr.count("run again") + (not again.stderr)), "")

    draw = random.Random(SEED)
    found = [resume_at_random(done, tmp_path / str(i), draw, resume) for i in range(DRAWS)]
    assert sum(found) > DRAWS / 3
