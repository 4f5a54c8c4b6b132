"""Bases: fixed or floating, in a layer; what was fixed falls, and what floated stays."""

import numpy as np
import pytest

import fajin


def fall(path) -> float:
    """Fall of the root links [m] in 0.2 s."""
    sim = fajin.Simulation(fajin.read(path), contacts=False)
    start = sim.root_pose[0, :, 2]
    sim.step(round(0.2 / sim.dt))
    return float((start - sim.root_pose[0, :, 2]).max())


@pytest.mark.parametrize(
    ("name", "fixed"),
    [
        pytest.param("unitree_h1", False, marks=pytest.mark.slow),
        pytest.param("franka_panda", True, marks=pytest.mark.slow),
        ("newton_ant", False),
        ("xarm7", True),
    ],
)
def test_a_base_is_fixed_and_freed(robots, tmp_path, name, fixed):
    """There and back again: each layer over the one before; the pose stays, and the root's place suits PhysX."""
    source = robots / f"{name}.drive.usda"
    before = fajin.read(source).articulations[0]
    assert before.fixed_base is fixed
    other, again = tmp_path / "other.usda", tmp_path / "again.usda"
    with fajin.author.layer(source, other) as stage:
        assert fajin.author.base(stage, not fixed)
    with fajin.author.layer(other, again) as stage:
        assert fajin.author.base(stage, fixed)
    for path, is_fixed in ((other, not fixed), (again, fixed)):
        robot = fajin.read(path).articulations[0]
        assert robot.fixed_base is is_fixed
        assert robot.links[0].path == before.links[0].path
        assert np.allclose(robot.links[0].pose[0], before.links[0].pose[0])
        assert not [f for f in fajin.check.check(path) if f.rule == "root-on-wrong-prim"]
        assert fall(path) == pytest.approx(0.0 if is_fixed else 0.5 * 9.81 * 0.2**2, abs=0.03)


def test_a_base_that_is_so_already_changes_nothing(robots, tmp_path):
    with fajin.author.layer(robots / "xarm7.drive.usda", tmp_path / "out.usda") as stage:
        assert fajin.author.base(stage, True) == []


def test_the_command_fixes_and_frees(robots, run, tmp_path):
    out = tmp_path / "e.usda"
    code, said, _ = run("author", "base", robots / "unitree_h1.drive.usda", "--fixed", "-o", out)
    assert code == 0
    assert "fixed_base.physics:body1" in said
    assert fajin.read(out).articulations[0].fixed_base
