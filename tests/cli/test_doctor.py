"""`fajin doctor` says what is here and whether it simulates what PhysX does."""

import ctypes.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from recorded import recordings

from fajin.tools import doctor, reference_motions
from fajin.tools.reference_motions import CASES, POSITION_TOLERANCE, WORLDS, ReferenceResult, recorded

SOURCES = {"arm": "h04_arm7_all_pgs4", "floating": "f06_float_two", "motor": "e02_env_pos_tgs"}
SOURCES |= {"gripper": "d10_gripper_hard_tgs"}


def run(*words: str) -> subprocess.CompletedProcess:
    """The command."""
    command = [sys.executable, "-m", "fajin.tools", "doctor", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def told() -> dict:
    done = run("--json", "--device", "cpu")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    return json.loads(done.stdout)


def test_everything_is_told(told):
    """Versions, extras, devices, caches, memory and motions, none of them wrong here."""
    findings = {finding["what"]: finding for finding in told["findings"]}
    assert told["wrong"] == 0
    for name in ("python", "fajin", "taichi", "usd-core", "numpy", "device cpu", "device cuda", "free memory"):
        assert findings[name]["here"]
    assert any(what.startswith("pyarrow (for ") for what in findings)
    assert findings["memory per world of arm"]["number"] > findings["memory per world of floating"]["number"] > 0
    assert {f"{case} on cpu" for case in CASES} <= set(findings)
    assert all(0.0 <= findings[f"{case} on cpu"]["number"] <= 1.0 for case in CASES)


def references(devices: list[str]) -> list[doctor.Finding]:
    """What the command says about the motions of some devices."""
    with ThreadPoolExecutor() as pool:
        return list(doctor._references(doctor._start_references(devices, pool)))


def test_the_devices_are_simulated_at_the_same_time(monkeypatch):
    """Each in its process, while the rest is checked: the second need not wait for the first."""
    both = threading.Barrier(2, timeout=20.0)
    monkeypatch.setattr(reference_motions, "simulate_apart", lambda device: str(both.wait() >= 0))
    assert len(references(["cpu", "cpu-lanes"])) == 2


def test_a_device_that_is_not_there_is_wrong(monkeypatch):
    """Where it was asked for: exit code 2 and the reason."""
    monkeypatch.setattr(reference_motions, "simulate_apart", lambda device: f"device {device}: Taichi finds none here")
    (finding,) = references(["cuda"])
    assert (finding.verdict, finding.here) == ("wrong", "device cuda: Taichi finds none here")


def test_a_loader_without_a_driver_is_no_noise(monkeypatch, capfd):
    """Taichi complains on standard error where Vulkan's loader finds no driver; what is written later is shown."""
    from taichi._lib import core

    from fajin.device.backends import backends

    monkeypatch.setattr(core, "with_vulkan", lambda: bool(os.write(2, b"RHI Error\n")) and False)
    assert backends()["vulkan"] == ""
    os.write(2, b"later\n")
    shown = capfd.readouterr().err
    assert "RHI Error" not in shown
    assert shown.endswith("later\n")


def test_why_a_device_does_not_work_is_its_last_line():
    """Of the process that tried."""
    said = reference_motions.simulate_apart("abacus")
    assert "precision" not in said
    assert "device 'abacus': one of" in said


@pytest.mark.parametrize(("share", "verdict"), [(0.5, "ok"), (1.5, "wrong"), (np.nan, "wrong")])
def test_a_motion_is_wrong_beyond_round_off(monkeypatch, share, verdict):
    """|q - q_physx| ≤ 2e-5 max(1, |q|max); what is not a number is wrong."""
    moved = {}
    for case in CASES:
        q = recorded(case)[0].astype(float)
        q[-1, 0] += share * POSITION_TOLERANCE * max(1.0, np.abs(q).max())
        moved[case] = ReferenceResult(q, 0.0)
    monkeypatch.setattr(reference_motions, "simulate_apart", lambda _: moved)
    assert {finding.verdict for finding in references(["cpu"])} == {verdict}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the driver has another name")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(("library", "said"), [("libcuda.so.1", "only libcuda.so.1: link"), ("", "not available")])
def test_a_driver_that_taichi_does_not_see_is_told(tmp_path, library, said):
    """Taichi loads libcuda.so; containers often have libcuda.so.1 alone."""
    if ctypes.util.find_library("cuda"):
        pytest.skip("a driver is here")
    if library:
        subprocess.run(["gcc", "-shared", "-x", "c", os.devnull, "-o", tmp_path / library], check=True)
    program = "from fajin.device.backends import absence; print(absence('cuda'))"
    paths = {"LD_LIBRARY_PATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | paths, capture_output=True, text=True)
    assert said in done.stdout, done.stderr


def test_worlds_that_differ_are_wrong(monkeypatch):
    """All of them are the same robot."""
    outcomes = {case: ReferenceResult(recorded(case)[0], 1e-9) for case in CASES}
    monkeypatch.setattr(reference_motions, "simulate_apart", lambda _: outcomes)
    assert {finding.verdict for finding in references(["cpu"])} == {"wrong"}


def test_a_missing_requirement_is_wrong_and_a_missing_extra_is_not(monkeypatch):
    """By what the package itself says that it needs."""
    needs = ["nothing-of-that-name>=1", 'nor-this; extra == "more"']
    monkeypatch.setattr("importlib.metadata.requires", lambda _: needs)
    verdicts = {finding.what: finding.verdict for finding in doctor._packages()}
    assert verdicts["nothing-of-that-name"] == "wrong"
    assert verdicts["nor-this (for more)"] == "-"


def test_packages_for_work_on_fajin_itself_are_left_out():
    """Who installs fajin misses neither its linters nor what builds its documentation."""
    extras = {found[1] for it in doctor._packages() if (found := re.search(r"\(for (\w+)\)", it.what))}
    assert {"batch", "plot", "rl", "physx"} <= extras
    assert not extras & {"dev", "test", "docs", "types", "ci"}


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_a_folder_is_shown_whole(monkeypatch, capsys, columns):
    """A folder is not a prim, whose path a narrow table shortens to the end that no other prim has."""
    folders = [f"/home/user/.cache/{name}" for name in ("taichi", "fajin")]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", columns)
    doctor._show([doctor.Finding(f"cache {folder[-6:]}", f"{folder}, 1.0 MB; {'word ' * 9}") for folder in folders])
    shown = capsys.readouterr().out
    assert all(folder in shown for folder in folders), shown


def test_the_references_are_what_was_recorded(golden):
    """The same scenes and positions as in tests/recorded/joints, in more than one pack of worlds."""
    found = recordings(golden)
    assert set(SOURCES) == set(CASES)
    for case, source in SOURCES.items():
        q, joints, dt = recorded(case)
        assert (reference_motions.FOLDER / f"{case}.usda").read_text() == found[source].scene.read_text()
        assert np.array_equal(q, found[source].q[: len(q)].astype(np.float32))
        assert joints == tuple(joint for joint, _ in found[source].dof)
        assert dt == found[source].dt
    assert WORLDS > 2 * 16


def test_a_folder_that_takes_no_files_is_wrong(monkeypatch, tmp_path):
    """Every start would compile."""
    (tmp_path / "file").write_bytes(b"123")
    for folder, verdict in (
        (tmp_path / "new", "ok"),
        (tmp_path / "file", "wrong"),
        (tmp_path / "file" / "below", "wrong"),
    ):
        monkeypatch.setattr("fajin.device.backends.caches", lambda folder=folder: {"kernels": folder})
        (finding,) = doctor._caches()
        assert finding.verdict == verdict
    assert doctor._size(tmp_path) == 3
