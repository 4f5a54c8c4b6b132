"""The commands `fajin fit` and `fajin excite`, with their exit codes."""

import numpy as np
import pytest
from commands import fajin_here
from fit.arm import fourier, record, write_arm

import fajin
from fajin.fit import read_motion_log
from fajin.model.model import compile

TRUTH = {"joint0:armature": 0.05, "joint1:coulomb": 0.6, "delay": 0.005}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An arm and two logs of it."""
    folder = tmp_path_factory.mktemp("command")
    write_arm(folder / "arm.usda")
    scene = fajin.read(folder / "arm.usda")
    for seed in (0, 1):
        log = record(scene, TRUTH, fourier(2.0, seed=seed), sigma=1e-4, seed=seed)
        np.savez(folder / f"run{seed}.npz", time=log.time, dof=log.dof, q=log.q, target_q=log.target_q)
        bad = folder / f"bad{seed}.npz"
        np.savez(bad, time=log.time, dof=log.dof, q=log.q[:, ::-1], target_q=log.target_q)
    return folder


def test_a_fit_is_printed_written_and_shown(folder):
    """With the held-back log's error; the layer can be read."""
    arguments = ["--log", folder / "run0.npz", "--hold-back", folder / "run1.npz", "--threads", 1]
    asked = ["--parameters", "joint0:armature,joint1:coulomb,delay"]
    written = ["-o", folder / "fitted.usda", "--report", folder / "fit.html"]
    done = fajin_here("fit", folder / "arm.usda", *arguments, *asked, *written)
    assert done.returncode == 0, done.stderr
    assert "held back" in done.stdout
    assert (folder / "fit.html").read_text().startswith("<!doctype html>")
    found = fajin.read(folder / "fitted.usda").fit
    assert {p.name: p.value for p in found.parameters} == pytest.approx(TRUTH, rel=0.02)
    assert 0.0 < found.held_back_error < 2e-4


def test_bad_logs_and_parameters_write_nothing(folder):
    """Exit codes 2 and 4."""
    output = folder / "none.usda"
    arguments = ["--threads", 1, "-o", output, "--parameters"]
    done = fajin_here("fit", folder / "arm.usda", "--log", folder / "bad0.npz", *arguments, "armature")
    assert (done.returncode, "permuted" in done.stderr) == (2, True)
    done = fajin_here("fit", folder / "arm.usda", "--log", folder / "run0.npz", *arguments, "damping,viscous")
    assert done.returncode == 4
    done = fajin_here("fit", folder / "arm.usda", "--log", folder / "run0.npz", *arguments, "armatur")
    assert (done.returncode, "must be one of" in done.stderr) == (2, True)
    assert not output.exists()


class _Evil:
    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return (type(self.mark).touch, (self.mark,))


WRONG = {
    "nan": (lambda a: a | {"q": np.where(np.arange(len(a["q"]))[:, None] == 7, np.nan, a["q"])}, "not finite in 1 of"),
    "nan time": (lambda a: a | {"time": np.r_[a["time"][:-1], np.nan]}, "time must hold finite"),
    "clocks": (lambda a: a | {"time": a["time"] + 1.7e9 * (np.arange(len(a["q"])) > 400)}, "time jumps by 1.7e.09 s"),
    "rates": (lambda a: a | {"time": np.where(a["time"] < 1.0, a["time"], 3.0 * a["time"] - 2.0)}, "two clocks"),
    "nanoseconds": (lambda a: a | {"time": 1e9 * a["time"]}, "time must be in seconds"),
    "names": (lambda a: a | {"dof": ("joint0", "joint_one")}, "joint_one .nearest: joint1"),
    "degrees": (lambda a: a | {"q": np.degrees(a["q"])}, "q is in degrees"),
    "permuted": (lambda a: a | {"q": a["q"][:, ::-1]}, "columns are permuted"),
    "short": (lambda a: {k: v if k == "dof" else v[300:350] for k, v in a.items()}, "shorter than a period"),
    "constant": (lambda a: a | {"q": np.outer(a["time"], (0.5, 0.2)), "target_q": np.outer(a["time"], (0.5, 0.2))},
                 "constant speed"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_each_fault_of_a_log_is_named_and_nothing_is_written(folder, name, tmp_path):
    """In one line, with exit code 2."""
    import re

    spoil, said = WRONG[name]
    arrays = dict(np.load(folder / "run0.npz"))
    np.savez(tmp_path / "bad.npz", **spoil(arrays))
    done = fajin_here("fit", folder / "arm.usda", "--log", tmp_path / "bad.npz", "-o", tmp_path / "fitted.usda")
    assert done.returncode == 2
    assert re.search(f"bad.npz.*{said}", done.stderr), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bad.npz"]


@pytest.mark.parametrize("end", ["pkl", "pt", "csv", "npz", "npy", "parquet", "mcap"])
def test_pickles_are_refused_and_not_run(folder, end, tmp_path):
    """Whatever their suffix."""
    import pickle

    (tmp_path / f"evil.{end}").write_bytes(pickle.dumps(_Evil(tmp_path / "ran")))
    done = fajin_here("fit", folder / "arm.usda", "--log", tmp_path / f"evil.{end}", "-o", tmp_path / "fitted.usda")
    assert (done.returncode, f"evil.{end}" in done.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == [f"evil.{end}"]


def test_motions_to_record_stay_within_limits_and_are_read_back(folder):
    """They start and end at rest; more of them determine more."""
    path = folder / "motion.csv"
    arguments = ["--seconds", 2, "--candidates", 8, "--threads", 1, "--parameters", "armature,coulomb"]
    arguments += ["--usda", folder / "motion.usda"]
    done = fajin_here("excite", folder / "arm.usda", "-o", path, "--count", 2, *arguments)
    assert done.returncode == 0, done.stderr
    rows = np.loadtxt(folder / "motion1.csv", delimiter=",", skiprows=1)
    assert (folder / "motion2.csv").exists()
    played = fajin_here("simulate", folder / "arm.usda", "--controls", folder / "motion1.csv", "--seconds", 2.1)
    assert played.returncode == 0, played.stderr
    scene = fajin.read(folder / "motion1.usda")
    assert scene.duration == pytest.approx(rows[-1, 0])
    for signal, column in zip(sorted(scene.signals, key=lambda signal: signal.dof), rows[:, 1:].T, strict=True):
        np.testing.assert_allclose(np.interp(rows[:, 0], signal.times, signal.values), column, atol=1e-6)
    assert np.ptp(rows[:, 1:], axis=0).min() > 0.3
    np.testing.assert_allclose(rows[0, 1:], 0.0, atol=1e-12)
    np.testing.assert_array_equal(np.ptp(rows[-20:, 1:], axis=0), 0.0)
    assert (
        compile(fajin.read(folder / "arm.usda")).dof
        == read_motion_log(folder / "run0.npz", compile(fajin.read(folder / "arm.usda")).dof).dof
    )
