"""Dispositions of names that no installed schema lists: retired ones, and those of other tools, by pattern."""

from .disposition import Schema, rows

FOREIGN, MUJOCO = "other-tool", "mujoco-only"
FREE = Schema(  # of no schema
    "",
    (
        *rows("not-read", "physxConvexGeometry:margin physxCollision:customGeometry"),
        *rows(FOREIGN, "physics:engine physics:JointEquivalentInertia"),
    ),
)
PATTERNS = {  # attribute name pattern: code of the reason why it is not used
    "physics:tensor:*": FOREIGN,
    "physics:newton:*": FOREIGN,
    "state:*:appliedForce": FOREIGN,
    **dict.fromkeys(
        ("mjc:stiffness", "mjc:springdamper", "mjc:damping", "mjc:frictionloss", "mjc:armature", "mjc:body:gravcomp"),
        MUJOCO,
    ),
    **dict.fromkeys(("mjc:option:density", "mjc:option:viscosity", "mjc:option:wind", "mjc:coef[234]"), MUJOCO),
    "mjc:*": FOREIGN,
    "urdf:limit:*": FOREIGN,
    "urdf:safety_controller:*": FOREIGN,
    "urdf:calibration:*": FOREIGN,
}
