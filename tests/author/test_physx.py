"""What is authored is what PhysX reads: a robot in centimetres and grams, and its parameters recorded from PhysX."""

import json
from pathlib import Path

import numpy as np
import pytest
from paths import RECORDINGS

import fajin
from fajin import author

HERE = RECORDINGS / "authored"
EPS = float(np.finfo(np.float32).eps)
METRE, KILOGRAM = 100.0, 1000.0  # in the file's units, which PhysX keeps; angles are radians there
ENVELOPE = {"max_actuator_velocity": 6.0, "velocity_dependent_resistance": 0.4, "speed_effort_gradient": 0.2}
MEANT = {  # joint and axis: what is authored of it, in SI units and radians
    ("turn", None): {
        "drive": {"stiffness": 120.0, "damping": 8.0, "max_force": 40.0, "target_q": 0.7, "target_qd": 0.1},
        "envelope": ENVELOPE,
        "limit": {"lower": -1.5, "upper": 2.0, "max_velocity": 5.0},
        "friction": {"static": 0.9, "dynamic": 0.6, "viscous": 0.05},
        "armature": {"armature": 0.02},
        "state": {"q": 0.3, "qd": 0.0},
    },
    ("slide", None): {
        "drive": {"stiffness": 900.0, "damping": 60.0, "max_force": 70.0, "target_q": 0.05},
        "envelope": ENVELOPE,
        "limit": {"lower": -0.1, "upper": 0.2, "max_velocity": 0.8},
        "friction": {"static": 3.0, "dynamic": 2.0, "viscous": 1.5},
        "armature": {"armature": 0.3},
        "state": {"q": 0.02, "qd": 0.0},
    },
    ("follow", None): {"limit": {"lower": -2.0, "upper": 2.0}},
    ("wrist", "rotX"): {"drive": {"type": "acceleration", "stiffness": 50.0, "damping": 9.0, "max_force": 4.0}},
    ("wrist", "rotY"): {"drive": {"natural_frequency": 12.0, "damping_ratio": 0.5, "inertia": 0.03}},
}
POWERS = {  # PhysX's name: powers of kilogram and metre, of a rotation and of a translation
    "stiffness": ((1, 2), (1, 0)),
    "damping": ((1, 2), (1, 0)),
    "max_force": ((1, 2), (1, 1)),
    "armature": ((1, 2), (1, 0)),
    "max_velocity": ((0, 0), (0, 1)),
    "pos_target": ((0, 0), (0, 1)),
    "vel_target": ((0, 0), (0, 1)),
    "lower": ((0, 0), (0, 1)),
    "upper": ((0, 0), (0, 1)),
    "static": ((1, 2), (1, 1)),
    "dynamic": ((1, 2), (1, 1)),
    "viscous": ((1, 2), (1, 0)),
    "gradient": ((-1, -2), (-1, 0)),
    "max_actuator_velocity": ((0, 0), (0, 1)),
    "resistance": ((1, 2), (1, 0)),
}
NAMES = {  # of ours, where PhysX's is another
    "target_q": "pos_target",
    "target_qd": "vel_target",
    "velocity_dependent_resistance": "resistance",
    "speed_effort_gradient": "gradient",
}


def write(output: Path) -> None:
    """Author all that is meant in a layer over the robot."""
    with author.layer(HERE / "robot.usda", output) as stage:
        for (name, axis), things in MEANT.items():
            for what, values in things.items():
                getattr(author, what)(stage.GetPrimAtPath(f"/robot/{name}"), **values, axis=axis)
        author.mimic(stage.GetPrimAtPath("/robot/follow"), "/robot/turn", gearing=-0.5, offset=0.25)
        author.scene(stage, dt=1 / 240, solver="pgs", gravity=0.0, position_iterations=8, velocity_iterations=2)


def meant() -> list:
    """Joint, axis, PhysX's name and the value in SI units of all that PhysX tells back."""
    rows = []
    for (name, axis), things in MEANT.items():
        values = {key: value for said in things.values() for key, value in said.items()}
        if inertia := values.pop("inertia", None):
            values["stiffness"] = inertia * values["natural_frequency"] ** 2
            values["damping"] = 2.0 * inertia * values.pop("natural_frequency") * values.pop("damping_ratio")
        told_back = {key: value for key, value in values.items() if key not in ("q", "qd", "type")}
        rows += [(name, axis, NAMES.get(key, key), value) for key, value in told_back.items()]
    return rows


@pytest.fixture(scope="module")
def recorded() -> dict:
    """What PhysX told of the robot: parameters of each degree of freedom, first and last positions."""
    return json.loads((HERE / "robot.json").read_text())


def told(recorded: dict, name: str, axis: str | None) -> dict[str, float]:
    """PhysX's parameters of one degree of freedom, in the file's units and radians."""
    index = ("rotX", "rotY", "rotZ").index(axis) if axis else 0
    dof = next(d for d in recorded["dofs"] if d["joint"] == f"/robot/{name}" and d["axis"] == index)
    params = dict(dof["params"])
    for key, names in (
        ("limit", ("lower", "upper")),
        ("friction_static_dynamic_viscous", ("static", "dynamic", "viscous")),
        ("envelope_gradient_maxvel_resistance", ("gradient", "max_actuator_velocity", "resistance")),
    ):
        params |= dict(zip(names, params.pop(key), strict=True))
    return params


def test_the_layer_is_the_one_that_physx_was_given(tmp_path):
    """Authoring it again gives the recorded layer, but for the way to the robot."""
    write(tmp_path / "robot.edits.usda")
    mine, theirs = ((folder / "robot.edits.usda").read_text().splitlines() for folder in (tmp_path, HERE))
    assert [line for line in mine if "@" not in line] == [line for line in theirs if "@" not in line]


@pytest.mark.parametrize(("name", "axis", "key", "value"), meant())
def test_physx_has_the_parameters_that_were_meant(recorded, name, axis, key, value):
    """Each parameter, meant in SI units, is in PhysX what it is in the file's units."""
    acceleration = MEANT[name, axis].get("drive", {}).get("type") == "acceleration" and key in ("stiffness", "damping")
    kilograms, metres = (0, 0) if acceleration else POWERS[key][name == "slide"]
    unit = KILOGRAM**kilograms * METRE**metres
    assert told(recorded, name, axis)[key] == pytest.approx(value * unit, rel=4 * EPS)


def test_physx_and_fajin_move_it_alike(recorded):
    """The same joint positions after a second, in both, the mimic joint's among them."""
    sim = fajin.Simulation(fajin.read(HERE / "robot.edits.usda"))
    start, end = recorded["q"]
    np.testing.assert_allclose(of(sim.q[0], sim.dof, recorded), start, atol=4 * EPS)
    sim.step(recorded["steps"])
    np.testing.assert_allclose(of(sim.q[0], sim.dof, recorded), end, rtol=2e-5, atol=2e-5)  # as test_parity
    assert recorded["q"][1][2] == pytest.approx(0.5 * recorded["q"][1][0] - 0.25, abs=1e-5)


def of(q: np.ndarray, dof: list[str], recorded: dict) -> list[float]:
    """Our positions in PhysX's order and the file's unit of length."""
    names = [f"{d['joint']}:" for d in recorded["dofs"]]
    own = [[i for i, n in enumerate(dof) if n.startswith(name)] for name in names]
    order = [axes[d["axis"]] for axes, d in zip(own, recorded["dofs"], strict=True)]
    return [float(q[i]) * (METRE if "slide" in dof[i] else 1.0) for i in order]


if __name__ == "__main__":
    write(HERE / "robot.edits.usda")
