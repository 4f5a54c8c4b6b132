"""The table of rules, in the order in which they are shown and mended: what makes others wrong comes first."""

from typing import Any

from ..author.change import format_value
from .finding import Edit, Finding, Rule, Severity

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE

TABLE = (
    Rule(
        "invalid-value",
        ERROR,
        "A value obeys the rule of its attribute: finite, positive, or one of its tokens.",
        "author such a value, or remove the attribute",
    ),
    Rule(
        "joint-to-nowhere",
        ERROR,
        "A joint joins two different rigid bodies, or one and the world.",
        "name a rigid body, leave one of the two empty for the world, or disable the joint",
    ),
    Rule("invalid-scene", ERROR, "The scene can be read and simulated.", "mend what the message names"),
    Rule(
        "override-in-instance",
        WARNING,
        "Nothing is authored below an instance: USD ignores it.",
        "author instanceable = false on the instance, or author its prototype",
    ),
    Rule(
        "stage-units",
        WARNING,
        "The stage says how long its unit is and which axis is up; USD's fallbacks are 0.01 m and Y.",
        "author metersPerUnit and upAxis",
    ),
    Rule(
        "schema-missing",
        WARNING,
        "The API schema that an attribute belongs to is applied; without it PhysX ignores the attribute.",
        "apply the schema, or remove the attribute",
    ),
    Rule(
        "gravity-unit",
        WARNING,
        "Gravity is in stage units per second squared: 9.81 in metres, 981 in centimetres.",
        "author it in the unit of the stage, or leave it out for 9.81 m/s²",
    ),
    Rule(
        "limit-unit",
        WARNING,
        "Limits of rotations are in degrees.",
        "author the limits in degrees",
    ),
    Rule(
        "gain-unit",
        WARNING,
        "Gains of rotations are per degree: one of 57.3 N·m/rad is 1 in the file.",
        "divide gains in N·m/rad by 57.3 once, as `fajin author drive` does",
    ),
    Rule(
        "velocity-unit",
        WARNING,
        "Speed limits of rotations are in degrees per second.",
        "author the speed limits in degrees per second",
    ),
    Rule(
        "root-on-wrong-prim",
        WARNING,
        "The articulation root is on the joint that fixes the base, on the root body of a floating one, or above them.",
        "move PhysicsArticulationRootAPI there",
    ),
    Rule(
        "loop-not-excluded",
        WARNING,
        "A joint that closes a loop is excluded from the articulation.",
        "author physics:excludeFromArticulation = true",
    ),
    Rule(
        "doubled-joint",
        WARNING,
        "Joints between one pair of bodies move it each in a way of its own.",
        "remove one of them, or turn its axis",
    ),
    Rule(
        "mass-missing",
        WARNING,
        "A body says its mass, or has colliders that tell it.",
        "author physics:mass and physics:diagonalInertia",
    ),
    Rule(
        "inertia-not-physical",
        WARNING,
        "Principal moments of inertia are positive, and none is larger than the sum of the other two.",
        "author moments that a body can have",
    ),
    Rule(
        "mimic-without-limits",
        WARNING,
        "A rotation that mimics or is mimicked has two finite limits; without them PhysX drops the mimic joint.",
        "author both limits",
    ),
    Rule(
        "mimic-relates-nothing",
        WARNING,
        "A mimic joint relates two degrees of freedom of one articulation; PhysX drops one that does not.",
        "name a joint and its axis, or take the schema away",
    ),
    Rule(
        "limit-locks-joint",
        WARNING,
        "Limits leave a range: both are finite, and the lower is not above the upper.",
        "author both limits, the lower one first",
    ),
    Rule(
        "speed-limit-of-zero",
        WARNING,
        "A speed limit lets a joint move; one of 0 holds it where it starts.",
        "author a limit above 0, or remove it",
    ),
    Rule(
        "state-outside-limits",
        WARNING,
        "A joint starts within its limits.",
        "author a position within them with PhysicsJointStateAPI",
    ),
    Rule(
        "target-outside-limits",
        WARNING,
        "A drive aims within the limits of its joint.",
        "author a target within them",
    ),
    Rule(
        "retired-attribute",
        WARNING,
        "An attribute bears its present name; PhysX ignores the retired one.",
        "author the present name",
    ),
    Rule(
        "envelope-without-drive",
        WARNING,
        "A performance envelope belongs to a drive with a maximum force.",
        "give the drive its maximum force with `fajin author envelope`",
    ),
    Rule(
        "drive-without-max-force",
        WARNING,
        "A drive has a maximum force; without one it is infinitely strong.",
        "author the motor's largest effort as maxForce",
    ),
    Rule(
        "drive-without-force",
        WARNING,
        "A drive that has gains may use force.",
        "author a maxForce above 0, or take the drive away",
    ),
    Rule(
        "drive-without-limits",
        NOTE,
        "A joint that is driven to a position has limits, unless it may turn for ever.",
        "author the limits of the joint, if it has some",
    ),
    Rule(
        "time-step-too-long",
        WARNING,
        "A step resolves a drive: ω h ≤ 2. It is stable beyond, but damped by a ratio of ω h / 2 more than it says.",
        "author a higher physxScene:timeStepsPerSecond or a lower stiffness",
    ),
    Rule(
        "reversed-joint",
        NOTE,
        "body0 of a joint is the body nearer to the root.",
        "nothing; mind the sign of positions, targets and limits",
    ),
    Rule(
        "contacts",
        WARNING,
        "Nothing has to touch: contacts are not simulated yet.",
        "expect bodies to pass through each other, or disable the colliders",
    ),
    Rule(
        "unused-attribute",
        WARNING,
        "What is authored is used.",
        "remove it, or author what the message names",
    ),
)
RULES = {rule.id: rule for rule in TABLE}
ORDER = {id: place for place, id in enumerate(RULES)}


def found(
    rule: str,
    prim: str,
    attribute: str,
    message: str,
    *,
    value: Any = "",
    edits: tuple[Edit, ...] = (),
    mend: str = "",
    severity: Severity | None = None,
) -> Finding:
    """A finding of a rule of the table, with the rule's severity and mend where no other is given."""
    law = RULES[rule]
    return Finding(
        rule, severity or law.severity, prim, attribute, format_value(value), message, mend or law.mend, edits
    )
