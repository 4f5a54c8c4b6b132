"""Meaning of every attribute in the table, by section of the reference page that `attribute_page` writes."""

from dataclasses import dataclass, field

from . import body, contact, force, joint, mimic, scene, surface, tendon
from .attribute import Attribute


@dataclass(frozen=True)
class Section:
    """A section of the page: rows of the table, what each means, and relationships that belong to them."""

    title: str
    rows: tuple[Attribute, ...]
    meanings: dict[str, str]
    relationships: dict[str, str] = field(default_factory=dict)


ENDS_AT_MASS = "of a link or collider; if not authored, from the colliders"
AS_MANY = "all articulations and free bodies of a scene make as many as the one with the most"
SECTIONS = (
    Section(
        "Scene",
        scene.SCENE,
        {
            "physics:gravityDirection": "direction of gravity; if not authored, down the up axis",
            "physics:gravityMagnitude": "acceleration of gravity; if not authored, 9.81 m/s²",
            "newton:gravityEnabled": "whether gravity acts",
            "physxScene:timeStepsPerSecond": "steps per second, 1/h",
            "newton:timeStepsPerSecond": "steps per second, 1/h",
            "physxScene:solverType": "solver",
            "physxScene:enableExternalForcesEveryIteration": "whether gravity and effort act in each TGS substep",
            "physxScene:disableSleeping": "whether nothing falls asleep",
            "physxScene:enableCCD": "whether bodies with `physxRigidBody:enableCCD` are swept",
            "physxScene:invertCollisionGroupFilter": "whether collision groups collide only with those that they list",
            "physxScene:minPositionIterationCount": "lower bound of the number of position iterations",
            "physxScene:maxPositionIterationCount": "upper bound of the number of position iterations",
            "physxScene:minVelocityIterationCount": "lower bound of the number of velocity iterations",
            "physxScene:maxVelocityIterationCount": "upper bound of the number of velocity iterations",
            "fajinScene:duration": "length of the motion that `fajin simulate` writes",
            "fajinScene:framesPerSecond": "frames of that motion per second",
            "fajinScene:precision": "floating-point precision",
        },
    ),
    Section(
        "Articulations",
        scene.ARTICULATION,
        {
            "physxArticulation:articulationEnabled": "whether this root makes an articulation",
            "physxArticulation:solverPositionIterationCount": f"position iterations; {AS_MANY}",
            "physxArticulation:solverVelocityIterationCount": f"velocity iterations; {AS_MANY}",
            "physxArticulation:sleepThreshold": "energy per mass below which it [falls asleep](sleeping.md); "
            "if not authored, 0.005 m²/s², or 5e-5 length²/s² where PhysxArticulationAPI is applied",
        },
    ),
    Section(
        "Links and free bodies",
        (*body.BODY, *body.LINK, *body.ROOT_LINK),
        {
            "physics:rigidBodyEnabled": "whether the prim is a body",
            "physics:kinematicEnabled": "whether the body moves by its time samples, or is part of the world",
            "physxRigidBody:linearDamping": "force per mass and velocity",
            "physxRigidBody:angularDamping": "torque per inertia and angular velocity",
            "physxRigidBody:maxLinearVelocity": "largest speed of the centre of mass",
            "physxRigidBody:maxAngularVelocity": "largest angular speed",
            "physxRigidBody:disableGravity": "whether gravity leaves the body out",
            "physxRigidBody:cfmScale": "share of a link's unit response that softens the rows of its joint",
            "physics:velocity": "initial velocity of a floating base or free body, in world axes",
            "physics:angularVelocity": "initial angular velocity of a floating base or free body, in world axes",
        },
    ),
    Section(
        "Free bodies only",
        body.FREE_BODY,
        {
            "physxRigidBody:enableGyroscopicForces": "whether the gyroscopic torque acts; on links it always does",
            "physxRigidBody:lockedPosAxis": "world axes along which the body does not move: x 1, y 2, z 4, added up",
            "physxRigidBody:lockedRotAxis": "world axes about which the body does not turn: x 1, y 2, z 4, added up",
            "physxRigidBody:enableCCD": "whether the body stops where it first meets a shape in a step",
            "physxRigidBody:enableSpeculativeCCD": "whether contacts are found ahead, as far as the body may move",
            "physxRigidBody:solverPositionIterationCount": f"position iterations; {AS_MANY}",
            "physxRigidBody:solverVelocityIterationCount": f"velocity iterations; {AS_MANY}",
            "physxRigidBody:sleepThreshold": "energy per mass below which the body [falls asleep](sleeping.md)",
            "physics:startsAsleep": "whether the body sleeps from the start",
        },
    ),
    Section(
        "Forces on bodies",
        force.FORCES,
        {
            "physxForce:forceEnabled": "whether the force acts",
            "physxForce:mode": "force and torque, or acceleration: force per mass and torque per inertia",
            "physxForce:worldFrameEnabled": "whether force and torque have the axes of the world, else of the prim",
            "physxForce:force": "force at the body's centre of mass, or at the origin of a prim below the body",
            "physxForce:torque": "torque; in mode acceleration the angular acceleration",
        },
    ),
    Section(
        "Surface velocities of bodies",
        surface.SURFACE,
        {
            "physxSurfaceVelocity:surfaceVelocityEnabled": "whether the surface moves what touches it",
            "physxSurfaceVelocity:surfaceVelocityLocalSpace": "whether velocities have the axes of the prim, and the "
            "linear one its scale; else the axes of the world",
            "physxSurfaceVelocity:surfaceVelocity": "velocity of the surface",
            "physxSurfaceVelocity:surfaceAngularVelocity": "angular velocity of the surface, about the "
            "origin of the body at the start",
        },
    ),
    Section(
        "Mass",
        (*body.MASS_PROPERTIES, *body.INERTIA_TENSOR),
        {
            "physics:mass": f"mass {ENDS_AT_MASS}",
            "physics:density": f"density {ENDS_AT_MASS}",
            "physics:centerOfMass": f"centre of mass {ENDS_AT_MASS}",
            "physics:diagonalInertia": f"principal moments of inertia {ENDS_AT_MASS}",
            "physics:principalAxes": f"rotation of the principal axes {ENDS_AT_MASS}",
            "newton:inertia": "inertia tensor of a link, where the principal moments are not authored",
        },
    ),
    Section(
        "Materials",
        body.MATERIAL,
        {"physics:density": "density of the colliders that the physics material is bound to"},
    ),
    Section(
        "Joints",
        (*joint.JOINT, *joint.BREAK),
        {
            "physics:jointEnabled": "whether the joint is there",
            "physics:excludeFromArticulation": "whether the joint is a [maximal joint](architecture.md#seven-words)",
            "physics:axis": "axis of a revolute, prismatic or spherical joint",
            "physics:localPos0": "position of the joint's frame in body 0 [length]",
            "physics:localPos1": "position of the joint's frame in body 1 [length]",
            "physics:localRot0": "rotation of the joint's frame in body 0",
            "physics:localRot1": "rotation of the joint's frame in body 1",
            "physics:breakForce": "force above which a maximal joint breaks",
            "physics:breakTorque": "torque above which a maximal joint breaks",
        },
    ),
    Section(
        "Limits",
        (*joint.LIMIT, *joint.AXIS_LIMIT, *joint.CONE, *joint.LIMIT_SPRING),
        {
            "physics:lowerLimit": "lower limit of a revolute or prismatic joint",
            "physics:upperLimit": "upper limit of a revolute or prismatic joint",
            "limit:{axis}:physics:low": "lower limit of an axis of a D6 joint",
            "limit:{axis}:physics:high": "upper limit of an axis of a D6 joint",
            "physics:coneAngle0Limit": "swing limit of a spherical joint; negative for none",
            "physics:coneAngle1Limit": "swing limit of a spherical joint; negative for none",
            "physxLimit:{axis}:stiffness": "stiffness of a limit of a maximal joint, per radian; "
            "the limit is hard where stiffness and damping are both 0",
            "physxLimit:{axis}:damping": "damping of a limit of a maximal joint, per radian/s",
            "physxLimit:{axis}:restitution": "share of the speed with which a limit of a maximal joint bounces",
            "physxLimit:{axis}:bounceThreshold": "speed above which it bounces [rad/s]",
        },
    ),
    Section(
        "Drives",
        joint.DRIVE,
        {
            "drive:{axis}:physics:type": "whether gains give a force or an acceleration",
            "drive:{axis}:physics:stiffness": "drive gain, also as time samples",
            "drive:{axis}:physics:damping": "drive gain, also as time samples",
            "drive:{axis}:physics:maxForce": "bound on the sum of drive and user effort",
            "drive:{axis}:physics:targetPosition": "target position, also as time samples",
            "drive:{axis}:physics:targetVelocity": "target velocity, also as time samples",
        },
    ),
    Section(
        "Performance envelopes",
        joint.ENVELOPE,
        {
            "physxDrivePerformanceEnvelope:{axis}:maxActuatorVelocity": "motor speed without effort",
            "physxDrivePerformanceEnvelope:{axis}:velocityDependentResistance": "effort lost per speed",
            "physxDrivePerformanceEnvelope:{axis}:speedEffortGradient": "speed lost per effort",
        },
    ),
    Section(
        "Actuators",
        (*joint.ACTUATOR, *joint.ACTUATOR_LAW),
        {
            "newton:kp": "stiffness of an [actuator](motors.md#newtons-actuators), per radian",
            "newton:kd": "its damping, per radian/s",
            "newton:maxEffort": "bound on its effort",
            "newton:constEffort": "its effort without an error",
            "newton:ki": "integral gain of PID control",
            "newton:integralMax": "bound on the integral of the error",
            "newton:saturationEffort": "effort of its DC motor at rest",
            "newton:maxMotorEffort": "bound on the effort of its DC motor at any speed",
            "newton:velocityLimit": "speed at which its DC motor has no effort; on a joint, the velocity limit",
            "newton:lookupPositions": "positions of the points of a bound on its effort",
            "newton:lookupEfforts": "bound on its effort at these positions",
            "newton:delaySteps": "steps by which its commands are late",
        },
        {"newton:targets": "the joint that it drives"},
    ),
    Section(
        "Joint axes: armature, velocity limit, friction",
        (*joint.AXIS, *joint.FRICTION),
        {
            "physxJointAxis:{axis}:armature": "rotor inertia",
            "newton:armature": "rotor inertia",
            "physxJointAxis:{axis}:maxJointVelocity": "velocity limit",
            "newton:velocityLimit": "velocity limit",
            "physxJointAxis:{axis}:staticFrictionEffort": "dry friction up to which the axis sticks",
            "physxJointAxis:{axis}:dynamicFrictionEffort": "dry friction of a sliding axis",
            "newton:friction": "dry friction, static and dynamic",
            "physxJointAxis:{axis}:viscousFrictionCoefficient": "viscous friction",
            "newton:damping": "viscous friction",
        },
    ),
    Section(
        "Initial state",
        joint.STATE,
        {
            "state:{axis}:physics:position": "initial position",
            "state:{axis}:physics:velocity": "initial velocity",
        },
    ),
    Section(
        "Mimic joints",
        (*mimic.MIMIC, *mimic.MIMIC_OF_MANY, *mimic.NEWTON_MIMIC),
        {
            "physxMimicJoint:{axis}:gearing": "gearing in q + gearing q_reference + offset = 0; "
            "in the axis's unit per the reference's",
            "physxMimicJoint:{axis}:offset": "offset in that equation",
            "physxMimicJoint:{axis}:naturalFrequency": "natural frequency of a compliant mimic joint [rad/s]; "
            "hard where it or the damping ratio is 0",
            "physxMimicJoint:{axis}:dampingRatio": "damping ratio of a compliant mimic joint",
            "physxMimicJoint:{axis}:referenceJointAxis": "axis of the reference joint; counts on joints with several",
            "fajinMimic:{axis}:gearings": "gearings in q + Σ gearing q_reference + offset = 0, one per reference",
            "fajinMimic:{axis}:axes": "axes of the references; may be left out where each has one",
            "fajinMimic:{axis}:offset": "offset in that equation",
            "fajinMimic:{axis}:naturalFrequency": "natural frequency of a compliant mimic joint [rad/s]; "
            "hard where it or the damping ratio is 0",
            "fajinMimic:{axis}:dampingRatio": "damping ratio of a compliant mimic joint",
            "newton:mimicCoef1": "q = coef0 + coef1 q_reference: minus the gearing",
            "newton:mimicCoef0": "q = coef0 + coef1 q_reference: minus the offset",
            "newton:mimicEnabled": "whether the mimic joint acts",
        },
        {
            "physxMimicJoint:{axis}:referenceJoint": "the joint that is followed",
            "newton:mimicJoint": "the joint that is followed",
            "fajinMimic:{axis}:references": "the joints that are followed",
        },
    ),
    Section(
        "Distance joints",
        joint.DISTANCE,
        {
            "physics:minDistance": "lower bound; negative for none",
            "physics:maxDistance": "upper bound; negative for none",
            "physxPhysicsDistanceJoint:springEnabled": "whether the bounds are springs",
            "physxPhysicsDistanceJoint:springStiffness": "stiffness of these springs",
            "physxPhysicsDistanceJoint:springDamping": "damping of these springs",
        },
    ),
    Section(
        "Tendons",
        (*tendon.TENDON, *tendon.LENGTHS),
        {
            "physxTendon:{axis}:tendonEnabled": "whether the tendon is made",
            "physxTendon:{axis}:stiffness": "stiffness of a fixed or spatial tendon",
            "physxTendon:{axis}:damping": "damping of a fixed or spatial tendon",
            "physxTendon:{axis}:limitStiffness": "stiffness of its length limits",
            "physxTendon:{axis}:offset": "length that is added",
            "physxTendon:{axis}:restLength": "rest length of a fixed tendon or of a leaf; if not authored, "
            "0, of a leaf its length between the prims as they stand",
            "physxTendon:{axis}:lowerLimit": "lower length limit of a fixed tendon or of a leaf",
            "physxTendon:{axis}:upperLimit": "upper length limit of a fixed tendon or of a leaf",
        },
    ),
    Section(
        "Joints on a fixed tendon",
        tendon.TENDON_AXIS,
        {
            "physxTendon:{axis}:gearing": "length per position, the child seen from its parent; if not authored, 1",
            "physxTendon:{axis}:forceCoefficient": "effort per tension; if not authored, 1",
        },
    ),
    Section(
        "Attachments of a spatial tendon",
        tendon.ATTACHMENT,
        {
            "physxTendon:{axis}:localPos": "point in the mass frame: from the centre of mass along the principal axes",
            "physxTendon:{axis}:gearing": "length per distance",
        },
        {
            "physxTendon:{axis}:parentLink": "the link of the attachment before this one",
            "physxTendon:{axis}:parentAttachment": "the name of the attachment before this one",
        },
    ),
    Section(
        "Contacts: scene, articulations, bodies and joints",
        (
            *contact.CONTACT_SCENE,
            *contact.SELF_COLLISION,
            *contact.BODY_CONTACT,
            *contact.BODY_COLLIDERS,
            *contact.JOINT_CONTACT,
        ),
        {
            "physxScene:bounceThreshold": "approach speed below which contacts do not bounce; at least 1e-6 length/s",
            "physxScene:frictionOffsetThreshold": "distance below which a contact point gets friction",
            "physxScene:frictionCorrelationDistance": "distance below which a friction anchor stays valid",
            "physxArticulation:enabledSelfCollisions": "whether links collide that no joint joins",
            "newton:selfCollisionEnabled": "whether links collide that no joint joins",
            "physxRigidBody:maxDepenetrationVelocity": "speed with which contacts push a body out of another shape",
            "physxRigidBody:maxContactImpulse": "largest impulse of a contact point along the normal in a step",
            "physxRigidBody:solveContact": "whether contacts act on the body, and on what it touches",
            "physxRigidBody:contactSlopCoefficient": "length below which lever arms of a body's contacts do not count",
            "physics:collisionEnabled": "whether the bodies of a maximal joint collide",
        },
        {
            "physics:filteredPairs": "prims that do not collide with this one",
            "physics:filteredGroups": "collision groups that do not collide with this one",
        },
    ),
    Section(
        "Colliders",
        (*contact.COLLIDER, *contact.PATCH, *contact.MESH_COLLISION),
        {
            "physics:collisionEnabled": "whether the shape collides",
            "physxCollision:contactOffset": "contacts exist closer than the sum of two contact offsets; if not "
            "authored or negative, max(2 g/rate², 0.02 smallest side) above the rest offset, of a plane 0.02 m",
            "physxCollision:restOffset": "shapes come to rest at the sum of two rest offsets; if not authored, 0",
            "newton:contactMargin": "rest offset",
            "newton:contactGap": "contact offset without the rest offset",
            "physxCollision:torsionalPatchRadius": "radius that gives the patch of torsional friction",
            "physxCollision:minTorsionalPatchRadius": "smallest radius of that patch",
            "physics:approximation": "shape of a mesh; one that moves collides as convex parts, box or sphere",
            "physxConvexHullCollision:hullVertexLimit": "largest number of vertices of a convex hull",
            "physxConvexHullCollision:minThickness": "least thickness of the hull of a flat sheet, which has "
            "at least 0.011 of its longest side; if not authored, 0.001 stage units",
            "newton:maxHullVertices": "largest number of vertices of a convex hull; 0 or negative: not authored",
            "physxConvexDecompositionCollision:maxConvexHulls": "largest number of convex parts of a mesh, 1 to 2048",
            "physxConvexDecompositionCollision:hullVertexLimit": "largest number of vertices of a part, 8 to 64",
            "physxConvexDecompositionCollision:voxelResolution": "voxels in which a mesh is cut, of the cube around "
            "it, 10,000 to 10,000,000",
            "physxConvexDecompositionCollision:errorPercentage": "percentage by which the volume of a part may differ "
            "from that of its voxels before the parts are merged, 0.01 to 25",
            "physxConvexDecompositionCollision:shrinkWrap": "whether vertices near the mesh move onto it",
        },
    ),
    Section(
        "Contact materials",
        contact.CONTACT_MATERIAL,
        {
            "physics:staticFriction": "friction of a contact that sticks; 0.5 without a material",
            "physics:dynamicFriction": "friction of a contact that slides; 0.5 without a material",
            "physics:restitution": "share of the approach speed after a bounce",
            "physxMaterial:frictionCombineMode": "rule for the friction of two materials",
            "physxMaterial:restitutionCombineMode": "rule for restitution and stiffness of two materials",
            "physxMaterial:dampingCombineMode": "rule for the damping of two materials",
            "physxMaterial:compliantContactStiffness": "stiffness of a compliant contact; 0 for a rigid one",
            "physxMaterial:compliantContactDamping": "damping of a compliant contact",
            "physxMaterial:compliantContactAccelerationSpring": "whether stiffness and damping act on acceleration",
        },
    ),
)
