"""An attribute acts only where the schema is applied that it belongs to, as in PhysX and in OpenUSD itself."""

from dataclasses import replace

import pytest
from usda import ROOT, body, joint, prim, stage

import fajin

LINES = {  # schema: where its attribute stands in the scene below, and the attribute
    "PhysxSceneAPI": ("physics", 'uniform token physxScene:solverType = "PGS"'),
    "PhysxArticulationAPI": ("robot", "int physxArticulation:solverPositionIterationCount = 7"),
    "PhysxRigidBodyAPI": ("link", "float physxRigidBody:linearDamping = 3"),
    "PhysicsMassAPI": ("box", "float physics:mass = 3"),
    "PhysxPhysicsDistanceJointAPI": ("rope", "bool physxPhysicsDistanceJoint:springEnabled = 1"),
    "PhysicsMaterialAPI": ("stuff", "float physics:density = 500"),
}


def read(tmp_path, schema: str, line: str, applied: bool) -> fajin.Scene:
    """A robot, a rope and a box of stuff, one of which has the line; the schema is applied to it, or to nothing."""
    said = {place: line if where == schema else "" for where, (place, _) in LINES.items()}
    box = "rel material:binding:physics = </stuff>\n" + said["box"]
    bodies = body("base"), body("link", said["link"], "PhysxRigidBodyAPI")
    shape = prim("Cube", "box", box, "PhysicsCollisionAPI MaterialBindingAPI PhysicsMassAPI")
    hinge = joint("hinge", "PhysicsRevoluteJoint", "/robot/base", "/robot/link")
    rope = "float physics:maxDistance = 9\n" + said["rope"]
    parts = (*bodies, hinge, body("block", shape), said["robot"])
    path = stage(
        tmp_path,
        prim("Xform", "robot", "\n".join(reversed(parts)), f"{ROOT} PhysxArticulationAPI"),
        prim("Material", "stuff", said["stuff"], "PhysicsMaterialAPI"),
        joint("rope", "PhysicsDistanceJoint", "", "/robot/link", rope, "PhysxPhysicsDistanceJointAPI"),
        scene=said["physics"],
    )
    if not applied:
        path.write_text(path.read_text().replace(schema, "OtherAPI"))
    return fajin.read(path)


@pytest.mark.parametrize("schema", LINES)
def test_an_attribute_acts_only_where_its_schema_is_applied(tmp_path, schema):
    """Without it the scene is as if nothing had been authored, and a report says so."""
    place, line = LINES[schema]
    name = line.split(" = ")[0].split()[-1]
    scenes = {
        (said, applied): read(tmp_path, schema, line if said else "", applied)
        for said in (True, False)
        for applied in (True, False)
    }
    silent = {key: replace(scene, reports=()) for key, scene in scenes.items()}
    assert silent[True, True] != silent[False, True]
    assert silent[True, False] == silent[False, False]
    reports = {key: [r for r in scene.reports if r.prim.endswith(place)] for key, scene in scenes.items()}
    reasons = {report.attribute: report.reason for report in reports[True, False]}
    assert reasons[name] == f"has no effect before {schema} is applied to the prim"
    assert name not in {report.attribute for report in reports[True, True]}
