"""Rules on what is wrong before anything moves: overlaps, joint frames, articulation roots and missing colliders."""

from .finding import Rule, Severity

AT_START = (
    Rule(
        "articulation-missing",
        Severity.WARNING,
        "Driven joints should belong to an articulation; other joints are constraints between free bodies.",
        "apply PhysicsArticulationRootAPI to a prim above the bodies, or to the joint that fixes the base",
    ),
    Rule(
        "joint-frames-apart",
        Severity.WARNING,
        "The two frames of a joint must meet where its bodies stand.",
        "correct physics:localPos0 and localPos1, localRot0 and localRot1, or the places of the bodies",
    ),
    Rule(
        "overlap-at-start",
        Severity.WARNING,
        "Bodies that may touch must not overlap at the start: contacts push them apart.",
        "move them apart, or filter the pair",
    ),
    Rule(
        "starts-in-ground",
        Severity.WARNING,
        "A body must not begin inside a plane or a mesh of the world: contacts throw it out.",
        "raise it",
    ),
    Rule(
        "falls-through",
        Severity.WARNING,
        "A free body above a plane must have a collider.",
        "apply PhysicsCollisionAPI to its shapes",
    ),
)
