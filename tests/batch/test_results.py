"""What a batch leaves in its folder: tables, trajectories, motions, the last states of a broken world, a manifest."""

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from batches import results
from commands import fajin_here
from paths import ROOT

import fajin
from fajin.jobs import InvalidJob
from fajin.jobs.rollout import trajectories

zarr = pytest.importorskip("zarr", reason="zarr 3 needs Python 3.11")
DOFS = ("/World/pendulum/shoulder:rotY", "/World/pendulum/elbow:rotY")
NAMES = ("shoulder", "elbow")


@pytest.fixture(scope="module")
def scene(request) -> Path:
    """A double pendulum."""
    return request.config.rootpath / "scenes" / "double_pendulum.usda"


@pytest.fixture(scope="module")
def full(scene, tmp_path_factory) -> tuple[subprocess.CompletedProcess, Path]:
    """A job with everything: a table in which one world breaks, own functions, trajectories, USD layers."""
    folder = tmp_path_factory.mktemp("full")
    rows = ["elbow:q,elbow:max_force,.*:mass*", *["0.5,inf,1"] * 4, "0.1,inf,1", "0.5,inf,2"]
    (folder / "params.csv").write_text("\n".join(rows))
    (folder / "own_height.py").write_text("def height(sim):\n    return sim.link_pose[:, -1, 2]\n")
    efforts = np.zeros((6, 3, 2))
    efforts[4, 2] = 1e30
    np.savez(folder / "controls.npz", effort=efforts, every=40)
    options = (
        "--table",
        "params.csv",
        "--metrics",
        "energy,own_height:height",
        "--every",
        "10",
        "--controls",
        "controls.npz",
    )
    options = (
        *options,
        "--record",
        "worlds=1:5 every=10",
        "--animate",
        "0,4",
        "--instancer",
        "--seconds",
        "1",
        "--shard-size",
        "3",
    )
    return fajin_here("batch", scene, "-o", "out", *options, cwd=folder), folder / "out"


def test_a_world_that_breaks_is_counted_and_its_last_states_are_kept(full):
    """Exit code 3; the others are done."""
    done, folder = full
    assert done.returncode == 3, done.stderr
    first = done.stdout.splitlines()[0]
    assert first.startswith("out: 6 of 6 worlds, 2 of 2 shards; ")
    assert "1 not finite" in first
    rows = results(folder)
    assert rows["end"] == ["done"] * 4 + ["non-finite", "done"]
    assert rows["bad_dof"][4].startswith("/World/")
    log = np.load(folder / "broken" / "world-4.npz")
    steps = round(rows["seconds"][4] / (log["time"][1] - log["time"][0]))
    assert len(log["time"]) == steps + 1 > 80
    assert np.isfinite(log["q"]).all()
    assert log["q"][-1].tolist() == [rows[f"{dof}:final_q"][4] for dof in NAMES]


def test_tables_hold_settings_metrics_and_final_state(full):
    """One row a world; settings in names that --table takes again, numbers of joints under those of a joint log."""
    _, folder = full
    assert list(results(folder)) == [
        *("world", "elbow:q", "elbow:max_force", ".*:mass*", "seconds", "end", "bad_dof"),
        *(f"{dof}:{name}" for name in ("energy", "final_q", "final_qd") for dof in NAMES),
        *(f"height.{part}" for part in ("min", "max", "mean", "final")),
    ]


def test_trajectories_are_those_of_the_worlds_asked_for(full, scene):
    """(T, W, D) a shard, whose worlds are named; the last frame is the final state."""
    _, folder = full
    rows, worlds = results(folder), []
    for path in sorted(folder.glob("trajectories/*.zarr")):
        group = zarr.open_group(path, mode="r")
        worlds += group["world"][:].tolist()
        assert group.metadata.zarr_format == 3
        assert group["q"].shape == (group["time"].size, group["world"].size, 2)
        for i, world in enumerate(group["world"][:]):
            if rows["end"][world] == "done":
                assert group["q"][-1, i].tolist() == [rows[f"{dof}:final_q"][world] for dof in NAMES]
    assert worlds == [1, 2, 3, 4]


def test_worlds_are_animated_over_the_scene(full, scene):
    """A broken one up to its last finite frame."""
    from pxr import Usd

    done, folder = full
    files = [*(f"world-{world}.anim.usda" for world in (0, 4)), "worlds.usdc"]
    assert done.stdout.splitlines()[1:] == [f"wrote out/animations/{file}" for file in files]
    ends = [
        Usd.Stage.Open(str(folder / "animations" / f"world-{world}.anim.usda")).GetEndTimeCode() for world in (0, 4)
    ]
    assert ends[0] == 60.0
    assert 0.0 <= ends[1] < 60.0


def test_all_worlds_stand_side_by_side_in_a_point_instancer(full):
    """Each link where the world's own animation has it, moved by the place of the world; no two at one place."""
    from pxr import Usd, UsdGeom

    folder = full[1] / "animations"
    stage, alone = (Usd.Stage.Open(str(folder / name)) for name in ("worlds.usdc", "world-0.anim.usda"))
    instancer = UsdGeom.PointInstancer(stage.GetPrimAtPath("/Worlds"))
    prototypes = [stage.GetPrimAtPath(path) for path in instancer.GetPrototypesRel().GetTargets()]
    links = [str(prim.GetPrimStack()[1].path) for prim in prototypes]
    places = []
    for code in (0.0, 30.0, 60.0):
        found = np.array(instancer.ComputeInstanceTransformsAtTime(code, code))
        cache = UsdGeom.XformCache(code)
        expected = np.array([cache.GetLocalToWorldTransform(alone.GetPrimAtPath(link)) for link in links])
        assert len(found) == 6 * len(links)
        assert np.abs(found[: len(links), :3] - expected[:, :3]).max() < 4 * np.finfo(np.float16).eps
        offsets = found[: len(links), 3, :3] - expected[:, 3, :3]
        assert np.ptp(offsets, axis=0).max() < 1e-5
        places.append(offsets[0])
    assert np.allclose(places, places[0], atol=1e-5)
    roots = np.array(instancer.ComputeInstanceTransformsAtTime(0.0, 0.0))[:: len(links), 3, :3]
    assert len({tuple(np.round(root, 3)) for root in roots}) == 6
    assert all(stage.GetPrimAtPath(link).IsAbstract() for link in links)
    assert not any(prim.IsAbstract() for prim in prototypes)


def test_the_manifest_says_what_the_results_are_of(full, scene):
    """Scene, files, options, versions: enough to do it again."""
    manifest = json.loads((full[1] / "manifest.json").read_text())
    assert manifest["job"]["scene"].endswith(f"/{scene.name}")
    assert manifest["job"]["scene"].startswith("../")
    assert len(manifest["scene"]["files"][manifest["job"]["scene"]]) == 64
    assert set(manifest["files"]) == {"table", "controls"}
    assert manifest["job"]["metrics"] == ["energy", "own_height:height"]
    assert manifest["versions"]["numpy"] == np.__version__
    assert manifest["shards"] == 2
    assert tuple(manifest["dof"]) == fajin.compile(fajin.read(scene)).dof == DOFS


@pytest.mark.parametrize(
    ("version", "taken"), [("2.18.3", False), ("3.0.10", False), ("3.1.0", True), ("3.10.1", True)]
)
def test_a_version_of_zarr_that_writes_no_data_is_refused(monkeypatch, version, taken):
    """Before the first step, in a line with the version that does."""
    monkeypatch.setattr(zarr, "__version__", version)
    if taken:
        assert trajectories.zarr() is zarr
        return
    line = re.escape(f"--record: zarr = {version}: must be 3.1 or later; pip install 'zarr>=3.1'")
    with pytest.raises(InvalidJob, match=line):
        trajectories.zarr()


def test_the_package_asks_for_that_version():
    """Of extras with zarr."""
    least = ".".join(map(str, trajectories.LEAST))
    assert f'"zarr>={least}; ' in (ROOT / "pyproject.toml").read_text()
