"""A scene with a place for each row of the attribute table, and another value than its default for each."""

from pathlib import Path

import numpy as np
from usda import MASS, ROOT, body, joint, prim, stage

AXIS_APIS = "PhysicsDriveAPI:{0} PhysxJointAxisAPI:{0} PhysicsJointStateAPI:{0} PhysicsLimitAPI:{0} NewtonJointAPI"

EXPLICIT_APIS = (
    "NewtonPIDControlAPI NewtonDCMotorClampingAPI NewtonPositionBasedClampingAPI NewtonActuatorDelayAPI "
    "NewtonMaxEffortClampingAPI"
)
RUBBING = "float physxJointAxis:angular:staticFrictionEffort = 8"  # less than the dynamic effort would be none at all
HINGE_APIS = f"{AXIS_APIS.format('angular')} PhysxTendonAxisRootAPI:cord"
LEAF = """rel physxTendon:leaf:parentLink = </robot/base>
    uniform token physxTendon:leaf:parentAttachment = "cable\""""
MANY = """rel fajinMimic:transX:references = [</robot/slide>, </robot/ball>]
    float[] fajinMimic:transX:gearings = [1, 2]
    uniform token[] fajinMimic:transX:axes = ["transX", "rotY"]"""
LOOP = "float physics:lowerLimit = -20\nfloat physics:upperLimit = 30"


def everything(folder: Path) -> Path:
    """A scene in which each row of the table has a prim to stand on."""
    rotations = " ".join(AXIS_APIS.format(axis) for axis in ("rotX", "rotY", "rotZ"))
    collider = prim(
        "Cube",
        "box",
        "rel material:binding:physics = </stuff>",
        "PhysicsCollisionAPI PhysxCollisionAPI MaterialBindingAPI PhysicsMassAPI",
    )
    ball = """point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
    int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]"""
    hull_apis = "PhysicsCollisionAPI PhysicsMeshCollisionAPI PhysxConvexHullCollisionAPI"
    hull = prim("Mesh", "hull", ball, hull_apis)
    flat = ball.replace("(0, 0, 1), (1, 1, 1)", "(1, 1, 0)")
    hull += prim("Mesh", "sheet", flat, hull_apis)
    coarse = "".join(
        f"int physxConvexDecompositionCollision:{line}\n" for line in ("voxelResolution = 10000", "maxConvexHulls = 4")
    )
    ring = f'{ring_mesh()}\n{coarse}uniform token physics:approximation = "convexDecomposition"'
    hull += prim("Mesh", "cut", ring, "PhysicsCollisionAPI PhysicsMeshCollisionAPI")
    root = "rel physics:simulationOwner = </physics>\n"
    parts = (
        body(
            "base",
            "quatf physics:principalAxes = (0.9, 0.1, 0.2, 0.3)\nfloat3 physics:diagonalInertia = (1, 2, 3)",
            "PhysxTendonAttachmentRootAPI:cable",
        ),
        body("hinged", MASS + "\n" + LEAF, "PhysxTendonAttachmentLeafAPI:leaf"),
        body("swung"),
        body("turned"),
        body("boxed", collider),
        body("hulled", hull),
        body("slid"),
        body("shifted"),
        body("summed"),
        joint("hinge", "PhysicsRevoluteJoint", "/robot/base", "/robot/hinged", RUBBING, HINGE_APIS),
        joint(
            "ball",
            "PhysicsSphericalJoint",
            "/robot/base",
            "/robot/swung",
            "float physics:coneAngle0Limit = 20\nfloat physics:coneAngle1Limit = 30",
        ),
        joint("d6", "PhysicsJoint", "/robot/base", "/robot/turned", "", rotations),
        joint("hull_joint", "PhysicsFixedJoint", "/robot/base", "/robot/hulled"),
        joint("box_joint", "PhysicsRevoluteJoint", "/robot/base", "/robot/boxed"),
        joint(
            "slide",
            "PhysicsPrismaticJoint",
            "/robot/base",
            "/robot/slid",
            "rel physxMimicJoint:rotX:referenceJoint = </robot/ball>\n"
            'uniform token physxMimicJoint:rotX:referenceJointAxis = "rotY"',
            "PhysxMimicJointAPI:rotX",
        ),
        joint(
            "shift",
            "PhysicsPrismaticJoint",
            "/robot/base",
            "/robot/shifted",
            "rel newton:mimicJoint = </robot/slide>",
            "NewtonMimicAPI",
        ),
        joint("sum", "PhysicsPrismaticJoint", "/robot/base", "/robot/summed", MANY, "FajinMimicAPI:transX"),
        joint("rope", "PhysicsDistanceJoint", "/robot/base", "/thrown", "float physics:maxDistance = 20"),
        joint("loop", "PhysicsRevoluteJoint", "/thrown", "", LOOP, "PhysxLimitAPI:angular"),
    )
    gains = "rel newton:targets = </robot/box_joint>"
    motor = prim("NewtonActuator", "motor", gains, "NewtonPDControlAPI NewtonMaxEffortClampingAPI")
    bounds = "float[] newton:lookupPositions = [1, 2]\nfloat[] newton:lookupEfforts = [3, 4]"
    explicit = prim("NewtonActuator", "explicit", f"rel newton:targets = </robot/sum>\n{bounds}", EXPLICIT_APIS)
    stuff = prim("Material", "stuff", "", "PhysicsMaterialAPI PhysxMaterialAPI")
    robot = prim("Xform", "robot", root + "\n".join(parts), f"{ROOT} PhysxArticulationAPI")
    driven = "vector3f physxForce:force = (1, 0, 0)\nvector3f physxSurfaceVelocity:surfaceVelocity = (1, 0, 0)"
    thrown = body("thrown", f"{MASS}\n{driven}", "PhysxForceAPI PhysxSurfaceVelocityAPI")
    return stage(folder, robot, thrown, stuff, motor, explicit)


def ring_mesh(parts: int = 12, sides: int = 6) -> str:
    """The lines of the points and faces of a ring around z."""
    corners = np.arange(parts * sides)
    turn, side = 2.0 * np.pi * (corners // sides) / parts, 2.0 * np.pi * (corners % sides) / sides
    radius = 0.2 + 0.06 * np.cos(side)
    points = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), 0.06 * np.sin(side)]).round(5)
    ahead = (corners // sides + 1) % parts * sides
    up = (corners % sides + 1) % sides
    faces = np.column_stack([corners, ahead + corners % sides, ahead + up, corners // sides * sides + up])
    return (
        f"point3f[] points = {[tuple(point) for point in points.tolist()]}\n"
        f"int[] faceVertexCounts = {[4] * len(faces)}\nint[] faceVertexIndices = {faces.ravel().tolist()}"
    )


PLACES = (  # rows by the first word that fits the name: the prim that takes it and the axis in the name
    ("physics:collisionEnabled", "/robot/boxed/box", ""),
    ("physxRigidBody:solveContact", "/robot/boxed", ""),
    ("physxCollision:", "/robot/boxed/box", ""),
    ("newton:contact", "/robot/boxed/box", ""),
    ("newton:selfCollisionEnabled", "/robot", ""),
    ("physics:approximation", "/robot/hulled/hull", ""),
    ("physxConvexHullCollision:minThickness", "/robot/hulled/sheet", ""),
    ("physxConvexHullCollision:", "/robot/hulled/hull", ""),
    ("physxConvexDecompositionCollision:", "/robot/hulled/cut", ""),
    ("newton:maxHullVertices", "/robot/hulled/hull", ""),
    ("physics:staticFriction", "/stuff", ""),
    ("physics:dynamicFriction", "/stuff", ""),
    ("physics:restitution", "/stuff", ""),
    ("physxMaterial:", "/stuff", ""),
    ("physxScene:", "/physics", ""),
    ("fajinScene:", "/physics", ""),
    ("physics:gravity", "/physics", ""),
    ("newton:gravityEnabled", "/physics", ""),
    ("newton:timeStepsPerSecond", "/physics", ""),
    ("physxArticulation:", "/robot", ""),
    ("physxRigidBody:enableGyroscopicForces", "/thrown", ""),
    ("physxRigidBody:enableSpeculativeCCD", "/thrown", ""),
    ("physxRigidBody:enableCCD", "/thrown", ""),
    ("physxRigidBody:locked", "/thrown", ""),
    ("physxForce:", "/thrown", ""),
    ("physxSurfaceVelocity:", "/thrown", ""),
    ("physxRigidBody:solver", "/thrown", ""),
    ("physxRigidBody:sleep", "/thrown", ""),
    ("physics:startsAsleep", "/thrown", ""),
    ("physxRigidBody:", "/robot/hinged", ""),
    ("physics:velocity", "/robot/base", ""),
    ("physics:angularVelocity", "/robot/base", ""),
    ("physics:density", "/robot/boxed/box", ""),
    ("newton:inertia", "/robot/boxed", ""),
    ("physics:cone", "/robot/ball", ""),
    ("physics:principalAxes", "/robot/base", ""),
    ("physics:rigidBodyEnabled", "/robot/boxed", ""),
    ("physics:kinematicEnabled", "/robot/boxed", ""),
    ("limit:", "/robot/d6", "rotY"),
    ("physxMimicJoint:", "/robot/slide", "rotX"),
    ("newton:mimic", "/robot/shift", ""),
    ("newton:kp", "/motor", ""),
    ("newton:kd", "/motor", ""),
    ("newton:maxEffort", "/motor", ""),
    ("newton:constEffort", "/motor", ""),
    *((f"newton:{name}", "/explicit", "") for name in ("ki", "integralMax", "saturationEffort")),
    *((f"newton:{name}", "/explicit", "") for name in ("maxMotorEffort", "lookup", "delaySteps")),
    ("fajinMimic:", "/robot/sum", "transX"),
    ("physics:mass", "/robot/hinged", ""),
    ("physics:centerOfMass", "/robot/hinged", ""),
    ("physics:diagonalInertia", "/robot/hinged", ""),
    ("physics:jointEnabled", "/robot/box_joint", ""),
    ("physics:exclude", "/robot/box_joint", ""),
    ("physxLimit:", "/robot/loop", "angular"),
    ("physics:break", "/robot/loop", ""),
    ("physics:m", "/robot/rope", ""),
    ("physxPhysicsDistanceJoint:", "/robot/rope", ""),
    ("physxTendon:{axis}:localPos", "/robot/hinged", "leaf"),
    ("physxTendon:", "/robot/hinge", "cord"),
    ("", "/robot/hinge", "angular"),
)
VALUES = {  # where the default plus something is not the thing to author
    "physics:gravityMagnitude": 3.0,
    "physxScene:solverType": "PGS",
    "drive:{axis}:physics:type": "acceleration",
    "physxForce:mode": "force",
    "fajinScene:precision": "double",
    "physics:axis": "Z",
    "physics:lowerLimit": -3.0,
    "physics:upperLimit": 4.0,
    "limit:{axis}:physics:low": -3.0,
    "limit:{axis}:physics:high": 4.0,
    "newton:lookupPositions": "[1, 3]",
    "newton:lookupEfforts": "[3, 5]",
    "newton:inertia": "[3, 3, 3, 0, 0, 0]",
    "physxScene:minPositionIterationCount": 40,
    "physxScene:maxPositionIterationCount": 20,
    "physxScene:minVelocityIterationCount": 3,
    "physxScene:maxVelocityIterationCount": 0,
    "physxMimicJoint:{axis}:referenceJointAxis": "rotZ",
    "fajinMimic:{axis}:gearings": "[1, 3]",
    "fajinMimic:{axis}:axes": '["transX", "rotZ"]',
    "physics:coneAngle0Limit": 50.0,
    "physics:coneAngle1Limit": 50.0,
    "physxLimit:{axis}:restitution": 0.5,
    "physics:approximation": "boundingSphere",
    "physxConvexHullCollision:hullVertexLimit": 4,
    "physxConvexDecompositionCollision:hullVertexLimit": 8,
    "physxConvexDecompositionCollision:voxelResolution": 60000,
    "physxConvexDecompositionCollision:errorPercentage": 20.0,
    "newton:maxHullVertices": 4,
    "physxMaterial:frictionCombineMode": "max",
    "physxMaterial:restitutionCombineMode": "max",
    "physxMaterial:dampingCombineMode": "max",
    "physxTendon:{axis}:gearing": "[3]",
    "physxTendon:{axis}:forceCoefficient": "[3]",
}


def another(row):
    """A value other than the row's default."""
    if row.name in VALUES:
        return VALUES[row.name]
    if isinstance(row.default, bool):
        return not row.default
    if isinstance(row.default, tuple):
        return tuple(0.25 * (i + 1) for i in range(len(row.default)))
    return {"physxRigidBody:maxLinearVelocity": 3.0}.get(row.name, 7)


def place_of(name: str) -> tuple[str, str]:
    """The prim that takes a row, and the axis in the row's name."""
    return next((place, axis) for word, place, axis in PLACES if name.startswith(word))
