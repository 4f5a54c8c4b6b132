"""What changes PhysX's motion and is not simulated is reported, and only where PhysX's motion depends on it.

Every case that "acts" was seen to move PhysX otherwise, every other one to leave its motion as it is, bit by bit.
"""

from math import cos, pi, sin

import pytest
from usda import MASS, arm, body, prim, stage

import fajin
from fajin.usd.stage.diagnostic_codes import CODES

COLLIDER = "PhysicsCollisionAPI"
FLOOR = prim("Cube", "floor", "", COLLIDER)
SCENE = "/physics"
ALONG_X = "vector3f physxSurfaceVelocity:surfaceVelocity = (1, 0, 0)"


def falling(lines: str = "", apis: str = "PhysxRigidBodyAPI") -> str:
    """A box that falls."""
    return prim(
        "Cube", "box", f"float physics:mass = 1\n{lines}", f"PhysicsRigidBodyAPI PhysicsMassAPI {COLLIDER} {apis}"
    )


def belt(lines: str = "", apis: str = "PhysxRigidBodyAPI") -> str:
    """A kinematic box that stands still, and a box on it."""
    kinematic = f"bool physics:kinematicEnabled = 1\n{lines}"
    return prim("Cube", "belt", kinematic, f"PhysicsRigidBodyAPI {COLLIDER} {apis}") + falling()


def missing(path) -> dict[str, list[tuple[str, str]]]:
    """The codes of what is not simulated, each with prim and attribute."""
    found: dict[str, list[tuple[str, str]]] = {}
    for report in fajin.read(path).reports:
        if CODES[report.code].missing:
            found.setdefault(report.code, []).append((report.prim, report.attribute))
    return found


def robot_of(lines: str) -> str:
    """An arm whose link has PhysxRigidBodyAPI with such attributes."""
    plain = body("link")
    return arm().replace(plain, body("link", f"{MASS}\n{lines}", "PhysxRigidBodyAPI"))


@pytest.mark.parametrize("name", ["lockedPosAxis", "lockedRotAxis"])
def test_links_do_not_obey_locks_in_physx_either(tmp_path, name):
    """Only a free body does."""
    robot = robot_of(f"int physxRigidBody:{name} = 4")
    (report,) = fajin.read(stage(tmp_path, robot)).reports
    assert (report.code, report.attribute) == ("locks-of-free-bodies", f"physxRigidBody:{name}")


SWEPT, SWEEPS = "bool physxRigidBody:enableCCD = 1", "bool physxScene:enableCCD = 1"


def test_continuous_collision_detection_of_links_is_reported(tmp_path):
    """Free bodies have it."""
    assert missing(stage(tmp_path, FLOOR, falling(SWEPT), scene=SWEEPS)) == {}
    found = missing(stage(tmp_path, FLOOR, robot_of(SWEPT), scene=SWEEPS))
    assert found == {"continuous-collision": [("/robot/link", SWEPT.split()[1])]}


def test_speculative_contacts_of_links_are_reported(tmp_path):
    """Free bodies have them."""
    line = "bool physxRigidBody:enableSpeculativeCCD = 1"
    assert missing(stage(tmp_path, FLOOR, falling(line))) == {}
    found = missing(stage(tmp_path, FLOOR, robot_of(line)))
    assert found == {"speculative-collision": [("/robot/link", line.split()[1])]}


ON_SCENE = [
    ("stabilization", "bool physxScene:enableStabilization = {}", "1", "0"),
    ("constraint-order", "bool physxScene:enableEnhancedDeterminism = {}", "1", "0"),
    ("collision-system", 'uniform token physxScene:collisionSystem = "{}"', "SAT", "PCM"),
    ("scene-not-stepped", 'uniform token physxScene:updateType = "{}"', "Disabled", "Asynchronous"),
]


@pytest.mark.parametrize(("code", "line", "something", "nothing"), ON_SCENE)
def test_what_the_scene_requests_in_vain_is_reported(tmp_path, code, line, something, nothing):
    name, two = line.split(" = ")[0].split()[-1], falling() + falling().replace('"box"', '"other"')
    assert missing(stage(tmp_path, FLOOR, two, scene=line.format(something))) == {code: [(SCENE, name)]}
    assert missing(stage(tmp_path, FLOOR, two, scene=line.format(nothing))) == {}


@pytest.mark.parametrize("line", [case[1].format(case[2]) for case in ON_SCENE[:3]])
def test_settings_of_contacts_do_nothing_where_nothing_collides(tmp_path, line):
    """Nor the order of one articulation's joints."""
    assert missing(stage(tmp_path, arm(), scene=line)) == {}


@pytest.mark.parametrize("line", [case[1].format(case[2]) for case in ON_SCENE[:2]])
def test_stabilization_and_order_do_not_matter_to_one_robot_on_the_ground(tmp_path, line):
    """PhysX stabilizes free bodies that touch each other, and no articulation."""
    robot = arm(link=MASS + "\n" + prim("Cube", "shape", "", COLLIDER))
    assert missing(stage(tmp_path, FLOOR, robot, scene=line)) == {}


def test_the_bias_limit_is_of_pgs(tmp_path):
    """PhysX's TGS does not read it."""
    line = "float physxScene:maxBiasCoefficient = 1"
    pgs = 'uniform token physxScene:solverType = "PGS"\n'
    assert missing(stage(tmp_path, arm(), scene=line)) == {}
    assert set(missing(stage(tmp_path, arm(), scene=pgs + line))) == {"bias-limit"}


@pytest.mark.parametrize("on", [belt, falling])
def test_surface_velocities_are_read_on_moving_and_on_kinematic_bodies(tmp_path, on):
    """A kinematic body with a surface velocity is not part of the world; nor is what switches it off read."""
    lines = f"{ALONG_X}\nvector3f physxSurfaceVelocity:surfaceAngularVelocity = (0, 0, 180)"
    path = stage(tmp_path, FLOOR, on(lines, "PhysxSurfaceVelocityAPI"))
    assert missing(path) == {}
    surfaces = {link.path: link.surface_velocity for a in fajin.read(path).articulations for link in a.links}
    place = "/belt" if on is belt else "/box"
    assert surfaces[place].angular == pytest.approx((0.0, 0.0, pi))
    assert surfaces[place].linear[0] > 0.0
    off = stage(
        tmp_path, FLOOR, on(lines + "\nbool physxSurfaceVelocity:surfaceVelocityEnabled = 0", "PhysxSurfaceVelocityAPI")
    )
    assert not any(link.surface_velocity for a in fajin.read(off).articulations for link in a.links)


def test_a_local_surface_velocity_is_scaled_as_the_body(tmp_path):
    """As PhysX does; one of the world is not."""
    for local, expected in ((1, 3.0), (0, 1.0)):
        lines = f"{ALONG_X}\nbool physxSurfaceVelocity:surfaceVelocityLocalSpace = {local}"
        scaled = 'float3 xformOp:scale = (3, 1, 1)\nuniform token[] xformOpOrder = ["xformOp:scale"]'
        scene = fajin.read(stage(tmp_path, belt(f"{lines}\n{scaled}", "PhysxSurfaceVelocityAPI")))
        (surface,) = (link.surface_velocity for a in scene.articulations for link in a.links if link.path == "/belt")
        assert surface.linear == pytest.approx((expected, 0.0, 0.0))


def test_the_surface_of_a_kinematic_body_that_a_joint_holds_is_reported(tmp_path):
    held = prim("PhysicsFixedJoint", "hold", "rel physics:body0 = </belt>\nrel physics:body1 = </box>")
    found = missing(stage(tmp_path, belt(ALONG_X, "PhysxSurfaceVelocityAPI"), held))
    assert found == {"surface-velocity": [("/belt", "PhysxSurfaceVelocityAPI")]}


def test_a_surface_velocity_of_the_world_does_not_act(tmp_path):
    floor = prim("Cube", "floor", "", f"{COLLIDER} PhysxSurfaceVelocityAPI")
    assert missing(stage(tmp_path, floor, falling())) == {}


def test_the_velocity_of_a_kinematic_body_is_that_of_its_surface(tmp_path):
    for velocity, found in (((1.0, 0.0, 0.0), 1), ((0.0, 0.0, 0.0), 0)):
        scene = fajin.read(stage(tmp_path, belt(f"vector3f physics:velocity = {velocity}")))
        surfaces = [link.surface_velocity for a in scene.articulations for link in a.links if link.surface_velocity]
        assert [surface.linear for surface in surfaces] == [velocity] * found
        assert not any(surface.local for surface in surfaces)


def test_several_forces_on_a_body_act_if_they_add_up(tmp_path):
    """Those that differ in place are reported; one without a body is harmless."""
    second = prim("Xform", "at", "vector3f physxForce:force = (0, 0, 1)\n{}", "PhysxForceAPI")
    moved = 'double3 xformOp:translate = (1, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
    for lines, found in (("", {}), (moved, {"user-forces": [("/box/at", "PhysxForceAPI")]})):
        box = falling("vector3f physxForce:force = (0, 0, 1)\n" + second.replace("{}", lines), "PhysxForceAPI")
        assert missing(stage(tmp_path, FLOOR, box)) == found
    alone = fajin.read(stage(tmp_path, FLOOR, falling(""), second.replace("{}", "")))
    assert [(report.code, report.prim) for report in alone.reports] == [("force-without-body", "/at")]


@pytest.mark.parametrize("lines", ["", "vector3f physxForce:force = (0, 0, 1)"])
def test_forces_of_a_body_that_retains_accelerations_are_reported(tmp_path, lines):
    """PhysX adds them up from step to step; without a force it retains nothing."""
    schema = "PhysxForceAPI" if lines else ""
    box = falling(f"bool physxRigidBody:retainAccelerations = 1\n{lines}", schema)
    found = {"retained-forces": [("/box", "physxRigidBody:retainAccelerations")]} if lines else {}
    assert missing(stage(tmp_path, FLOOR, box)) == found


def test_velocities_and_forces_with_time_samples_have_their_default_values(tmp_path):
    """As in PhysX; those without a default value are 0."""
    samples = ".timeSamples = { 0: (1, 0, 0), 1: (2, 0, 0) }"
    for default, found in (("", (0.0, 0.0, 0.0)), ("{} = (3, 0, 0)\n", (3.0, 0.0, 0.0))):
        names = "vector3f physics:velocity", "vector3f physxForce:force"
        box = falling("".join(f"{default.format(name)}{name}{samples}\n" for name in names), "PhysxForceAPI")
        scene = fajin.read(stage(tmp_path, FLOOR, box))
        (link,) = scene.articulations[0].links
        assert link.velocity == found
        assert (link.external_force.force if link.external_force else (0.0, 0.0, 0.0)) == found
        assert [report.code for report in scene.reports] == 2 * ["time-samples-default"]


TRIANGLES = """point3f[] points = [(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)]
    int[] faceVertexCounts = [3, 3]
    int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
"""
SUBSET = prim(
    "GeomSubset",
    "part",
    'uniform token elementType = "face"\nint[] indices = [0]\nrel material:binding = </rough>',
    "MaterialBindingAPI",
)
ROUGH = 'def Material "rough" (prepend apiSchemas = ["{}"])\n{{\nfloat physics:staticFriction = 1\n}}\n'


def ground(lines: str = "", inner: str = "", apis: str = "") -> str:
    """A mesh of two triangles that bodies fall on."""
    return prim("Mesh", "ground", TRIANGLES + lines + inner, f"{COLLIDER} PhysicsMeshCollisionAPI {apis}")


def test_parts_of_a_mesh_have_materials_of_their_own(tmp_path):
    """A material without physics is only drawn, and what no part has keeps the mesh's own material."""
    scene = fajin.read(stage(tmp_path, ground(inner=SUBSET), ROUGH.format("PhysicsMaterialAPI"), falling()))
    found = {c.path: (c.material.static_friction, len(c.faces), c.named) for c in scene.colliders if c.body == ""}
    assert found == {"/ground": (0.5, 1, "/ground"), "/ground/part": (1.0, 1, "/ground")}
    assert [(report.code, report.prim) for report in scene.reports] == [("subset-border", "/ground")]
    drawn = fajin.read(stage(tmp_path, ground(inner=SUBSET), ROUGH.format("OtherAPI"), falling()))
    assert [len(c.faces) for c in drawn.colliders if c.path.startswith("/ground")] == [2]
    assert "subset-border" not in {report.code for report in drawn.reports}


@pytest.mark.parametrize(
    ("approximation", "parameter", "code"),
    [
        ("none", "float physxTriangleMeshCollision:weldTolerance = 0.3", "mesh-cooking"),
        ("none", "float physxTriangleMeshCollision:weldTolerance = -inf", ""),
        ("convexHull", "float physxTriangleMeshCollision:weldTolerance = 0.3", ""),
        ("none", "float physxTriangleMeshSimplificationCollision:metric = 0.2", ""),
        ("meshSimplification", "float physxTriangleMeshSimplificationCollision:metric = 0.2", "mesh-simplification"),
        ("sdf", "int physxSDFMeshCollision:sdfResolution = 10", ""),  # on the world the triangles collide
    ],
)
def test_parameters_of_a_mesh_matter_with_their_approximation(tmp_path, approximation, parameter, code):
    lines = f'uniform token physics:approximation = "{approximation}"\n{parameter}\n'
    assert set(missing(stage(tmp_path, ground(lines), falling()))) == ({code} if code else set())


FEATURES = [
    ("vehicle", "Xform", "PhysxVehicleAPI", "rel physxVehicle:drive = </a>"),
    ("character-controller", "Capsule", "PhysxCharacterControllerAPI", "float physxCharacterController:slopeLimit = 1"),
    ("deformable", "Mesh", "OmniPhysicsDeformableBodyAPI", "float omniphysics:mass = 1"),
    ("deformable", "Mesh", "PhysxDeformableSurfaceAPI", "float physxDeformableSurface:maxVelocity = 1"),
    ("deformable", "OmniPhysicsVtxXformAttachment", "", "float omniphysics:stiffness = 1"),
    ("particles", "PhysxParticleSystem", "", "float contactOffset = 1"),
    ("particles", "Points", "PhysxParticleSetAPI", "bool physxParticle:fluid = 1"),
    ("mesh-merge", "Xform", "PhysxMeshMergeCollisionAPI", ""),
]


@pytest.mark.parametrize(("code", "kind", "schema", "line"), FEATURES)
def test_a_feature_is_one_diagnostic_per_prim(tmp_path, code, kind, schema, line):
    """Its attributes and the schemas that belong to it are not listed one by one."""
    part = prim("Xform", "part", "", "PhysxVehicleWheelAPI OmniPhysicsBaseMaterialAPI PhysxPBDMaterialAPI")
    path = stage(tmp_path, arm(), prim(kind, "thing", line, schema), part)
    assert missing(path) == {code: [("/thing", schema or kind)]}
    assert [report for report in fajin.read(path).reports if report.prim in ("/thing", "/part")][1:] == []


def test_a_feature_that_is_switched_off_is_silent(tmp_path):
    off = prim("Xform", "car", "bool physxVehicle:vehicleEnabled = 0", "PhysxVehicleAPI")
    assert missing(stage(tmp_path, arm(), off)) == {}


def test_newtons_actuators_are_reported_with_the_joints_that_they_drive(tmp_path):
    """Neither PhysX nor fajin has neural control: the joint is passive, which nobody would guess."""
    lines = "rel newton:targets = </robot/elbow>\nasset newton:modelPath = @net.onnx@"
    motor = prim("NewtonActuator", "motor", lines, "NewtonNeuralControlAPI")
    (report,) = fajin.read(stage(tmp_path, arm(), motor)).reports
    assert (report.code, report.attribute, report.value) == ("actuator", "newton:targets", "/robot/elbow")


@pytest.mark.parametrize("name", ["torsionalFriction", "rollingFriction", "contactStiffness"])
def test_what_only_newton_reads_is_harmless(tmp_path, name):
    material = prim("Material", "stuff", f"float newton:{name} = 1", "PhysicsMaterialAPI NewtonMaterialAPI")
    (report,) = fajin.read(stage(tmp_path, arm(), material)).reports
    assert (report.code, CODES[report.code].harmless) == ("newton-only", True)


def test_the_scene_of_a_body_must_exist(tmp_path):
    """PhysX leaves out a body whose scene does not exist; that it names the scene that there is changes nothing."""
    owner = "rel physics:simulationOwner = <{}>"
    assert missing(stage(tmp_path, FLOOR, falling(owner.format("/physics")))) == {}
    found = missing(stage(tmp_path, FLOOR, falling(owner.format("/lost"))))
    assert found == {"owner-missing": [("/box", "physics:simulationOwner")]}


@pytest.mark.parametrize("kind", ["PhysxPhysicsGearJoint", "PhysxPhysicsRackAndPinionJoint"])
def test_a_gear_needs_the_joints_that_it_relates(tmp_path, kind):
    gear = prim(kind, "gear", "rel physics:body0 = </one>\nrel physics:body1 = </two>")
    with pytest.raises(fajin.InvalidScene, match=r"^/gear\.physics:hinge0?: must be a revolute joint; name one"):
        fajin.read(stage(tmp_path, body("one"), body("two"), gear))


def test_an_articulation_contains_no_gear(tmp_path):
    """As in PhysX, unless it is excluded."""
    gear = prim("PhysxPhysicsGearJoint", "gear", "rel physics:body0 = </robot/link>\nfloat physics:gearRatio = 2")
    reports = fajin.read(stage(tmp_path, arm(), gear)).reports
    assert ("gear-in-articulation", "/gear") in [(report.code, report.prim) for report in reports]


def test_a_schema_that_is_missing_is_the_reason(tmp_path):
    """PhysX reads the attributes of a schema where it is applied."""
    (report,) = fajin.read(stage(tmp_path, FLOOR, falling("int physxRigidBody:lockedPosAxis = 4", ""))).reports
    assert (report.code, report.related) == ("schema-not-applied", "PhysxRigidBodyAPI")


def test_a_body_of_a_scene_with_other_settings_is_not_harmless(tmp_path):
    """Two scenes with two solvers, and a body of the second."""
    second = prim("PhysicsScene", "second", 'uniform token physxScene:solverType = "PGS"', "PhysxSceneAPI")
    found = missing(stage(tmp_path, FLOOR, falling("rel physics:simulationOwner = </second>"), second, body("other")))
    assert set(found) == {"second-scene", "physics-scene-owner"}


@pytest.mark.parametrize(("corners", "cut"), [(31, False), (32, True)])
def test_a_hull_that_physx_reduces_is_reported(tmp_path, corners, cut):
    """Of a cone with 31 corners PhysX keeps all; with 32 it crops another hull from a box."""
    turns = [2.0 * pi * i / corners for i in range(corners)]
    points = [(0.0, 0.0, 0.5), *((0.5 * cos(turn), 0.5 * sin(turn), -0.5) for turn in turns)]
    faces = [(0, 1 + i, 1 + (i + 1) % corners) for i in range(corners)]
    lines = f"""point3f[] points = {points}
    int[] faceVertexCounts = {[3] * corners}
    int[] faceVertexIndices = {[i for face in faces for i in face]}
    uniform token physics:approximation = "convexHull"
    float physics:mass = 1"""
    apis = f"PhysicsRigidBodyAPI PhysicsMassAPI {COLLIDER} PhysicsMeshCollisionAPI"
    scene = fajin.read(stage(tmp_path, FLOOR, prim("Mesh", "cone", lines, apis)))
    reports = [(report.code, report.prim, report.attribute) for report in scene.reports]
    assert reports == ([("hull-reduced", "/cone", "points")] if cut else [])
