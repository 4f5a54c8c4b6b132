"""A job's folder, its tables and controls, damaged: done again to the same bits, or refused in one line."""

import json
import os
import random
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest
from batches import fajin_batch_here, results

import fajin
from fajin.jobs import checksum, controls, manifest, shard
from fajin.jobs.job import Job
from fajin.jobs.parcel import Parcel
from fajin.jobs.table import read_table

SEED, DRAWS = 9, 60
JOB = ("--random", "elbow:q+=normal(0,0.3)", "--worlds", "8", "--seconds", "0.05", "--shard-size", "3")
JOB = (*JOB, "--device", "cpu", "--threads", "1", "--record", "worlds=2:4 every=8")
DOFS = ("/World/pendulum/shoulder:rotY", "/World/pendulum/elbow:rotY")


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
    run = fajin_batch_here(scene, "-o", folder, *JOB)
    assert run.returncode == 0, run.stderr
    return Done(folder, results(folder), frames(folder))


@pytest.fixture
def folder(done, tmp_path) -> Path:
    """A copy of it, to be damaged."""
    shutil.copytree(done.folder, tmp_path / "out")
    return tmp_path / "out"


def same(done: Done, folder: Path) -> bool:
    """Whether the folder holds what it held before it was damaged."""
    return results(folder) == done.rows and frames(folder) == done.frames


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
def test_a_damaged_shard_is_done_again(done, folder, damage):
    """In one line, and to the same bits; the others stay as they are."""
    DAMAGE[damage](folder)
    again = fajin_batch_here("-o", folder, "--resume")
    assert again.returncode == 0, again.stderr
    lines = again.stderr.splitlines()
    assert len(lines) == (damage not in ("missing", "a link to nothing"))
    assert all(line.startswith(f"fajin: {folder}/metrics/0000") and "done again" in line for line in lines)
    assert same(done, folder)


def test_a_shard_of_another_job_is_done_again(scene, done, folder, tmp_path):
    """It has the same number and as many rows; its seed is another."""
    other = fajin_batch_here(scene, "-o", tmp_path / "other", *JOB, "--seed", "1")
    assert other.returncode == 0, other.stderr
    shutil.copy(table(tmp_path / "other", 1), table(folder, 1))
    again = fajin_batch_here("-o", folder, "--resume")
    assert (again.returncode, again.stderr.count("\n")) == (0, 1)
    assert "another job" in again.stderr
    assert same(done, folder)


def test_a_folder_in_the_place_of_a_shard_is_refused(folder):
    """It is not ours to take away."""
    table(folder, 1).unlink()
    table(folder, 1).mkdir()
    again = fajin_batch_here("-o", folder, "--resume")
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "take away" in again.stderr


def test_a_job_is_the_same_wherever_it_is_done(scene, tmp_path):
    """Also as a parcel, where its changes are part of the model; another seed or step is another job."""
    plain = Job(str(scene), 4, 0.2, 3, device="cpu", dt=1 / 100, drive=("elbow=3,0.1",))
    there = Parcel.of(plain).unpack(tmp_path)
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


def test_any_damage_is_one_line_or_done_again_to_the_same_bits(done, tmp_path):
    """Of any file, the manifest among them; seeded."""
    draw = random.Random(SEED)
    names = sorted(path.relative_to(done.folder) for path in done.folder.rglob("*") if path.is_file())
    tables = [name for name in names if name.suffix in (".parquet", ".json")]
    repaired = 0
    for count in range(DRAWS):
        folder = tmp_path / str(count)
        shutil.copytree(done.folder, folder)
        file = folder / draw.choice(draw.choice((names, tables)))
        corrupt(file, draw, [done.folder / name for name in names])
        again = fajin_batch_here("-o", folder, "--resume")
        assert again.returncode in (0, 2), (count, file, again)
        assert again.stderr.count("\n") <= (1 if again.returncode else 2), (count, file, again)
        if again.returncode == 0:
            assert same(done, folder), (count, file, again)
            repaired += "done again" in again.stderr
        shutil.rmtree(folder)
    assert repaired > DRAWS / 4


def put(value, *keys: str) -> Callable[[dict], None]:
    """Set a place of a manifest."""

    def change(said: dict) -> None:
        for key in keys[:-1]:
            said = said[key]
        said[keys[-1]] = value

    return change


WRONG = {
    "empty": (lambda said: said.clear(), "format"),
    "no job": (lambda said: said.pop("job"), "job"),
    "no worlds": (lambda said: said["job"].pop("worlds"), "worlds"),
    "no versions": (lambda said: said.pop("versions"), "versions"),
    "another key": (put(1, "job", "word"), "word"),
    "shard 0": (put(0, "job", "shard"), "shard"),
    "shard as text": (put("3", "job", "shard"), "shard"),
    "shard as a truth": (put(True, "job", "shard"), "shard"),
    "shards": (put(7, "shards"), "shards"),
    "worlds beyond counting": (put(10**400, "job", "worlds"), "shards"),
    "worlds below 1": (put(-8, "job", "worlds"), "worlds"),
    "seconds as a list": (put([1.0], "job", "seconds"), "seconds"),
    "seconds beyond floats": (put(10**400, "job", "seconds"), "seconds"),
    "seconds not a number": (put(float("nan"), "job", "seconds"), "seconds"),
    "record empty": (put({}, "job", "record"), "record"),
    "record backwards": (put({"first": 4, "last": 2, "every": 1}, "job", "record"), "record"),
    "record every 0": (put({"first": 2, "last": 4, "every": 0}, "job", "record"), "record"),
    "grid as text": (put("elbow:q=1", "job", "grid"), "grid"),
    "grid of numbers": (put([1], "job", "grid"), "grid"),
    "device": (put("toaster", "job", "device"), "device"),
    "precision": (put("f16", "job", "precision"), "precision"),
    "scene": (put(None, "job", "scene"), "scene"),
    "scene's hash": (put(3, "scene", "sha256"), "sha256"),
    "files": (put([], "files"), "files"),
    "version": (put(0.1, "versions", "fajin"), "fajin"),
    "format": (put("fajin batch 99", "format"), "format"),
    "job as a list": (put([], "job"), "job"),
    "metric": (put(["speed"], "job", "metrics"), "speed"),
    "surrogate": (put("\ud800", "job", "scene"), "no such file"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_manifest_of_another_form_is_refused(folder, case):
    """In one line that names the place in it."""
    change, word = WRONG[case]
    said = json.loads((folder / manifest.NAME).read_text())
    change(said)
    (folder / manifest.NAME).write_text(json.dumps(said))
    again = fajin_batch_here("-o", folder, "--resume")
    assert (again.returncode, again.stderr.count("\n")) == (2, 1), again.stderr
    assert word in again.stderr
    assert len(again.stderr) < 500


@pytest.mark.parametrize("text", [b"", b"[" * 100_000, b"\xff\xfe{}", b"null", b"[]", b"3", b'{"a": NaN'])
def test_a_file_that_is_no_manifest_is_refused(folder, text):
    """Nested without end, no text, no object."""
    (folder / manifest.NAME).write_bytes(text)
    again = fajin_batch_here("-o", folder, "--resume")
    assert (again.returncode, again.stderr.count("\n")) == (2, 1), again.stderr
    assert manifest.NAME in again.stderr


def test_a_manifest_that_is_no_file_does_not_hold_up(folder):
    """A pipe to which nobody writes."""
    (folder / manifest.NAME).unlink()
    os.mkfifo(folder / manifest.NAME)
    again = fajin_batch_here("-o", folder, "--resume")
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)


EVIL = "from pathlib import Path\nPath('ran').touch()\n\ndef f(sim):\n    return sim.q\n"


@pytest.mark.parametrize("option", ["policy", "stop", "metrics"])
def test_a_manifest_imports_no_code_that_is_not_given_again(folder, tmp_path, monkeypatch, option):
    """The line names the option to give; with it, and no other function, the job goes on."""
    monkeypatch.chdir(tmp_path)
    name = f"evil_{option}"
    (tmp_path / f"{name}.py").write_text(EVIL)
    said = json.loads((folder / manifest.NAME).read_text())
    said["job"][option] = [f"{name}:f"] if option == "metrics" else f"{name}:f"
    (folder / manifest.NAME).write_text(json.dumps(said))
    for given in ((), (f"--{option}", "other:f")):
        again = fajin_batch_here("-o", folder, "--resume", *given)
        assert (again.returncode, again.stderr.count("\n")) == (2, 1)
        assert f"--{option} {name}:f" in again.stderr
    assert not (tmp_path / "ran").exists()
    again = fajin_batch_here("-o", folder, "--resume", f"--{option}", f"{name}:f")
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("is of another job") == 3
    assert (tmp_path / "ran").exists()
    sys.modules.pop(name)


def test_functions_that_a_job_has_not_are_not_given_with_its_folder(folder):
    """Other functions are another job."""
    again = fajin_batch_here("-o", folder, "--resume", "--policy", "own:act")
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "--policy own:act" in again.stderr


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_rows_of_a_table_are_those_of_their_worlds(tmp_path, form):
    """A column `world` is obeyed: in any order, each once."""
    path = tmp_path / f"t.{form}"
    write_rows(path, {"world": [2, 0, 1], "elbow:q": [0.2, 0.0, 0.1]})
    assert read_table(path)["elbow:q"].tolist() == [0.0, 0.1, 0.2]


def write_rows(path: Path, columns: dict[str, list]) -> None:
    """A table of either form."""
    if path.suffix == ".parquet":
        import pyarrow

        parquet.write_table(pyarrow.table(columns), path)
    else:
        rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
        path.write_text("\n".join([",".join(columns), *rows]))


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("columns", "word"),
    [
        ({"world": [0, 2, 5], "elbow:q": [0, 1, 2]}, "row 1, world = 2"),
        ({"world": [0, 1, 1], "elbow:q": [0, 1, 2]}, "world = 1"),
        ({"world": [1, 2, 3], "elbow:q": [0, 1, 2]}, "row 0, world = 1"),
        ({"world": [0, 0.5, 1], "elbow:q": [0, 1, 2]}, "world = 0.5"),
        ({" world": [0, 2], "elbow:q": [0, 1]}, "world = 2"),
        ({"elbow:q": [0.0], "elbow:q ": [1.0]}, "twice"),
        ({"world": [0, 1]}, "no rows"),
        ({"elbow:q": ["x" * 5000]}, "row 0"),
    ],
)
def test_a_table_of_other_worlds_is_refused(tmp_path, form, columns, word):
    """Rather than read as worlds 0, 1, 2."""
    write_rows(tmp_path / f"t.{form}", columns)
    with pytest.raises(fajin.InvalidJob, match=word) as error:
        read_table(tmp_path / f"t.{form}")
    assert len(str(error.value)) < 400


BYTES = {
    "not UTF-8": b"elbow:q\n\xff\n",
    "a NUL": b"elbow:q\n1\x00\n",
    "a long field": b'elbow:q\n"' + b"1" * 200_000 + b'"\n',
    "parquet's name alone": b"PAR1",
    "parquet's ends": b"PAR1" + bytes(100) + b"\x10\x00\x00\x00PAR1",
    "nothing": b"",
}


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("case", BYTES)
def test_a_table_of_other_bytes_is_refused(tmp_path, form, case):
    """In one line."""
    path = tmp_path / f"t.{form}"
    path.write_bytes(BYTES[case])
    with pytest.raises(fajin.InvalidJob, match=str(path)) as error:
        read_table(path)
    assert "\n" not in str(error.value)


def archive(path: Path, **arrays) -> bytes:
    """The bytes of an .npz file."""
    np.savez_compressed(path, **arrays)
    return path.read_bytes()


def bad_archives(path: Path) -> dict[str, bytes]:
    """Files that are no controls."""
    rows = np.arange(40.0).reshape(20, 2)
    whole = archive(path, effort=rows)
    claim = whole.replace(b"(20, 2)", b"(2, 20)")
    single = path.with_suffix(".npy")
    np.save(single, rows)
    return {
        "text": b"effort",
        "nothing": b"",
        "a single array": single.read_bytes(),
        "cut short": whole[:-30],
        "only a head": whole[:100],
        "objects": archive(path, effort=np.array([{}, None], object)),
        "words": archive(path, effort=np.array([["a", "b"]])),
        "complex": archive(path, effort=np.ones((3, 2), complex)),
        "truths": archive(path, effort=np.ones((3, 2), bool)),
        "infinite": archive(path, effort=np.full((3, 2), np.inf)),
        "a number": archive(path, effort=np.array(3.0)),
        "another name": archive(path, efforts=rows),
        "and another": archive(path, effort=rows, letter=np.array("x")),
        "every 0": archive(path, effort=rows, every=0),
        "every 1.5": archive(path, effort=rows, every=1.5),
        "every several": archive(path, effort=rows, every=[1, 2]),
        "every a word": archive(path, effort=rows, every="often"),
        "shape": archive(path, effort=np.ones((3, 5))),
        "other bytes inside": claim[:70] + bytes(20) + claim[90:],
    }


def test_controls_that_are_none_are_refused(tmp_path):
    """In one line; so is any archive with a bit turned over, if it does not read as before."""
    path = tmp_path / "controls.npz"
    for case, content in bad_archives(path).items():
        path.write_bytes(content)
        with pytest.raises(fajin.InvalidJob, match=str(path)) as error:
            controls.read(path, DOFS, 4)
        assert "\n" not in str(error.value), case
        assert len(str(error.value)) < 400, case
    whole = archive(path, effort=np.random.default_rng(SEED).normal(size=(20, 2)), every=4)
    draw = random.Random(SEED)
    for _ in range(300):
        at = draw.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << draw.randrange(8)]) + whole[at + 1 :])
        try:
            controls.read(path, DOFS, 4)
        except fajin.InvalidJob as error:
            assert "\n" not in str(error)


EVENT = {"step": 0, "joint": "elbow", "set": "effort", "value": 1.0}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[" * 100_000, "not JSON"),
        ("\ufeff[]", "not JSON"),
        (json.dumps([EVENT | {"value": 10**400}]), "value"),
        (json.dumps([EVENT | {"step": -(10**400)}]), "step"),
        (json.dumps([EVENT | {"set": ["q"]}]), "set"),
        (json.dumps([EVENT | {"set": {}}]), "set"),
        (json.dumps([EVENT | {"joint": ["elbow"]}]), "joint"),
        (json.dumps([EVENT | {"joint": None}]), "joint"),
        (json.dumps([EVENT | {"axis": 10**400}]), "axis"),
        (json.dumps([EVENT | {"value": float("nan")}]), "value"),
        (json.dumps([EVENT | {"letter": "x" * 9000}]), "event 0"),
        ("[" * 400 + "]" * 400, "event 0"),
        ("9" * 5000, "not JSON"),
    ],
)
def test_events_that_are_none_are_refused(tmp_path, text, word):
    """In one short line."""
    path = tmp_path / "events.json"
    path.write_text(text)
    with pytest.raises(fajin.InvalidScene, match=word) as error:
        controls.read(path, DOFS, 4)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("name", ["events.json", "rows.npz", "t.csv", "t.parquet"])
def test_a_pipe_does_not_hold_up(tmp_path, name):
    """Nobody writes to it."""
    path = tmp_path / name
    os.mkfifo(path)
    with pytest.raises((fajin.InvalidScene, fajin.InvalidJob), match=name):
        (read_table if name[0] == "t" else lambda path: controls.read(path, DOFS, 4))(path)
