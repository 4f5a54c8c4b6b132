"""Logs of others: faults are found and named, mappings undo them, and nothing is unpickled."""

import pickle
import sys
import types
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from fit.arm import arm, dofs, fourier, record

from fajin.errors import InputError
from fajin.fit import MotionLog, inspect_log, read_motion_log
from fajin.fit.detection import noise, quantum

LIMITS = np.full(2, -np.pi), np.full(2, np.pi)
NAMES = "joint0", "joint1"
LOADED = {
    "joint0:armature": 0.05, "joint1:armature": 0.02, "joint0:coulomb": 1.5, "joint1:coulomb": 0.6,
    "joint0:viscous": 2.0, "joint1:viscous": 0.8, "link1:payload": 0.4, "delay": 0.0113,
}  # fmt: skip


def good(seconds: float = 2.0) -> MotionLog:
    """A log whose joints follow their targets 10 ms late."""
    time, target = fourier(seconds)
    q = np.stack([np.interp(time - 0.01, time, column) for column in target.T], axis=1)
    return MotionLog("log", "", time, dofs(), (0, 1), q, target)


def faults(log: MotionLog) -> str:
    """All faults of a log in one text."""
    return "; ".join(f"{item.code} {item}" for item in inspect_log(log, LIMITS) if item.fault)


def test_a_good_log_has_no_fault():
    """Its lag is a fact."""
    found = inspect_log(good(), LIMITS)
    assert [item for item in found if item.fault] == []
    assert "10 ms" in next(str(item) for item in found if item.code == "lag")


BAD = {
    "permuted": (lambda log: replace(log, q=log.q[:, ::-1]), "order .*joint1.*follows the target of joint0"),
    "negated": (lambda log: replace(log, q=log.q * (1.0, -1.0)), "sign .*joint1.*sign = -1"),
    "degrees": (lambda log: replace(log, q=np.degrees(log.q)), "unit .*q is in degrees"),
    "degrees of both": (
        lambda log: replace(log, q=np.degrees(log.q), target_q=np.degrees(log.target_q)), "unit .*degrees"
    ),
    "degrees of targets": (lambda log: replace(log, target_q=np.degrees(log.target_q)), "target_q is in degrees"),
    "offset": (lambda log: replace(log, q=log.q + np.array((0.0, 0.4))), "offset .*joint1.*rests 0.4"),
    "late": (lambda log: replace(log, q=np.roll(log.q, 200, 0)), "lag .*clocks"),
    "early": (lambda log: replace(log, q=np.roll(log.q, -30, 0)), "lag .*leads"),
    "two clocks": (
        lambda log: replace(log, time=np.where(np.arange(len(log)) < 500, log.time, 3.0 * log.time - 2.0)), "two clocks"
    ),
    "a clock that jumps": (
        lambda log: replace(log, time=log.time + (np.arange(len(log)) > 500)), "time jumps by 1.00. s after row 500"
    ),
    "a clock of another rate": (
        lambda log: replace(log, q=np.stack([np.interp(1.05 * log.time, log.time, x) for x in log.q.T], axis=1)),
        "clock .*different rates",
    ),
    "milliseconds": (lambda log: replace(log, time=1e3 * log.time), "time must be in seconds"),
    "back in time": (lambda log: replace(log, time=np.r_[log.time[:9], log.time[5:-4]]), "does not increase at row"),
    "short": (lambda log: log.rows(slice(250, 330), ""), "shorter than a period"),
    "constant speed": (
        lambda log: replace(log, q=np.outer(log.time, (0.5, 0.2)), target_q=np.outer(log.time + 0.01, (0.5, 0.2))),
        "constant speed",
    ),
    "still": (lambda log: replace(log, q=0.0 * log.q), "no joint moves"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_faults_are_found_and_named(name):
    """Each by its own words; the good log has none of them."""
    import re

    spoil, said = BAD[name]
    assert re.search(said, faults(spoil(good())))


@pytest.mark.parametrize(("seed", "size"), [(1, 0.5), (5, 0.05), (8, 0.05), (12, 0.05)])
def test_an_encoder_of_ten_bits_is_no_second_clock(seed, size):
    """Where small motions are a few steps of the encoder, or an arm falls at first, shifts say little."""
    time, target = fourier(3.0, seed=seed, size=size)
    place = np.random.default_rng(seed).uniform(0.0, 0.3, 2)
    log = record(arm(), LOADED, (time, target + place), sigma=1e-4, seed=seed + 1000)
    step = 2.0 * np.pi / 1024
    said = faults(replace(log, q=np.round(log.q / step) * step))
    assert "rates" not in said
    assert "the clocks" not in said


def test_the_noise_of_a_locked_joint_is_no_fault():
    """A limit that its noise crosses is no fault; one that it is far from is."""
    log = good()
    noise = 1e-3 * np.random.default_rng(0).normal(size=len(log))
    still = replace(log, q=np.column_stack((log.q[:, 0], noise)), target_q=log.target_q * (1.0, 0.0))
    limits = np.array((-np.pi, 0.0)), np.array((np.pi, 1e-14))
    assert not [item.code for item in inspect_log(still, limits) if item.code in ("limits", "at-limit")]
    far = inspect_log(replace(still, q=still.q + np.array((0.0, 0.1))), limits)
    assert [item.dof for item in far if item.code == "limits"] == [log.dof[1]]


def test_an_offset_is_no_fault_where_bias_is_fitted():
    """It is said all the same."""
    log = replace(good(), q=good().q + 0.3)
    assert not any(item.fault for item in inspect_log(log, LIMITS, biased=True))


def test_noise_and_resolution_are_measured():
    """To a tenth, on a signal that moves much more."""
    log = good(4.0)
    rough = log.q[:, 0] + 1e-4 * np.random.default_rng(0).normal(size=len(log))
    assert noise(rough) == pytest.approx(1e-4, rel=0.1)
    step = 2 * np.pi / 2**12
    assert quantum(np.round(log.q[:, 0] / step) * step) == pytest.approx(step, rel=1e-6)
    assert quantum(rough) == 0.0


def write_csv(path, log: MotionLog, names=NAMES, unit: str = "rad") -> None:
    """Write a log as a table."""
    heads = [f"{quantity} {name} [{unit}]" for quantity in ("q", "target_q") for name in names]
    rows = np.column_stack((log.time, log.q, log.target_q))
    np.savetxt(path, rows, delimiter=",", header=",".join(["time", *heads]), comments="", fmt="%.12g")


def test_formats_give_the_same_log(tmp_path):
    """csv, npz and PACE's archive."""
    log = good()
    write_csv(tmp_path / "a.csv", log)
    np.savez(tmp_path / "a.npz", time=log.time, dof=NAMES, q=log.q, target_q=log.target_q)
    write_pace(tmp_path / "a.pt", log)
    mapping = tmp_path / "map.toml"
    mapping.write_text('[joint.joint0]\nname = "joint0"\n[joint.joint1]\nname = "joint1"\n')
    read = [read_motion_log(tmp_path / f"a.{end}", dofs()) for end in ("csv", "npz", "pt")]
    for one in (*read, read_motion_log(tmp_path / "a.pt", dofs(), mapping)):
        np.testing.assert_allclose(one.q, log.q, atol=2e-7)
        np.testing.assert_allclose(one.target_q, log.target_q, atol=2e-7)
        assert one.dof == dofs()


def test_a_mapping_undoes_names_units_signs_and_offsets(tmp_path):
    """q = sign · scale · unit · q_log + offset."""
    log = good()
    other = replace(
        log,
        q=np.column_stack((np.degrees(log.q[:, 1]), (log.q[:, 0] - 0.1) / -(2 * np.pi) * 50)),
        target_q=np.column_stack((np.degrees(log.target_q[:, 1]), (log.target_q[:, 0] - 0.1) / -(2 * np.pi) * 50)),
    )
    np.savez(tmp_path / "a.npz", time=log.time, dof=("m1", "m0"), q=other.q, target_q=other.target_q)
    (tmp_path / "map.toml").write_text(
        '[joint.joint1]\nname = "m1"\nunit = "deg"\n'
        '[joint.joint0]\nname = "m0"\nunit = "rev"\nsign = -1\nscale = 0.02\noffset = 0.1\n'
    )
    read = read_motion_log(tmp_path / "a.npz", dofs(), tmp_path / "map.toml")
    np.testing.assert_allclose(read.q, log.q, atol=1e-12)
    np.testing.assert_allclose(read.target_q, log.target_q, atol=1e-12)


def test_wrong_names_and_rows_that_are_not_finite_are_named(tmp_path):
    """With the nearest names, and the rows."""
    log = good()
    write_csv(tmp_path / "names.csv", log, ("joint_0", "joint1"))
    with pytest.raises(InputError, match=r"joint_0 .nearest: joint0"):
        read_motion_log(tmp_path / "names.csv", dofs())
    log.q[[7, 30], 1] = np.nan
    write_csv(tmp_path / "nan.csv", log)
    with pytest.raises(InputError, match=r"q of /arm/joint1:rotY is not finite in 2 of 1001 rows \(row 7, 30\)"):
        read_motion_log(tmp_path / "nan.csv", dofs())


def test_tables_and_messages_give_the_same_log(tmp_path):
    """Parquet has commands; joint states of ROS 2 have efforts instead."""
    log = good()
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    heads = [f"{quantity} {name} [rad]" for quantity in ("q", "target_q") for name in NAMES]
    columns = [log.time, *log.q.T, *log.target_q.T]
    parquet.write_table(pyarrow.table(dict(zip(["time [s]", *heads], columns, strict=True))), tmp_path / "a.parquet")
    read = read_motion_log(tmp_path / "a.parquet", dofs())
    np.testing.assert_array_equal(read.q, log.q)
    np.testing.assert_array_equal(read.target_q, log.target_q)
    pytest.importorskip("mcap")
    from fajin.recording.mcap_log import McapWriter

    writer = McapWriter(tmp_path / "a.mcap", NAMES)
    for time, q, effort in zip(log.time, log.q, log.target_q, strict=True):
        writer.add(time, [q, 0.0 * q, effort])
    writer.close()
    read = read_motion_log(tmp_path / "a.mcap", dofs())
    np.testing.assert_array_equal(read.q, log.q)
    np.testing.assert_array_equal(read.effort, log.target_q)
    np.testing.assert_allclose(read.time, log.time, atol=1e-9)
    assert read.target_q is None


WRONG = {
    "unit": ('[joint.joint0]\nunit = "turns"\n', "unit = turns"),
    "key": ("[joint.joint0]\nsing = -1\n", "sing"),
    "name": ('[joint.joint0]\nname = "x"\n', "must be one of joint0, joint1"),
    "sign": ("[joint.joint0]\nsign = 2\n", "must be 1 or -1"),
    "ampere": ('[joint.joint0]\neffort_unit = "A"\n', "effort_scale"),
    "toml": ("[joint", "must be TOML"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_mappings_are_refused_in_a_line(tmp_path, name):
    """With the key."""
    text, said = WRONG[name]
    write_csv(tmp_path / "a.csv", good())
    (tmp_path / "map.toml").write_text(text)
    with pytest.raises(InputError, match=said):
        read_motion_log(tmp_path / "a.csv", dofs(), tmp_path / "map.toml")


class _Rebuilt:
    """A tensor as torch pickles it."""

    def __init__(self, storage, values):
        self.storage, self.values = storage, values

    def __reduce__(self):
        steps = tuple(s // self.values.itemsize for s in self.values.strides)
        return sys.modules["torch._utils"]._rebuild_tensor_v2, (self.storage, 0, self.values.shape, steps, False, {})


class _Stored:
    """A storage that the pickle names by a persistent id."""

    def __init__(self, key, count):
        self.id = ("storage", sys.modules["torch"].FloatStorage, key, "cpu", count)


def write_pace(path, log: MotionLog, evil=None) -> None:
    """Write a log as torch.save would, by torch's names only."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")

    class FloatStorage:
        pass

    def _rebuild_tensor_v2(*_):
        raise AssertionError("called")

    FloatStorage.__module__, FloatStorage.__qualname__ = "torch", "FloatStorage"
    _rebuild_tensor_v2.__module__, _rebuild_tensor_v2.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    torch.FloatStorage, utils._rebuild_tensor_v2 = FloatStorage, _rebuild_tensor_v2

    class Pickler(pickle.Pickler):
        def persistent_id(self, thing):
            return thing.id if isinstance(thing, _Stored) else None

    arrays = {"time": log.time, "dof_pos": log.q, "des_dof_pos": log.target_q}
    arrays = {name: np.ascontiguousarray(values, np.float32) for name, values in arrays.items()}
    with pytest.MonkeyPatch.context() as patch, zipfile.ZipFile(path, "w") as archive:
        patch.setitem(sys.modules, "torch", torch)
        patch.setitem(sys.modules, "torch._utils", utils)
        said = {name: _Rebuilt(_Stored(str(i), a.size), a) for i, (name, a) in enumerate(arrays.items())}
        with archive.open("traj/data.pkl", "w") as file:
            Pickler(file, protocol=2).dump(said | ({"evil": evil} if evil else {}))
        for i, array in enumerate(arrays.values()):
            archive.writestr(f"traj/data/{i}", array.tobytes())


class _Evil:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (type(self.path).touch, (self.path,))


def test_a_pickle_is_never_loaded(tmp_path):
    """Neither in PACE's archive nor by itself."""
    mark = tmp_path / "ran"
    write_pace(tmp_path / "evil.pt", good(), _Evil(mark))
    (tmp_path / "evil.mcap").write_bytes(pickle.dumps(_Evil(mark)))
    np.savez(tmp_path / "evil.npz", time=np.arange(3.0), q=np.array([_Evil(mark)], object))
    for end in ("pt", "mcap", "npz"):
        with pytest.raises(InputError, match=f"evil.{end}"):
            read_motion_log(tmp_path / f"evil.{end}", dofs())
    assert not mark.exists()


def test_small_motions_are_not_degrees():
    """A joint that sticks nearly, and one that slides: their ranges are a fiftieth of those of their targets."""
    log = good()
    stuck = log.q * (1.0, 1.0 / 57.0)
    stuck[:, 1] = np.clip(log.q[:, 1], 0.1, 0.1 + np.ptp(log.q[:, 1]) / 57.0)
    assert "degrees" not in faults(replace(log, q=stuck))
    slides = replace(log, q=log.q * (1.0, 1.0 / 57.0), dof=(log.dof[0], "/arm/slider:transX"))
    assert "degrees" not in faults(slides)
    assert "degrees" in faults(replace(slides, dof=log.dof))


def test_commands_of_messages_hold_until_the_next_one(tmp_path):
    """Rows before the first command are left out; the messages of a controller have both."""
    pytest.importorskip("mcap")
    from mcap.writer import Writer

    from fajin.recording.mcap_log import McapWriter

    log = good()
    writer = McapWriter(tmp_path / "a.mcap", NAMES)
    none = np.zeros(0)
    for row, (time, q, target) in enumerate(zip(log.time, log.q, log.target_q, strict=True)):
        if row >= 10 and row % 4 == 2:
            writer.add(time, [target, none, none], command=True)
        writer.add(time, [q, none, none])
    writer.close()
    read = read_motion_log(tmp_path / "a.mcap", dofs())
    np.testing.assert_array_equal(read.q, log.q[10:])
    rows = np.arange(10, len(log))
    np.testing.assert_array_equal(read.target_q, log.target_q[rows - (rows - 10) % 4])
    assert read.time[0] == 0.0

    import struct

    with (tmp_path / "b.mcap").open("wb") as file:
        messages = Writer(file)
        messages.start("ros2", "a robot")
        schema = messages.register_schema("control_msgs/msg/JointTrajectoryControllerState", "ros2msg", b"")
        channel = messages.register_channel("/controller/controller_state", "cdr", schema)
        names = b"".join(struct.pack("<I", 7) + name.encode() + b"\0\0" for name in NAMES)
        for time, q, target in zip(log.time, log.q, log.target_q, strict=True):
            stamp = round(1e9 * time)
            head = struct.pack("<iIIBxxx", stamp // 10**9, stamp % 10**9, 1, 0) + struct.pack("<I", 2) + names
            head += b"\0" * (4 - (len(head)) % 8) if len(head) % 8 != 4 else b""
            body = head + struct.pack("<I", 2) + np.asarray(target, "<f8").tobytes() + struct.pack("<5I", 0, 0, 0, 0, 0)
            body += struct.pack("<I", 2) + b"\0" * (-(len(body) + 4) % 8) + np.asarray(q, "<f8").tobytes()
            body += struct.pack("<5I", 0, 0, 0, 0, 0)
            messages.add_message(channel, log_time=stamp, publish_time=stamp, data=b"\0\1\0\0" + body)
        messages.finish()
    read = read_motion_log(tmp_path / "b.mcap", dofs())
    np.testing.assert_array_equal(read.q, log.q)
    np.testing.assert_array_equal(read.target_q, log.target_q)
