"""Rules on colliders, their materials and their shapes."""

from .finding import Rule, Severity

OF_CONTACTS = (
    Rule(
        "robot-without-colliders",
        Severity.WARNING,
        "A robot in a scene with a plane must have a collider to stand on it.",
        "apply PhysicsCollisionAPI to the shapes of its links",
    ),
    Rule(
        "collider-without-body",
        Severity.WARNING,
        "A collider below an articulation's root must be part of a body.",
        "apply PhysicsRigidBodyAPI to its link, or move the collider out of the robot",
    ),
    Rule(
        "contact-offset-too-small",
        Severity.WARNING,
        "A contact offset must be above the rest offset.",
        "author a larger contactOffset, or remove it for PhysX's default",
    ),
    Rule(
        "material-without-friction",
        Severity.WARNING,
        "A physics material of a collider should author its friction; the default is 0.",
        "author physics:staticFriction and physics:dynamicFriction",
    ),
    Rule(
        "uneven-scale",
        Severity.WARNING,
        "A sphere, capsule, cylinder or cone must have equal scales where it is round.",
        "scale it evenly, or use a mesh",
    ),
    Rule(
        "shape-not-used",
        Severity.WARNING,
        "A collider must have a shape that can collide.",
        "author positive sizes, and a mesh with a volume",
    ),
    Rule(
        "hull-cut",
        Severity.NOTE,
        "The hull of a mesh should have at most 64 faces, 31 corners of a face, and hullVertexLimit vertices.",
        "author several meshes if contacts need more",
    ),
)
