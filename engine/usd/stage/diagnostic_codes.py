"""Codes of the reader's diagnostics: one row per kind, with the message and the fix that it prints.

Code and tests identify a diagnostic by its code; the wording may change. Words in braces are completed per diagnostic;
`related` is the other prim, schema, attribute or degree of freedom that the message is about.
"""

from dataclasses import dataclass
from typing import Any

from .missing_codes import MISSING


@dataclass(frozen=True)
class DiagnosticCode:
    """A kind of diagnostic: why an authored opinion is ignored, or used otherwise than authored."""

    message: str
    fix: str = ""
    harmless: bool = False  # True if the motion is the same without the opinion
    missing: bool = False  # True if PhysX's motion depends on the opinion, and fajin does not simulate it


class Reason:
    """A code with the words that complete its message and its fix."""

    def __init__(self, code: str, **words: Any):
        row = CODES[code]
        self.code, self.related, self.words = code, str(words.get("related", "")), tuple(words.values())
        self.message, self.fix = row.message.format(**words), row.fix.format(**words)


NO_TENSOR = "treated as not authored, as in PhysX, which does not read tensors"
TENSOR_FIX = "author a physically possible tensor"
MIMIC = "mimic joint dropped: "
NAME_JOINT = "name a joint of the articulation"
THREE_MOMENTS = "author three positive moments"
CODES = {
    # the stage
    "usd-message": DiagnosticCode("{text}"),
    "unit-not-authored": DiagnosticCode("not authored: USD's fallback is used"),
    "scene-not-authored": DiagnosticCode(
        "not authored: gravity 9.81 m/s² along the stage's up axis, 60 Hz, TGS", harmless=True
    ),
    "gravity-direction": DiagnosticCode(
        "not of length 1: only its direction counts, as UsdPhysics says, where PhysX makes gravity {length:.3g} times "
        "as strong",
        "author a unit vector",
    ),
    "nothing-moves": DiagnosticCode(
        "no rigid body can move: nothing moves{missing}", "apply PhysicsRigidBodyAPI to a prim that is not kinematic"
    ),
    "iterations-out-of-bounds": DiagnosticCode("must be {least} to {most}: {used} is used"),
    # actuators
    "actuator-as-drive": DiagnosticCode(
        "Newton's PD actuator, which PhysX does not read: simulated as an implicit drive with its gains"
    ),
    "actuator-explicit": DiagnosticCode(
        "Newton's actuator with {what}, which PhysX does not read: its effort is computed at the start of each step, "
        "as in Newton"
    ),
    "actuator-clamp-order": DiagnosticCode(
        "clamps the effort in the order {given} in Newton, and {used} here: it differs where bounds exclude each other",
        "apply the schemas in the order {used}",
    ),
    # attributes
    "unknown-attribute": DiagnosticCode("not a known attribute of UsdPhysics, PhysX or Newton", "{hint}"),
    "unknown-schema": DiagnosticCode("not a known API schema of UsdPhysics, PhysX or Newton: has no effect", "{hint}"),
    "unknown-type": DiagnosticCode("not a known type of prim: has no effect", "{hint}"),
    "target-missing": DiagnosticCode("names {related}, which does not exist", "{hint}"),
    "wrong-type": DiagnosticCode("must be {kind}: treated as not authored"),
    "not-a-relationship": DiagnosticCode(
        "must be a relationship, but is an attribute", "author rel {related} = </path>"
    ),
    "not-an-attribute": DiagnosticCode("must be an attribute, but is a relationship: treated as not authored"),
    "schema-not-applied": DiagnosticCode("has no effect before {related} is applied to the prim"),
    "retired-name": DiagnosticCode("PhysX has retired this name and ignores it", "author {related}"),
    "overridden": DiagnosticCode("another attribute of the same meaning takes precedence", harmless=True),
    "wrong-prim": DiagnosticCode("does not apply to a prim of this kind"),
    "no-such-axis": DiagnosticCode("the joint does not have this axis, or not one that accepts {related}", "{hint}"),
    "several-targets": DiagnosticCode("names several prims: the first is used, as in PhysX"),
    "time-samples-default": DiagnosticCode(
        "time samples of this attribute are ignored: its default value is used, as in PhysX"
    ),
    "time-samples-ignored": DiagnosticCode("time samples of this attribute are ignored: its value at time 0 is used"),
    "no-effect-here": DiagnosticCode("has no effect here, as in PhysX: {why}", harmless=True),
    "not-read": DiagnosticCode("PhysX does not read it", harmless=True),
    "output-only": DiagnosticCode("only what PhysX reports depends on it, not the motion", harmless=True),
    "newton-only": DiagnosticCode("only Newton's own solvers read it; PhysX does not", harmless=True),
    "engine-internal": DiagnosticCode(
        "PhysX's internal organisation, without effect on the motion here", harmless=True
    ),
    "other-tool": DiagnosticCode("describes how another tool made or simulates the file", harmless=True),
    "mujoco-only": DiagnosticCode("only MuJoCo's motion depends on it", "author a drive, friction or a tendon instead"),
    # contacts
    "contact-attribute": DiagnosticCode("contacts here do not depend on it", harmless=True),
    "collider-moves": DiagnosticCode(
        "time samples of {related} move it, but its body is disabled or held by a joint: it keeps its pose at time 0"
    ),
    "collider-not-a-child": DiagnosticCode(
        "shapes below it that are not its children do not collide, as in PhysX: {count}",
        "apply PhysicsCollisionAPI to them",
    ),
    "several-groups": DiagnosticCode(
        "in several collision groups: only {related} counts, the first by path, as in PhysX", "keep it in one"
    ),
    "contacts-not-solved": DiagnosticCode("contacts do not act on it, as in PhysX: its shapes are not solid"),
    "trigger": DiagnosticCode("a trigger is not solid, as in PhysX; fajin.TriggerEvents lists what is within it"),
    "trigger-is-mesh": DiagnosticCode("a triangle mesh cannot be a trigger: it is solid, as in PhysX"),
    "shape-unknown": DiagnosticCode("contacts of a {kind} are unknown: it does not collide"),
    "shape-without-size": DiagnosticCode("a {kind} whose size is not above 0 and finite: it does not collide"),
    "hull-without-volume": DiagnosticCode("the points do not span a volume: the mesh does not collide"),
    "hull-reduced": DiagnosticCode(
        "hull reduced to at most {limit} vertices, 64 faces and 31 corners of a face, as PhysX reduces it",
        "author several meshes if contacts need more",
    ),
    "hull-of-parts": DiagnosticCode(
        "each connected part of the mesh collides as its convex hull, where PhysX fills it with spheres, or cuts it "
        "into more parts than fajin does",
        "author convexDecomposition, or a larger physxConvexDecompositionCollision:errorPercentage",
    ),
    "mesh-too-large": DiagnosticCode("a mesh of {count:,} triangles, more than {most:,}: it does not collide"),
    # articulations
    "root-claims-nothing": DiagnosticCode("does not claim a body, or only bodies of another root"),
    "root-below-root": DiagnosticCode(
        "PhysX ignores an articulation root below another root, {related}", "keep one of them"
    ),
    "loop-not-excluded": DiagnosticCode(
        "the joint closes a loop of an articulation: simulated as a constraint beside the tree, where PhysX drops it",
        "author true",
    ),
    "base-offset": DiagnosticCode(
        "the base keeps the pose of its prim, as in PhysX; the joint is {distance:.3g} m and {angle:.3g} degrees off"
    ),
    "base-moves": DiagnosticCode(
        "the joint moves the robot's first body in the world, where PhysX holds that body still",
        "fix a body without colliders to the world, and join it to this one",
    ),
    "articulation-iterations": DiagnosticCode(
        "an articulation's iterations are physxArticulation:solverPositionIterationCount", harmless=True
    ),
    "free-body-iterations": DiagnosticCode("iterations of free bodies; an articulation has its own", harmless=True),
    "free-body-sleep-threshold": DiagnosticCode(
        "of free bodies; an articulation has its own, physxArticulation:sleepThreshold"
    ),
    "articulation-starts-awake": DiagnosticCode("an articulation starts awake, as in PhysX"),
    # bodies
    "body-does-not-move": DiagnosticCode(
        "a disabled or kinematic body does not move: treated as part of the world", harmless=True
    ),
    "locks-of-free-bodies": DiagnosticCode("only a free body obeys locked axes, as in PhysX", harmless=True),
    "force-without-body": DiagnosticCode(
        "no body that moves is at or above the prim: the force does not act", harmless=True
    ),
    "gear-in-articulation": DiagnosticCode(
        "an articulation cannot contain a gear joint: as in PhysX, it does not act", "author true"
    ),
    "joint-between-scenes": DiagnosticCode(
        "two physics scenes simulate its bodies: as in PhysX, it does not act", "author one physics:simulationOwner"
    ),
    "subset-border": DiagnosticCode(
        "parts of the mesh have physics materials of their own: each collides as a mesh, so that a body across their "
        "border moves otherwise than in PhysX"
    ),
    "gyroscopic-on-links": DiagnosticCode("gyroscopic forces always act on links, as in PhysX", harmless=True),
    "velocity-of-link": DiagnosticCode(
        "only a free body or a floating root has an initial velocity", "apply PhysicsJointStateAPI to joints"
    ),
    "retained-accelerations": DiagnosticCode("a force on a link lasts until it is set again", harmless=True),
    # mass
    "mass-missing": DiagnosticCode(
        "neither authored nor defined by colliders: {mass:g} kg is used, as in PhysX", "author physics:mass"
    ),
    "inertia-missing": DiagnosticCode(
        "neither authored nor defined by colliders: that of a {radius} m sphere is used, as in PhysX"
    ),
    "inertia-of-triggers": DiagnosticCode(
        "neither authored nor defined by solid shapes: 1 stage unit is used for all moments of a body with triggers, "
        "as in PhysX",
        THREE_MOMENTS,
    ),
    "axes-not-authored": DiagnosticCode("not authored: {whose}", "author them"),
    "moment-zero": DiagnosticCode("a principal moment is 0: 1 stage unit is used for all, as in PhysX", THREE_MOMENTS),
    "moments-not-positive": DiagnosticCode("no moment is above 0: treated as not authored, as in PhysX", THREE_MOMENTS),
    "moment-negative": DiagnosticCode("negative moments count as positive, as in PhysX"),
    "collider-moment-negative": DiagnosticCode(
        "a negative moment is added with its sign; a negative sum loses its sign, as in PhysX"
    ),
    "tensor-wrong-size": DiagnosticCode(
        "it does not contain the six numbers Ixx, Iyy, Izz, Ixy, Ixz, Iyz: " + NO_TENSOR, TENSOR_FIX
    ),
    "tensor-not-finite": DiagnosticCode("it is not finite: " + NO_TENSOR, TENSOR_FIX),
    "tensor-not-physical": DiagnosticCode("not all of its principal moments are positive: " + NO_TENSOR, TENSOR_FIX),
    "tensor-differs": DiagnosticCode(
        "differs from physics:diagonalInertia, which takes precedence, as in PhysX", "author equal inertias"
    ),
    "tensor-overridden": DiagnosticCode("physics:diagonalInertia takes precedence", harmless=True),
    "mass-not-used": DiagnosticCode(
        "the body or collider does not move, or the collider's body authors mass, centre and moments itself",
        harmless=True,
    ),
    "shape-along-x": DiagnosticCode(
        "used along the axes of PhysX's shape, whose x is the axis of the prim", "author a shape along x"
    ),
    "axes-without-moments": DiagnosticCode(
        "has no effect without physics:diagonalInertia on the collider itself, as in PhysX", "author both"
    ),
    "axes-one-sided": DiagnosticCode("the moments are about these axes, PhysX rotates only one side of the tensor"),
    "volume-unknown": DiagnosticCode("the volume of a {kind} is unknown: its mass is 0"),
    "volume-zero": DiagnosticCode("a {kind} without volume: its mass is 0"),
    "mesh-points-not-finite": DiagnosticCode("not all are finite; the mass of the mesh is 0"),
    "mesh-counts": DiagnosticCode(
        "must be 0 or more and add up to the {most} faceVertexIndices; the mass of the mesh is 0"
    ),
    "mesh-indices": DiagnosticCode("must be 0 to {last}: the mesh has {points} points; the mass of the mesh is 0"),
    # joints
    "joint-disabled": DiagnosticCode("a disabled joint has no effect", harmless=True),
    "joint-to-nowhere": DiagnosticCode("joins two prims that do not move: neither is a rigid body or inside one"),
    "joint-of-fixed-bodies": DiagnosticCode(
        "joins two bodies that do not move (fixed bases or the world): has no effect"
    ),
    "joint-doubled": DiagnosticCode("moves its bodies as {related} does: has no effect, as in PhysX"),
    "joint-beside-fixed": DiagnosticCode("joins bodies that {related} holds together: has no effect, as in PhysX"),
    "joint-does-not-break": DiagnosticCode("articulated joints do not break"),
    "joints-add-up": DiagnosticCode("joints between one pair of bodies always add up to one joint here", harmless=True),
    "of-trees": DiagnosticCode("it acts only on joints of an articulation's tree, as in PhysX"),
    # limits
    "limit-one-sided": DiagnosticCode("one finite limit locks the joint at 0, as in PhysX", "author both limits"),
    "limit-reversed": DiagnosticCode("a lower limit above the upper one locks the joint at 0", "exchange them"),
    "limit-too-far": DiagnosticCode(
        "a limit beyond 180 degrees locks this axis at 0, as in PhysX", "author -180 to 180, or no limits"
    ),
    "limit-unreachable": DiagnosticCode(
        "limits that are both +inf or both -inf have no effect", "author finite ones, or -inf and inf"
    ),
    "cone-one-sided": DiagnosticCode("a limit acts only if both sides are finite"),
    "limit-hard": DiagnosticCode("limits of articulated joints are hard, as in PhysX"),
    "limit-not-there": DiagnosticCode("the joint does not have this axis, or the axis has no limit"),
    "maximal-limit-reversed": DiagnosticCode(
        "PhysX refuses a lower limit above the upper one: {instead} used", "exchange them"
    ),
    "maximal-limit-too-far": DiagnosticCode(
        "a limited revolute joint outside a tree turns by at most 180 degrees to either side, as in PhysX"
    ),
    "maximal-cone": DiagnosticCode(
        "a cone acts only with both angles above 0 and below 180 degrees, as in PhysX", "author such angles"
    ),
    "maximal-swing-limits": DiagnosticCode(
        "limits on rotY and rotZ act only if both are limited or the other is locked, and all lie within ±180 "
        "degrees, as in PhysX",
        "limit both, from both sides",
    ),
    "maximal-swing-springs": DiagnosticCode(
        "limits on rotY and rotZ both use {related}, as in PhysX", "author equal values"
    ),
    "distance-unbounded": DiagnosticCode("both negative: the joint has no effect"),
    "distance-spring-off": DiagnosticCode("has no effect before {related} = 1 is authored"),
    # friction and drives
    "friction-exchanged": DiagnosticCode(
        "above staticFrictionEffort: all friction is 0, also viscous friction, as in PhysX", "raise the static one"
    ),
    "target-beyond-turn": DiagnosticCode(
        "beyond a turn on a revolute joint without limits; the remainder after full turns is used"
    ),
    "target-beyond-half-turn": DiagnosticCode("beyond 180 degrees on a D6 joint: 0 is used, as in PhysX"),
    "envelope-without-drive": DiagnosticCode("an envelope bounds the drive of its axis, but there is no drive"),
    # mimic joints
    "mimic-not-applied": DiagnosticCode("has no effect before {related} is applied to the joint"),
    "mimic-of-fixed-joint": DiagnosticCode("a fixed joint does not follow another joint", harmless=True),
    "mimic-disabled": DiagnosticCode("newton:mimicEnabled disables the mimic joint"),
    "mimic-overridden": DiagnosticCode("{related} takes precedence"),
    "mimic-dropped-unknown-axis": DiagnosticCode(MIMIC + "the schema has no {what}", "author rotX, rotY or rotZ"),
    "mimic-dropped-counts": DiagnosticCode(
        MIMIC + "it has {references} references, {gearings} gearings and {axes} axes",
        "author a gearing for each reference, and an axis for each or none",
    ),
    "mimic-dropped-gearing-zero": DiagnosticCode(MIMIC + "its gearing is 0", "author another number"),
    "mimic-dropped-bound-twice": DiagnosticCode(
        MIMIC + "{dof} already follows {related}", "remove one of the two mimic joints"
    ),
    "mimic-dropped-reference-count": DiagnosticCode(MIMIC + "it names {count} joints", "name {wanted}"),
    "mimic-dropped-reference-missing": DiagnosticCode(
        MIMIC + "{related} does not exist", "name a joint of the articulation"
    ),
    "mimic-dropped-reference-kind": DiagnosticCode(MIMIC + "{related} is not a joint but a {kind}", NAME_JOINT),
    "mimic-dropped-reference-outside": DiagnosticCode(
        MIMIC + "{related} is not in its articulation, or is excluded from it", "name a joint that is"
    ),
    "mimic-dropped-free-translations": DiagnosticCode(
        MIMIC + "{related} has free translations", "lock them by PhysicsLimitAPI"
    ),
    "mimic-dropped-axis": DiagnosticCode(MIMIC + "{related} {lacks}", "{mend}"),
    "mimic-without-limits": DiagnosticCode(
        MIMIC + "the rotation {related} does not have two finite limits", "author both"
    ),
    "mimic-dropped-of-itself": DiagnosticCode(MIMIC + "{related} follows itself", "name another degree of freedom"),
    # tendons
    "tendon-not-used": DiagnosticCode("no tendon uses it from this prim"),
    "tendon-disabled": DiagnosticCode("the tendon is disabled"),
    "tendon-joint": DiagnosticCode("tendons run over revolute and prismatic joints only, as in PhysX"),
    "tendon-first-number": DiagnosticCode("only the first number is used on a joint with one axis"),
    "tendon-gap": DiagnosticCode(
        "the tendon does not reach this joint from its root joint by joint: dropped, as in PhysX"
    ),
    "tendon-without-limits": DiagnosticCode("has no effect without physxTendon:<tendon>:lowerLimit or upperLimit"),
    "tendon-disabled-articulation": DiagnosticCode("the prim is not a {kind}: an articulation is disabled"),
    "attachment-overridden": DiagnosticCode("{related} takes precedence, as in PhysX", "remove one of the two schemas"),
    "attachment-without-leaf": DiagnosticCode("no {related} follows this attachment: it has no effect"),
    "attachment-root-gearing": DiagnosticCode(
        "the gearing of a root has no effect, as in PhysX", "author it on the following attachments", harmless=True
    ),
    "attachment-axes": DiagnosticCode(
        "used along the axes of the link, where PhysX computes principal axes", "author principalAxes"
    ),
}
CODES |= {code: DiagnosticCode(message, fix, missing=True) for code, (message, fix) in MISSING.items()}
