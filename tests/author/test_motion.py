"""What is authored in SI moves as the law says it in SI: one scene in centimetres and grams, one motion for all.

Degrees taken for radians, or centimetres for metres, would miss each of these laws by a factor.
"""

import pytest
from usda import body, joint, prim, stage

import fajin
from fajin import author

METADATA = 'metersPerUnit = 0.01\n    kilogramsPerUnit = 0.001\n    upAxis = "Z"'
MASS, INERTIA = 0.2, 0.03  # [kg], [kg·m²]
LINK = """float physics:mass = 200
    point3f physics:centerOfMass = (0, 0, 0)
    quatf physics:principalAxes = (1, 0, 0, 0)
    float3 physics:diagonalInertia = (300000, 300000, 300000)"""
ANCHOR = 'def PhysicsFixedJoint "anchor"\n{{\n    rel physics:body1 = <{0}/base>\n}}\n'
KINDS = {"turn": "PhysicsRevoluteJoint", "slide": "PhysicsPrismaticJoint"}
DT, STEPS = 1.0 / 240.0, 960

# what is authored, the effort on the joint, where it ends: position or speed, from its inertia
LAWS = {
    "stiffness": (
        {"drive": {"stiffness": 40.0, "damping": 4.0, "target_q": 0.2}},
        4.0,
        "q",
        lambda I: 0.2 + 4.0 / 40.0,
    ),
    "damping": ({"drive": {"damping": 3.0, "target_qd": 0.5}}, 6.0, "qd", lambda I: 0.5 + 6.0 / 3.0),
    "acceleration": (
        {"drive": {"type": "acceleration", "stiffness": 100.0, "damping": 20.0}},
        0.1,
        "q",
        lambda I: 0.1 / I / 100.0,
    ),
    "max_force": (
        {"drive": {"damping": 1e4, "target_qd": 1e3, "max_force": 0.02}},
        0.0,
        "qd",
        lambda I: 0.02 / I * STEPS * DT,
    ),
    "frequency": (
        {"drive": {"natural_frequency": 10.0, "damping_ratio": 1.0, "type": "force"}},
        5.0,
        "q",
        lambda I: 5.0 / (I * 100.0),
    ),
    "max_actuator_velocity": (
        {"drive": {"damping": 1e3, "target_qd": 50.0}, "envelope": {"max_actuator_velocity": 1.5}},
        0.0,
        "qd",
        lambda I: 1.5,
    ),
    "velocity_dependent_resistance": (
        {
            "drive": {"damping": 1e4, "target_qd": 50.0, "max_force": 6.0},
            "envelope": {"velocity_dependent_resistance": 1.0},
            "friction": {"viscous": 2.0},
        },
        0.0,
        "qd",
        lambda I: 6.0 / (1.0 + 2.0),
    ),
    "speed_effort_gradient": (
        {
            "drive": {"damping": 1e4, "target_qd": 50.0},
            "envelope": {"max_actuator_velocity": 3.0, "speed_effort_gradient": 0.25},
            "friction": {"viscous": 2.0},
        },
        0.0,
        "qd",
        lambda I: 3.0 / (1.0 + 0.25 * 2.0),
    ),
    "dynamic": ({"friction": {"static": 2.0, "dynamic": 1.0, "viscous": 2.0}}, 5.0, "qd", lambda I: (5.0 - 1.0) / 2.0),
    "static": ({"friction": {"static": 2.0, "dynamic": 1.0}}, 1.9, "qd", lambda I: 0.0),
    "armature": ({"armature": {"armature": 0.7}}, 0.5, "qd", lambda I: 0.5 / (I + 0.7) * STEPS * DT),
    "limits": ({"limit": {"lower": -0.4, "upper": 0.3}}, 2.0, "q", lambda I: 0.3),
    "max_velocity": ({"limit": {"max_velocity": 1.2}}, 2.0, "qd", lambda I: 1.2),
    "state": ({"state": {"q": 0.1, "qd": 0.05}}, 0.0, "q", lambda I: 0.1 + 0.05 * STEPS * DT),
}


def robot(name: str) -> str:
    """A base on the ground and a link that one joint moves."""
    path = f"/{name}"
    parts = (body("base", LINK), body("link", LINK), ANCHOR.format(path))
    moves = joint(f"{name}_joint", KINDS[name.partition("_")[0]], f"{path}/base", f"{path}/link")
    return prim("Xform", name, "\n".join((*parts, moves)), "PhysicsArticulationRootAPI PhysxArticulationAPI")


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    """The scene as authored, where all robots end, and their speeds."""
    folder = tmp_path_factory.mktemp("motion")
    names = [f"{kind}_{law}" for kind in KINDS for law in LAWS]
    source = stage(folder, *map(robot, names), metadata=METADATA)
    with author.layer(source, folder / "edits.usda") as edited:
        author.scene(edited, dt=DT, gravity=0.0)
        for name in names:
            link = edited.GetPrimAtPath(f"/{name}/link")
            author.attribute(link, "physxRigidBody:angularDamping", 0.0)
            (at,) = author.select(edited, f"{name}_joint")
            for what, values in LAWS[name.partition("_")[2]][0].items():
                getattr(author, what)(at.prim, **values)
    scene = fajin.read(folder / "edits.usda")
    sim = fajin.Simulation(scene, precision="f64")
    for name in names:
        sim.effort[:, f"{name}_joint"] = LAWS[name.partition("_")[2]][1]
    sim.step(STEPS)
    return sim


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_authored_moves_as_its_law_says(moved, kind, law):
    """Each parameter alone decides where its robot ends, in closed form."""
    _, _, where, end = LAWS[law]
    found = getattr(moved, where)[0, f"{kind}_{law}_joint"]
    assert found == pytest.approx(end(INERTIA if kind == "turn" else MASS), rel=DT, abs=1e-6)  # order one in the step
