"""MJCF models with springs: they move as in MuJoCo, and come to the same rest."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from paths import RECORDINGS

import fajin
from fajin.conversion.conversion import drive_over
from fajin.conversion.layer_options import LayerOptions
from fajin.scene import Scene, SolverType
from fajin.tools.cli import main

HERE = RECORDINGS / "descriptions" / "springs"
NAMES = sorted(path.stem for path in HERE.glob("*.xml") if path.stem != "ball")  # whose spring differs a little
GAINS = (20.0, 1.0)  # of joints with an effort limit, which MJCF has none of
FLOAT32 = 2.0**-23
STEP, REST = 0.01, 12.0  # [s]; the slowest time constant is half a second: e^-24 of the way is left
FINE, SHORT = 2.5e-4, 0.25  # [s]


def mujoco_motion(name: str, step: float, seconds: float) -> dict[str, np.ndarray]:
    """Positions of a model's joints after some time in MuJoCo, from the pose of its file."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(HERE / f"{name}.xml"))
    model.opt.timestep = step
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(seconds / step))
    found = {}
    for joint in map(model.joint, range(model.njnt)):
        q = data.qpos[joint.qposadr[0] :]
        if joint.type[0] != mujoco.mjtJoint.mjJNT_FREE:
            found[joint.name] = q[:1] - model.qpos0[joint.qposadr[0]]
    return found


def together(paths: list[Path]) -> Scene:
    """Robots of several files in one scene, compiled once; under PGS, whose rest does not depend on the step."""
    scenes = [fajin.read(path) for path in paths]
    robots = tuple(robot for scene in scenes for robot in scene.articulations)
    return replace(scenes[0], articulations=robots, solver=SolverType.PGS)


def motion(scene: Scene, step: float, seconds: float) -> dict[tuple[str, str], np.ndarray]:
    """The same here, in double precision, by robot and joint."""
    sim = fajin.Simulation(replace(scene, dt=step), precision="f64", sleeping=False)
    sim.step(round(seconds / step))
    found: dict[tuple[str, str], list[float]] = {}
    for dof, q in zip(sim.dof, np.array(sim.q)[0], strict=True):
        path = dof.partition(":")[0]
        found.setdefault((path.split("/")[1], path.rpartition("/")[2]), []).append(q)
    return {name: np.array(q) for name, q in found.items()}


@pytest.fixture(scope="module")
def robots(tmp_path_factory):
    """All models, by the converter's files that lie here."""
    pytest.importorskip("mujoco")
    folder = tmp_path_factory.mktemp("springs")
    paths = sorted(HERE.glob("*.converted.usda"))
    for path in paths:
        drive_over(path, folder / path.name, LayerOptions(GAINS))
    return together([folder / path.name for path in paths])


@pytest.fixture(scope="module")
def rest(robots):
    """Where they come to rest."""
    return motion(robots, STEP, REST)


def differences(found: dict, step: float, seconds: float) -> dict[str, float]:
    """The largest distance of each joint from where MuJoCo has it [rad | m]."""
    wanted = {(name, joint): q for name in NAMES for joint, q in mujoco_motion(name, step, seconds).items()}
    assert sorted(wanted) == sorted(name for name in found if name[0] != "ball")
    return {"/".join(name): float(np.abs(found[name] - wanted[name]).max()) for name in wanted}


def test_springs_rest_where_mujoco_rests(rest):
    """The equilibrium of springs, servos and weight, to the single precision in which the file has its numbers."""
    off = differences(rest, STEP, REST)
    assert len(off) == 33
    assert {name: error for name, error in off.items() if error > 8 * FLOAT32} == {}


def test_springs_move_as_in_mujoco(robots):
    """On the way too, to the order of the step: both are of first order."""
    off = differences(motion(robots, FINE, SHORT), FINE, SHORT)
    assert {name: error for name, error in off.items() if error > 10.0 * FINE} == {}


def test_the_spring_of_a_ball_is_that_of_three_drives(rest):
    """PhysX's drives of three axes pull with 2 k sin(θ/2), MuJoCo's spring with k θ: what they lack at their rest."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(HERE / "ball.xml"))
    data, q = mujoco.MjData(model), rest["ball", "socket"]
    angle, stiffness = np.linalg.norm(q), model.jnt_stiffness[0]
    mujoco.mju_axisAngle2Quat(data.qpos[:4], q / angle, angle)
    data.qpos[4] = rest["ball", "pole"][0]
    mujoco.mj_forward(model, data)
    missing = stiffness * (1.0 - np.sin(angle / 2.0) / (angle / 2.0)) * q
    assert angle > 0.4
    assert data.qfrc_passive - data.qfrc_bias == pytest.approx([*-missing, 0.0], abs=8 * FLOAT32 * stiffness)


@pytest.fixture
def convert(tmp_path, capsys, monkeypatch):
    """The lines of the command, by a program that writes what the converter wrote of that model."""

    def go(name: str, *options: str) -> tuple[Path, list[str]]:
        monkeypatch.chdir(tmp_path)
        program = Path("converter").resolve()
        program.write_text('#!/bin/sh\ncp "${1%.xml}.converted.usda" "$2"\n')
        program.chmod(0o755)
        path = Path(f"{name}.usda")
        words = ["convert", str(HERE / f"{name}.xml"), "-o", str(path), "--converter", str(program), *options]
        monkeypatch.setattr(sys, "argv", ["fajin", *words])
        with pytest.raises(SystemExit) as status:
            main()
        assert not status.value.code
        return path, capsys.readouterr().out.splitlines()

    return go


@pytest.mark.parametrize(("name", "dof"), [("hinge", "pitch:rotY"), ("slide", "lift:transZ")])
def test_one_joint_is_an_articulation(convert, name, dof):
    """The converter gives a root only to bodies with children; without one a joint has no degree of freedom."""
    path, lines = convert(name)
    (robot,) = fajin.read(path).articulations
    assert not robot.free
    assert [f"{joint.path}:{axis.token}".endswith(dof) for joint in robot.joints for axis in joint.axes] == [True]
    assert any("has the articulation root that the converter" in line for line in lines)


def test_the_command_says_what_became_of_springs(convert):
    """A line each, in 80 columns."""
    _, lines = convert("servo")
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    for said in (
        "shoulder: 18 N·m/rad to 0.371392 rad, 1.4 N·m·s/rad, unbounded",
        "springs of tip and 3 more: stiffness and target of the drive",
        "damping of tip and 3 more: damping of the drive",
        "limits of shoulder: reduced by MuJoCo's ref",
        "rack: target_q = 0.555556 ctrl - 0.0233333 [rad | m]",
    ):
        assert said in text
    _, lines = convert("planar", "--overwrite")
    assert "  armature of bfoot and 3 more: armature, as converted" in lines


@pytest.mark.slow
def test_real_conversions_rest_where_mujoco_rests(tmp_path):
    """By the real converter."""
    for name in NAMES:
        fajin.convert(HERE / f"{name}.xml", tmp_path / f"{name}.usda")
    found = motion(together([tmp_path / f"{name}.usda" for name in NAMES]), STEP, REST)
    assert max(differences(found, STEP, REST).values()) <= 8 * FLOAT32
