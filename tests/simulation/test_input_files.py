"""Archives and tables from others: damaged, of other kinds, or unpacking to more than memory holds; always one line."""

import contextlib
import io
import json
import os
import pickle
import zipfile
from pathlib import Path
from random import Random

import numpy as np
import pytest

import fajin
from fajin import npz
from fajin.errors import InputError
from fajin.fit.mapping import read_mapping
from fajin.fit.torch_archive import read_torch_archive
from fajin.input_file import UnreadableFile, check_input
from fajin.jobs import InvalidJob
from fajin.jobs.description.control_sequences import read_control_file
from fajin.jobs.description.table import read_table
from fajin.motor.envelope_fit import InvalidPoints
from fajin.motor.operating_points import read_points
from fajin.recording.log_columns import read_columns
from fajin.recording.mcap_log import McapWriter
from fajin.simulation.control_events import ControlTarget

TARGET = ControlTarget(("/robot/elbow:rotX",), ("/robot/arm",), 0.01, 100)
REFUSALS = (InputError, InvalidJob, InvalidPoints, fajin.InvalidScene, fajin.InvalidSnapshot)
READERS = {
    ".npz": [
        fajin.Model.read,
        fajin.Snapshot.read,
        lambda path: read_control_file(path, TARGET, 1),
        read_points,
        read_columns,
    ],
    ".parquet": [read_table, read_points, read_columns, lambda path: read_control_file(path, TARGET, 1)],
    ".csv": [read_table, read_points, lambda path: read_control_file(path, TARGET, 1)],
    ".json": [lambda path: read_control_file(path, TARGET, 1)],
    ".toml": [read_mapping],
    ".mcap": [read_columns],
    ".pt": [read_torch_archive],
}


def zeros(path: Path, count: int) -> None:
    """An archive of as many bytes, all 0, which takes a thousandth of them."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": (count,)})
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("q.npy", "w", force_zip64=True) as q,
    ):
        q.write(header.getvalue())
        for _ in range(count >> 20):
            q.write(bytes(1 << 20))


def objects(path: Path) -> None:
    """An archive with an array that NumPy would unpickle."""
    text = io.BytesIO()
    np.lib.format.write_array_header_1_0(text, {"descr": "|O", "fortran_order": False, "shape": (1,)})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("q.npy", text.getvalue() + pickle.dumps([print]))


def claims(path: Path) -> None:
    """An array of 8 TB, by its header."""
    text = io.BytesIO()
    np.lib.format.write_array_header_1_0(text, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("q.npy", text.getvalue())


def letters(path: Path, letter: int) -> None:
    """An array of text with a number that no letter has."""
    np.savez(path, format=np.array([letter], np.uint32).view("<U1")[0:1])


def open_header(path: Path) -> None:
    """An array whose header ends within its braces."""
    header = b"{'descr': '<f8', 'shape': (1,".ljust(117) + b"\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("q.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(8))


def column(path: Path) -> None:
    """A table of 10⁹ equal cells in some kilobytes."""
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    piece = arrow.table({"elbow:stiffness": arrow.DictionaryArray.from_arrays(arrow.repeat(0, 10**7), [1.0])})
    with parquet.ParquetWriter(path, piece.schema) as writer:
        for _ in range(5):
            writer.write_table(piece)


def messages(path: Path, claimed: int | None = None) -> None:
    """A log with a chunk of 512 MB of zeros, which claims as many bytes, or another number."""
    pytest.importorskip("mcap")
    from mcap.writer import CompressionType, Writer

    with path.open("wb") as file:
        writer = Writer(file, compression=CompressionType.ZSTD, chunk_size=1 << 20)
        writer.start("ros2", "x")
        schema = writer.register_schema("sensor_msgs/msg/JointState", "ros2msg", b"")
        channel = writer.register_channel("/joint_states", "cdr", schema)
        for i in range(64):
            writer.add_message(channel, i, bytes(1 << 23), i)
        writer.finish()
    if claimed is not None:
        text = path.read_bytes()
        path.write_bytes(text.replace((1 << 23).to_bytes(8, "little"), claimed.to_bytes(8, "little")))


WRITERS = {
    "zeros.pt": lambda path: zeros(path, 1 << 29),
    "messages.mcap": messages,
    "zeros.npz": lambda path: zeros(path, 1 << 29),
    "objects.npz": objects,
    "claims.npz": claims,
    "open_header.npz": open_header,
    "beyond_unicode.npz": lambda path: letters(path, 0x110000),
    "surrogate.npz": lambda path: letters(path, 0xD800),
    "lzma.npz": lambda path: zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA).writestr("q.npy", b"x"),
    "cells.parquet": column,
    "long.json": lambda path: path.write_text(json.dumps([{"set": "x" * 10**6}])),
    "deep.json": lambda path: path.write_text("[" * 10**6),
    "deep.toml": lambda path: path.write_text("x = " + "[" * 10**5),
    "long.csv": lambda path: path.write_text("time [s],elbow:target_q\n0," + "1" * 10**6),
    **{f"noise{end}": lambda path: path.write_bytes(Random(1).randbytes(10_000)) for end in READERS},
    **{f"nothing{end}": lambda path: path.write_bytes(b"") for end in READERS if end != ".toml"},
    **{f"latin{end}": lambda path: path.write_text("joint.é = 3", encoding="latin-1") for end in (".csv", ".toml")},
    **{f"pipe{end}": os.mkfifo for end in READERS if hasattr(os, "mkfifo")},
    **{f"folder{end}": Path.mkdir for end in READERS},
    **{f"zero{end}": lambda path: path.symlink_to("/dev/zero") for end in READERS},
    **{f"circle{end}": lambda path: path.symlink_to(path) for end in READERS},
}


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_no_input_is_refused_in_one_line(tmp_path, name):
    """By every reader of such files, with the file's name."""
    path = tmp_path / name
    WRITERS[name](path)
    for read in READERS[path.suffix]:
        with pytest.raises(REFUSALS) as error:
            read(path)
        line = str(error.value)
        assert name in line
        assert "\n" not in line
        assert len(line) < 500 + len(str(path))


def test_a_damaged_archive_raises_what_readers_catch(tmp_path):
    """Bits are flipped, and pieces are cut out and doubled."""
    path, draw = tmp_path / "a.npz", Random(2)
    np.savez_compressed(path, q=np.arange(50.0), name=np.array(["a", "b"]))
    sound = path.read_bytes()
    for _ in range(300):
        text = bytearray(sound)
        for _ in range(draw.randint(1, 3)):
            text[draw.randrange(len(text))] ^= 1 << draw.randrange(8)
        if draw.random() < 0.3:
            cut = draw.randrange(len(text))
            text[cut : cut + draw.randrange(20)] = text[: draw.randrange(20)]
        path.write_bytes(text)
        with contextlib.suppress(UnreadableFile):
            npz.load_arrays(path)


@pytest.mark.parametrize("suffix", [".mcap", ".pt"])
def test_a_damaged_log_is_read_or_refused(tmp_path, suffix):
    """Bits are flipped."""
    path, draw = tmp_path / f"a{suffix}", Random(3)
    if suffix == ".mcap":
        pytest.importorskip("mcap")
        writer = McapWriter(path, ("elbow",))
        for i in range(20):
            writer.add(0.1 * i, [np.array([0.1 * i])] * 3)
        writer.close()
    else:
        np.savez(path.with_suffix(".npz"), a=np.arange(5.0))
        path.with_suffix(".npz").rename(path)
    sound = path.read_bytes()
    for _ in range(300):
        text = bytearray(sound)
        for _ in range(draw.randint(1, 3)):
            text[draw.randrange(len(text))] ^= 1 << draw.randrange(8)
        path.write_bytes(text)
        with contextlib.suppress(InputError):
            READERS[suffix][0](path)


@pytest.mark.slow
def test_large_files_are_read_if_they_are_large_on_disk(tmp_path):
    """What does not compress is as large as it says."""
    path = tmp_path / "a.npz"
    zeros(path, 1 << 27)
    check_input(path)
    zeros(path, 1 << 29)
    with pytest.raises(ValueError, match="unpacks to 536,871,040 bytes, more than 268,435,456"):
        check_input(path)
