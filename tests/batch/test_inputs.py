"""Tables of parameters and controls of a batch that are damaged, or of another kind: refused in one line."""

import json
import os
import random
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet as parquet
import pytest

import fajin
from fajin.jobs.description import control_sequences
from fajin.jobs.description.table import read_table
from fajin.simulation.control_events import ControlTarget

SEED = 9
DOFS = ("/World/pendulum/shoulder:rotY", "/World/pendulum/elbow:rotY")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_rows_of_a_table_are_those_of_their_worlds(tmp_path, form):
    """A column `world` is obeyed: in any order, each once."""
    path = tmp_path / f"t.{form}"
    write_rows(path, {"world": [2, 0, 1], "elbow:q": [0.2, 0.0, 0.1]})
    assert read_table(path)["elbow:q"].tolist() == [0.0, 0.1, 0.2]


def write_rows(path: Path, columns: dict[str, list]) -> None:
    """A table of either form."""
    if path.suffix == ".parquet":
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
        ({"elbow:q": [0.0], "elbow:q ": [1.0]}, "each column once"),
        ({"world": [0, 1]}, "must have rows"),
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
            control_sequences.read_control_file(path, ControlTarget(DOFS), 4)
        assert "\n" not in str(error.value), case
        assert len(str(error.value)) < 400, case
    whole = archive(path, effort=np.random.default_rng(SEED).normal(size=(20, 2)), every=4)
    draw = random.Random(SEED)
    for _ in range(300):
        at = draw.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << draw.randrange(8)]) + whole[at + 1 :])
        with suppress(fajin.InvalidJob):
            control_sequences.read_control_file(path, ControlTarget(DOFS), 4)


EVENT = {"step": 0, "joint": "elbow", "set": "effort", "value": 1.0}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[" * 100_000, "must be JSON"),
        (json.dumps([EVENT | {"value": 10**400}]), "value"),
        (json.dumps([EVENT | {"step": -(10**400)}]), "step"),
        (json.dumps([EVENT | {"set": ["q"]}]), "set"),
        (json.dumps([EVENT | {"set": {}}]), "set"),
        (json.dumps([EVENT | {"joint": ["elbow"]}]), "joint"),
        (json.dumps([EVENT | {"joint": None}]), "joint"),
        (json.dumps([EVENT | {"time": 10**400}]), "time"),
        (json.dumps([{**EVENT, "time": [], "step": 1}]), "event 0"),
        (json.dumps([EVENT | {"value": float("nan")}]), "value"),
        (json.dumps([EVENT | {"letter": "x" * 9000}]), "event 0"),
        ("[" * 400 + "]" * 400, "event 0"),
        ("9" * 5000, "must be JSON"),
    ],
)
def test_events_that_are_none_are_refused(tmp_path, text, word):
    """In one short line."""
    path = tmp_path / "events.json"
    path.write_text(text)
    with pytest.raises(fajin.InvalidScene, match=word) as error:
        control_sequences.read_control_file(path, ControlTarget(DOFS), 4)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("name", ["events.json", "events.csv", "rows.npz", "t.csv", "t.parquet"])
def test_a_pipe_does_not_hold_up(tmp_path, name):
    """Nobody writes to it."""
    path = tmp_path / name
    os.mkfifo(path)
    with pytest.raises((fajin.InvalidScene, fajin.InvalidJob), match=name):
        (
            read_table
            if name[0] == "t"
            else lambda path: control_sequences.read_control_file(path, ControlTarget(DOFS), 4)
        )(path)


@pytest.mark.parametrize("worlds", [10**12, 10**18])
def test_shards_are_bounded(scenes, tmp_path, run, worlds):
    """Before a loop over them begins."""
    words = ("--seconds", 0.1, "--worlds", worlds, "--shard-size", 2, "--random", "elbow:stiffness=uniform(1,2)")
    code, _, said = run("batch", scenes / "double_pendulum.usda", "-o", tmp_path / "jobs", *words)
    assert (code, said.count("\n")) == (2, 1)
    assert "must be at most 1,000,000 shards of 2 worlds" in said
