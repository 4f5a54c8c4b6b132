"""Table of rules in the order of display and fixes: rules that affect later rules come first."""

from typing import Any

from ..author.change import format_value
from .finding import Edit, Finding, Rule, Severity
from .rules_at_start import AT_START
from .rules_of_contacts import OF_CONTACTS

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE

TABLE = (
    Rule(
        "invalid-value",
        ERROR,
        "Attribute values must obey their rule: finite, positive, or one of the allowed tokens.",
        "author a valid value, or remove the attribute",
    ),
    Rule(
        "joint-to-nowhere",
        ERROR,
        "A joint must join two different rigid bodies, or a body and the world.",
        "name a rigid body, leave body0 or body1 empty for the world, or disable the joint",
    ),
    Rule("invalid-scene", ERROR, "The scene must be fit for simulation.", "correct the value in the message"),
    Rule(
        "override-in-instance",
        WARNING,
        "Prims below an instance must not have opinions: USD ignores them.",
        "author instanceable = false on the instance, or edit its prototype",
    ),
    Rule(
        "stage-units",
        WARNING,
        "The stage should author its length unit and up axis; USD's fallbacks are 0.01 m and Y.",
        "author metersPerUnit and upAxis",
    ),
    Rule(
        "unknown-name",
        WARNING,
        "Attributes, schemas and types of prims must have names of UsdPhysics, PhysX or Newton; others are ignored.",
        "correct the name",
    ),
    Rule(
        "schema-missing",
        WARNING,
        "The API schema of an attribute must be applied; otherwise PhysX ignores the attribute.",
        "apply the schema",
    ),
    Rule(
        "gravity-unit",
        WARNING,
        "Gravity must be in stage units per second squared: 9.81 in metres, 981 in centimetres.",
        "author it in stage units, or remove it for 9.81 m/s²",
    ),
    Rule(
        "limit-unit",
        WARNING,
        "Limits of rotations must be in degrees.",
        "author the limits in degrees",
    ),
    Rule(
        "gain-unit",
        WARNING,
        "Gains of rotations must be per degree, in units of the stage: where these are m and kg, 57.3 N·m/rad is 1.",
        "convert gains in N·m/rad once, as `fajin author drive` does",
    ),
    Rule(
        "velocity-unit",
        WARNING,
        "Speed limits of rotations must be in degrees per second.",
        "author the speed limits in degrees per second",
    ),
    Rule(
        "root-on-wrong-prim",
        WARNING,
        "The articulation root must be on the joint that fixes the base, on a floating root body, or above them.",
        "move PhysicsArticulationRootAPI there",
    ),
    Rule(
        "loop-not-excluded",
        WARNING,
        "A joint that closes a loop must be excluded from the articulation.",
        "author physics:excludeFromArticulation = true",
    ),
    Rule(
        "doubled-joint",
        WARNING,
        "Joints between the same two bodies must have independent axes.",
        "remove one of them, or rotate its axis",
    ),
    Rule(
        "mass-missing",
        WARNING,
        "A body must have an authored mass or colliders that define its mass.",
        "author physics:mass and physics:diagonalInertia",
    ),
    Rule(
        "inertia-not-physical",
        WARNING,
        "Principal moments of inertia must be positive, and none larger than the sum of the other two.",
        "author physically possible moments",
    ),
    Rule(
        "mimic-without-limits",
        WARNING,
        "Rotations in a mimic joint must have two finite limits; otherwise PhysX drops the mimic joint.",
        "author both limits",
    ),
    Rule(
        "mimic-relates-nothing",
        WARNING,
        "A mimic joint must relate two degrees of freedom of one articulation; otherwise PhysX drops it.",
        "name a joint and its axis, or remove the schema",
    ),
    Rule(
        "limit-locks-joint",
        WARNING,
        "Limits must be finite, and the lower limit must not be above the upper limit.",
        "author both limits, lower first",
    ),
    Rule(
        "speed-limit-of-zero",
        WARNING,
        "A speed limit must be above 0; a limit of 0 locks the joint at its initial position.",
        "author a limit above 0, or remove it",
    ),
    Rule(
        "state-outside-limits",
        WARNING,
        "A joint must start within its limits.",
        "author a position within the limits with PhysicsJointStateAPI",
    ),
    Rule(
        "target-outside-limits",
        WARNING,
        "The target of a drive must be within the limits of its joint.",
        "author a target within the limits",
    ),
    Rule(
        "retired-attribute",
        WARNING,
        "An attribute must have its current name; PhysX ignores retired names.",
        "author the current name",
    ),
    Rule(
        "envelope-without-drive",
        WARNING,
        "A performance envelope needs a drive with a maximum force.",
        "author the drive's maximum force with `fajin author envelope`",
    ),
    Rule(
        "drive-without-max-force",
        WARNING,
        "A drive should have a maximum force; its default is infinite.",
        "author the motor's largest effort as maxForce",
    ),
    Rule(
        "drive-without-force",
        WARNING,
        "A drive with gains must have a maximum force above 0.",
        "author a maxForce above 0, or remove the drive",
    ),
    Rule(
        "drive-without-limits",
        NOTE,
        "A joint with a position drive should have limits, unless it may turn for ever.",
        "author the limits of the joint, if there are any",
    ),
    Rule(
        "time-step-too-long",
        WARNING,
        "A substep δ should resolve each drive: ω δ ≤ 2. Longer substeps are stable, but ζ grows by ω δ / 2.",
        "author a higher physxScene:timeStepsPerSecond or a lower stiffness",
    ),
    Rule(
        "fit-at-another-step",
        WARNING,
        "Fitted values must be used at the step, solver and iterations of their fit.",
        "simulate with those of the fit, or fit again",
    ),
    Rule(
        "reversed-joint",
        NOTE,
        "body0 of a joint should be the body nearer to the root.",
        "none required; note the sign of positions, targets and limits",
    ),
    *AT_START,
    *OF_CONTACTS,
    Rule(
        "not-simulated",
        WARNING,
        "A file should not rely on what PhysX simulates and fajin does not, or not yet.",
        "expect another motion than PhysX's",
    ),
    Rule(
        "unused-attribute",
        WARNING,
        "Authored attributes should have an effect.",
        "none required if nothing else was intended",
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
    fix: str = "",
    severity: Severity | None = None,
    code: str = "",
) -> Finding:
    """Return a finding of a rule in the table, with the rule's severity and fix as defaults."""
    law = RULES[rule]
    text = format_value(value), message, fix or law.fix
    return Finding(rule, severity or law.severity, prim, attribute, *text, code, edits)
