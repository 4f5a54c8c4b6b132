"""Attributes of contacts: offsets and friction patches of colliders, materials, meshes and settings of the scene."""

from math import inf

from ...scene import CombineMode
from .attribute import Attribute
from .units import IMPULSE, LENGTH, ONE, PER_LENGTH, PER_SPEED, SPEED

NO_CONTACT = "contact-attribute"

CONTACT_SCENE = tuple(
    Attribute(f"physxScene:{name}", field, default, unit, rule="magnitude", unused=NO_CONTACT)
    for name, field, default, unit in (
        ("bounceThreshold", "bounce_threshold", 0.0, SPEED),
        ("frictionOffsetThreshold", "friction_offset_threshold", 0.04, LENGTH),
        ("frictionCorrelationDistance", "friction_correlation_distance", 0.025, LENGTH),
    )
)

COLLIDER = (  # -inf: not authored; a negative contact offset or gap counts as not authored, too
    Attribute("physics:collisionEnabled", "enabled", True, unused=NO_CONTACT, of="PhysicsCollisionAPI"),
    Attribute("physxCollision:contactOffset", "contact_offset", -inf, LENGTH, rule="bounded", unused=NO_CONTACT),
    Attribute("physxCollision:restOffset", "rest_offset", -inf, LENGTH, rule="bounded", unused=NO_CONTACT),
    Attribute("newton:contactMargin", "margin", 0.0, LENGTH, rule="bounded", unused=NO_CONTACT),
    Attribute("newton:contactGap", "gap", -inf, LENGTH, rule="bounded", unused=NO_CONTACT),
)

PATCH = tuple(
    Attribute(f"physxCollision:{name}", field, 0.0, LENGTH, rule="magnitude", unused=NO_CONTACT)
    for name, field in (
        ("torsionalPatchRadius", "torsional_patch_radius"),
        ("minTorsionalPatchRadius", "min_torsional_patch_radius"),
    )
)

APPROXIMATIONS = (
    *("none", "meshSimplification", "convexHull", "convexDecomposition", "boundingCube", "boundingSphere"),
    *("sdf", "sphereFill"),
)
MOST_VERTICES = 64  # of a hull, if no limit above 0 is authored
LEAST_THICKNESS = 0.001  # of a sheet, in stage units of any length, if none is authored
MESH_COLLISION = (
    Attribute(
        "physics:approximation",
        "approximation",
        "none",
        tokens={token: token for token in APPROXIMATIONS},
        unused=NO_CONTACT,
        of="PhysicsMeshCollisionAPI",
    ),
    Attribute("physxConvexHullCollision:hullVertexLimit", "vertex_limit", MOST_VERTICES, unused=NO_CONTACT),
    Attribute("newton:maxHullVertices", "vertex_limit", MOST_VERTICES, unused=NO_CONTACT),  # counts above 0
    Attribute(
        "physxConvexHullCollision:minThickness", "min_thickness", -inf, LENGTH, rule="bounded", unused=NO_CONTACT
    ),
    # these act without their schema, as in PhysX, and values out of range become the nearest one
    Attribute("physxConvexDecompositionCollision:maxConvexHulls", "parts", 32, unused=NO_CONTACT),
    Attribute("physxConvexDecompositionCollision:hullVertexLimit", "part_vertices", 64, unused=NO_CONTACT),
    Attribute("physxConvexDecompositionCollision:voxelResolution", "voxels", 500000, unused=NO_CONTACT),
    Attribute("physxConvexDecompositionCollision:errorPercentage", "volume_error", 10.0, unused=NO_CONTACT),
    Attribute("physxConvexDecompositionCollision:shrinkWrap", "shrink_wrap", False, unused=NO_CONTACT),
)

SPRING = "physxMaterial:compliantContactAccelerationSpring"
CONTACT_MATERIAL = (
    *(
        Attribute(f"physics:{name}", field, 0.0, rule="magnitude", unused=NO_CONTACT, of="PhysicsMaterialAPI")
        for name, field in (
            ("staticFriction", "static_friction"),
            ("dynamicFriction", "dynamic_friction"),
            ("restitution", "restitution"),
        )
    ),
    *(
        Attribute(
            f"physxMaterial:{name}CombineMode",
            f"{name}_combine",
            CombineMode.AVERAGE,
            tokens={mode.name.lower(): mode for mode in CombineMode},
            unused=NO_CONTACT,
        )
        for name in ("friction", "restitution", "damping")
    ),
    *(
        Attribute(
            f"physxMaterial:compliantContact{name}", field, 0.0, unit, rule="magnitude", gain=True, unused=NO_CONTACT
        )
        for name, field, unit in (("Stiffness", "stiffness", PER_LENGTH), ("Damping", "damping", PER_SPEED))
    ),
    Attribute(SPRING, "acceleration_spring", False, ONE, unused=NO_CONTACT),
)

BODY_CONTACT = (
    Attribute(
        "physxRigidBody:maxContactImpulse",
        "max_contact_impulse",
        inf,
        IMPULSE,
        rule="nonnegative",
        unused=NO_CONTACT,
    ),
    Attribute(
        "physxRigidBody:maxDepenetrationVelocity",
        "max_depenetration_velocity",
        3.0,
        SPEED,
        rule="nonnegative",
        unused=NO_CONTACT,
    ),
    Attribute(
        "physxRigidBody:contactSlopCoefficient", "contact_slop", 0.0, LENGTH, rule="magnitude", unused=NO_CONTACT
    ),
)
BODY_COLLIDERS = (Attribute("physxRigidBody:solveContact", "solve_contacts", True, unused=NO_CONTACT),)
SELF_COLLISION = (
    Attribute("physxArticulation:enabledSelfCollisions", "self_collisions", True, unused=NO_CONTACT),
    Attribute("newton:selfCollisionEnabled", "self_collisions", True, unused=NO_CONTACT),
)
JOINT_CONTACT = (Attribute("physics:collisionEnabled", "collision_enabled", False, unused=NO_CONTACT),)
