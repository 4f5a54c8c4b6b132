"""Named rows of a simulation's numbers, parameters, state and results, with shape, unit and meaning.

Shape letters: L links, D degrees of freedom (dofs), N nodes, A articulations, M mimic joints, K their terms, a
actuators, c commands that they hold, p points of their bounds, J maximal joints and X their axes (six per joint, transX
to rotZ), T tendons, E their ends, R their strands, P segments and B attachments of spatial ones, C colliders, G pairs
of them, W slots of pairs, w slots that pairs share, Z their contact points, b bodies with colliders, O convex hulls, V
vertices of hulls and meshes, U faces of hulls and Q bounding boxes of triangles.
`topology` defines these items and relates them to each other.
"""

from .parameter import read_parameters

INFINITE = 1e30
"""Bound that stands for "unbounded" on the device, whose arithmetic must not meet an infinity."""


# Parameters: name, owner (a shape letter, S scene), width, scene, values, meaning; see `Parameter`. Any may vary
# between worlds. `scene` is the part of the scene that has the value, "!" if the value decides which rows there are.
# `values` is the rule for what users set as sim.NAME.
PARAMETERS = read_parameters(
    """
GRAVITY                 S 3 -                 any     acceleration of gravity in world axes [m/s²]
MASS                    L 1 link              >0      mass of a link; setting it keeps the inertia [kg]
INERTIA                 L 6 -                 definite inertia about the centre of mass: xx, xy, xz, yy, yz, zz [kg·m²]
LINEAR_DAMPING          L 1 link              >=0     drag of a link per momentum [1/s]
ANGULAR_DAMPING         L 1 link              >=0     drag of a link per angular momentum [1/s]
MAX_LINEAR_VELOCITY     L 1 link              -       link velocity limit [m/s]
MAX_ANGULAR_VELOCITY    L 1 link              -       link velocity limit [rad/s]
GRAVITY_SCALE           L 1 -                 -       1, or 0 where gravity is disabled
CFM_SCALE               L 1 link              -       softness of limits, friction and acceleration drives [1/m]
FORCE                   L 3 !                 any     external force on a link, until overwritten [N]
TORQUE                  L 3 !                 any     external torque on a link, until overwritten [N·m]
FORCE_POSITION          L 3 -                 any     where the force acts, from the centre of mass, link axes [m]
FORCE_IS_LOCAL          L 1 -                 any     1 for force and torque in link axes, 0 for world axes
FORCE_IS_ACCELERATION   L 1 -                 any     1 for a force per mass and a torque per inertia, else 0
SURFACE_VELOCITY        L 3 -                 any     velocity of a link's surface [m/s]
SURFACE_ANGULAR_VELOCITY L 3 -                 any     angular velocity of a link's surface [rad/s]
SURFACE_VELOCITY_IS_LOCAL L 1 -                 any     1 for surface velocities in link axes, 0 for world axes
SURFACE_PIVOT           L 3 -                 -       centre of the angular velocity of a link's surface, world [m]
AXIS                    N 3 -                 -       joint axis in the link, along which q grows
PARENT_ARM              N 3 -                 -       joint origin from the parent's centre of mass, parent axes [m]
CHILD_ARM               N 3 -                 -       joint origin from the link's centre of mass, link axes [m]
PARENT_ROTATION         N 4 -                 -       rotation of the parent seen from the link at q = 0, a quaternion
FRAME0                  N 4 -                 -       joint frame in the parent, a quaternion
FRAME1                  N 4 -                 -       joint frame in the link, a quaternion
STIFFNESS               D 1 drive             >=0     drive stiffness [N·m/rad | N/m | 1/s²]
DAMPING                 D 1 drive             >=0     drive damping [N·m·s/rad | N·s/m | 1/s]
MAX_FORCE               D 1 drive             >=0,inf bound on drive and user effort together [N·m | N]
TARGET_Q                D 1 drive             any     position target of the drive [rad | m]
TARGET_QD               D 1 drive             any     velocity target of the drive [rad/s | m/s]
MAX_ACTUATOR_VELOCITY   D 1 !envelope         >=0,inf envelope: v_max, joint velocity without effort [rad/s | m/s]
VELOCITY_DEPENDENT_RESISTANCE D 1 !envelope         >=0     envelope: k_τv, effort per velocity [N·m·s/rad | N·s/m]
SPEED_EFFORT_GRADIENT   D 1 !envelope         >=0     envelope: k_vτ, velocity per effort [rad/s/(N·m) | m/s/N]
EFFORT                  D 1 -                 any     user effort, until overwritten [N·m | N]
LOWER                   D 1 !axis             any,inf lower position limit [rad | m]
UPPER                   D 1 !axis             any,inf upper position limit [rad | m]
STATIC_FRICTION         D 1 !friction.static  >=0     static friction: effort that starts the joint [N·m | N]
DYNAMIC_FRICTION        D 1 !friction.dynamic >=0     dynamic friction: effort on the moving joint [N·m | N]
VISCOUS_FRICTION        D 1 !friction.viscous >=0     viscous friction: effort per velocity [N·m·s/rad | N·s/m]
ARMATURE                D 1 axis              >=0     rotor inertia [kg·m² | kg]
MAX_VELOCITY            D 1 !axis             >=0,inf joint velocity limit [rad/s | m/s]
CLAMP_VELOCITY          D 1 =MAX_VELOCITY     -       velocity to which the articulation is scaled [rad/s | m/s]
MIMIC_GEARING           K 1 -                 -       mimic joint: follower's units per unit of this dof
MIMIC_OFFSET            M 1 -                 -       mimic joint: offset [rad | m]
MIMIC_FREQUENCY         M 1 -                 -       mimic joint: natural frequency, 0 hard [rad/s]
MIMIC_DAMPING_RATIO     M 1 -                 -       mimic joint: damping ratio, 0 hard
INTEGRAL_GAIN           a 1 -                 >=0     actuator: effort per integral of the error [N·m/(rad·s) | N/(m·s)]
INTEGRAL_MAX            a 1 -                 >=0,inf actuator: bound on that integral [rad·s | m·s]
CONSTANT_EFFORT         a 1 -                 any     actuator: effort without an error [N·m | N]
SATURATION_EFFORT       a 1 -                 >=0,inf actuator: effort of its DC motor at rest [N·m | N]
MAX_MOTOR_EFFORT        a 1 -                 >=0,inf actuator: bound on the effort of its DC motor [N·m | N]
NO_LOAD_SPEED           a 1 -                 >=0,inf actuator: speed at which its DC motor has no effort [rad/s | m/s]
BOUND_POSITION          p 1 -                 any     actuator: position of a point of its bound, ascending [rad | m]
BOUND_EFFORT            p 1 -                 >=0     actuator: bound on |effort| there [N·m | N]
SLEEP_THRESHOLD         A 1 -                 -       energy per mass below which it may fall asleep, 0 never [m²/s²]
MAXIMAL_JOINTS          L 1 -                 -       number of maximal joints on the link
METRE                   S 1 -                 -       a metre, unit of PhysX's fixed lengths [m]
MAXIMAL_JOINT_ARM0      J 3 -                 -       joint origin from body 0's centre of mass, body axes, or world [m]
MAXIMAL_JOINT_FRAME0    J 4 -                 -       joint frame in body 0, a quaternion
MAXIMAL_JOINT_ARM1      J 3 -                 -       joint origin from body 1's centre of mass, body axes, or world [m]
MAXIMAL_JOINT_FRAME1    J 4 -                 -       joint frame in body 1, a quaternion
MAXIMAL_JOINT_STIFFNESS X 1 drive             >=0     drive stiffness of a maximal joint [N·m/rad | N/m | 1/s²]
MAXIMAL_JOINT_DAMPING   X 1 drive             >=0     drive damping of a maximal joint [N·m·s/rad | N·s/m | 1/s]
MAXIMAL_JOINT_MAX_FORCE X 1 drive             >=0,inf bound on the drive effort of a maximal joint [N·m | N]
MAXIMAL_JOINT_TARGET_Q  X 1 drive             any     position target of a maximal joint's drive [rad | m]
MAXIMAL_JOINT_TARGET_QD X 1 drive             any     velocity target of a maximal joint's drive [rad/s | m/s]
MAXIMAL_JOINT_LOWER     X 1 axis              -       limit [rad | m]
MAXIMAL_JOINT_UPPER     X 1 axis              -       limit [rad | m]
GEAR_RATIO              J 1 -                 -       gear: -ω1/ω0; rack and pinion: ω0/v1; other joints 0 [1 | rad/m]
BREAK_FORCE             J 1 -                 -       force above which a maximal joint breaks [N]
BREAK_TORQUE            J 1 -                 -       torque above which a maximal joint breaks [N·m]
LIMIT_STIFFNESS         X 1 limit.stiffness   -       spring of a soft limit [N·m/rad | N/m]
LIMIT_DAMPING           X 1 limit.damping     -       spring of a soft limit [N·m·s/rad | N·s/m]
RESTITUTION             X 1 limit             -       bounce of a hard limit
BOUNCE_THRESHOLD        X 1 limit             -       velocity below which nothing bounces [rad/s | m/s]
TENDON_STIFFNESS        T 1 -                 -       spring of the length [N/m]
TENDON_DAMPING          T 1 -                 -       spring of the length [N·s/m]
TENDON_LIMIT_STIFFNESS  T 1 -                 -       spring of the length beyond a limit [N/m]
TENDON_OFFSET           T 1 -                 -       added to the length [m]
TENDON_REST_LENGTH      E 1 -                 -       length without force [m]
TENDON_LOWER            E 1 -                 -       shortest length without a limit force [m]
TENDON_UPPER            E 1 -                 -       longest length without a limit force [m]
TENDON_GEARING          R 1 -                 -       length per joint position [m/rad | 1]; of a leaf 1
FORCE_COEFFICIENT       R 1 -                 -       share of the force on a joint; of a leaf 1
SEGMENT_GEARING         P 1 -                 -       spatial tendon: length per distance between two attachments
ATTACHMENT              B 3 -                 -       attachment from the link's centre of mass, link axes [m]
COLLIDER_POSITION       C 3 -                 -       shape from the link's centre of mass, link axes, or world [m]
COLLIDER_ROTATION       C 4 -                 -       frame of the shape in the link, or world, a quaternion
COLLIDER_SIZE           C 3 -                 -       radius | radius and half height | half sides of a box [m]
MESH_ORIGIN             C 3 -                 -       origin of a mesh in the frame of its bounding box [m]
HULL_CENTRE             O 3 -                 -       centre of volume of a hull [m]
HULL_INNER              O 3 -                 -       half sides of the box inside a hull [m]
HULL_SCALE              O 3 -                 -       scale of the vertices of a hull
VERTEX                  V 3 -                 -       vertex of a hull or mesh, frame of the shape [m]
FACE_NORMAL             U 3 -                 -       outward normal of a face of a hull
FACE_OFFSET             U 1 -                 -       minus the distance of the face from the origin along it [m]
UNSCALED_NORMAL         U 3 -                 -       outward normal of a face before its hull is scaled
FACE_SHRINKAGE          U 1 -                 -       height over a face before its hull is scaled, per height after
BOUND_LOW               Q 3 -                 -       lower corner of a bounding box of triangles [m]
BOUND_HIGH              Q 3 -                 -       upper corner [m]
CONTACT_OFFSET          C 1 -                 -       contacts exist closer than the sum of two; boxes grow by it [m]
BODY_REACH              b 1 -                 -       how far the colliders of a link reach from its centre of mass [m]
REST_DISTANCE           G 1 -                 -       distance at which the shapes rest [m]
CONTACT_STATIC_FRICTION G 1 -                 >=0     friction that a contact starts to slip at
CONTACT_DYNAMIC_FRICTION G 1 -                 >=0     friction of a slipping contact
CONTACT_RESTITUTION     G 1 -                 >=0     velocity after a bounce per velocity before
CONTACT_SLOP            G 1 -                 >=0     length below which arms of the rows of a pair do not count [m]
CONTACT_STIFFNESS       G 1 -                 -       spring of a compliant contact [N/m | 1/s²]
CONTACT_DAMPING         G 1 -                 -       spring of a compliant contact [N·s/m | 1/s]
CONTACT_ACCELERATION    G 1 -                 -       1 for a spring per mass
TORSIONAL_RADIUS        G 1 -                 -       radius of torsional friction per depth [m]
MIN_TORSIONAL_RADIUS    G 1 -                 -       least radius of torsional friction [m]
CONTACT_MAX_IMPULSE     G 1 -                 >=0     largest normal impulse of a contact point in a step [N·s]
MAX_DEPENETRATION       G 1 -                 -       largest velocity out of a penetration [m/s]
CONTACT_BOUNCE_THRESHOLD S 1 -                 -       speed below which nothing bounces [m/s]
FRICTION_OFFSET         S 1 -                 -       distance above rest below which a point becomes an anchor [m]
FRICTION_CORRELATION    S 1 -                 -       distance of anchors along the normal at which a patch is lost [m]
"""
)

FOLLOWERS = {row.source: name for name, row in PARAMETERS.items() if row.source}
"""Parameters that follow from others, by these."""

# State of a world from step to step, in this order: (name, owner, width, meaning).
STATE = (
    ("Q", "D", 1, "joint position [rad | m]"),
    ("QD", "D", 1, "joint velocity [rad/s | m/s]"),
    ("APPLIED_EFFORT", "D", 1, "effort of drive and user in the last step [N·m | N]"),
    ("POSE", "L", 7, "world position [m] of a link's centre of mass and its orientation, a quaternion"),
    ("ROOT_VELOCITY", "A", 6, "angular velocity of a root link and velocity of its centre of mass, world [rad/s, m/s]"),
    (
        "RUNAWAY",
        "M",
        1,
        "how far axes moved beyond their velocity limits while a mimic joint's error grew [steps]",
    ),
    ("JOINT_BROKEN", "J", 1, "1 for a maximal joint that broke, else 0"),
    ("GEAR_POSITION0", "J", 1, "gear: position of the joint at body 0 in the step before [rad]"),
    ("GEAR_POSITION1", "J", 1, "gear: position of the joint at body 1 in the step before [rad | m]"),
    ("GEAR_ERROR", "J", 1, "gear: sum of what both positions depart from the ratio; rack: angle of its pinion [rad]"),
    ("GEAR_BEGUN", "J", 1, "gear: 1 once its positions are known, 0 before"),
    ("INTEGRAL", "a", 1, "integral of an actuator's error over the time [rad·s | m·s]"),
    ("HOLDS_COMMANDS", "a", 1, "1 if an actuator holds commands, 0 before its first step"),
    ("HELD_TARGET_Q", "c", 1, "position target that an actuator holds [rad | m]"),
    ("HELD_TARGET_QD", "c", 1, "velocity target that an actuator holds [rad/s | m/s]"),
    ("HELD_EFFORT", "c", 1, "user effort that an actuator holds [N·m | N]"),
)

STATE_FLAGS = ("JOINT_BROKEN", "GEAR_BEGUN", "HOLDS_COMMANDS")
"""Rows of the state that have whether something is so."""

FRAME = {"q": "Q", "qd": "QD", "effort": "APPLIED_EFFORT", "pose": "POSE"}
"""Quantities of a recorded frame, in this order, and their rows in `STATE`, which begins with them."""

# Results of the last step: (name, owner, width, meaning).
STEP_RESULTS = (
    ("QDD", "D", 1, "joint acceleration: the change of the joint velocity in the step / its length [rad/s² | m/s²]"),
    ("LIMIT_EFFORT", "D", 1, "effort of the position limits [N·m | N]"),
    ("FRICTION_EFFORT", "D", 1, "effort of joint friction [N·m | N]"),
    ("VELOCITY_LIMIT_EFFORT", "D", 1, "effort of the velocity limit [N·m | N]"),
    ("MIMIC_EFFORT", "D", 1, "effort of the mimic joints [N·m | N]"),
    ("TENDON_EFFORT", "D", 1, "effort of the tendons [N·m | N]"),
    ("MAXIMAL_JOINT_EFFORT", "D", 1, "effort of the maximal joints [N·m | N]"),
    ("ACCELERATION", "L", 6, "acceleration of a link's centre of mass, angular acceleration, world [m/s², rad/s²]"),
    ("INCOMING_FORCE", "L", 6, "force and torque of the parent on a link, in its joint's frame there [N, N·m]"),
    ("FREE_FORCE", "L", 6, "INCOMING_FORCE without rows, about the centre of mass, world axes [N, N·m]"),
    ("TENSION", "T", 1, "pull of a tendon, or of a branch of a spatial one [N]"),
    (
        "MAXIMAL_JOINT_FORCE",
        "J",
        6,
        "force and torque of a maximal joint on body 1, in its frame there [N, N·m]",
    ),
    ("RESULT_PAIR", "w", 1, "1 + number of the pair with the results of a slot in its block, ascending; 0 for none"),
    ("RESULT_BLOCK", "w", 1, "block of PAIR_BLOCK numbers that has the pair's number"),
    ("PAIR_POINTS", "W", 1, "number of contact points of a pair of colliders"),
    ("PAIR_FORCE", "W", 3, "force of a pair's contacts on side 0, friction included, world [N]"),
    ("CONTACT_POINT", "Z", 3, "contact point at the start of the step, world [m]; 0 without one, as all that follows"),
    ("CONTACT_NORMAL", "Z", 3, "normal from side 1 to side 0 there, world"),
    ("CONTACT_SEPARATION", "Z", 1, "distance along the normal there, negative in penetration [m]"),
    ("CONTACT_IMPULSE", "Z", 1, "impulse along the normal in the step [N·s]"),
)

# Sleep timers: (name, owner, width, meaning).
SLEEP = (
    (
        "WAKE_COUNTER",
        "L",
        1,
        "time until the link may sleep, from which h is yet to be subtracted PENDING_STEPS times [s]",
    ),
    (
        "VELOCITY_SUM",
        "L",
        6,
        "sums of the link's velocities over the last steps of that time: angular, own axes; linear, world",
    ),
    ("PENDING_STEPS", "A", 1, "steps since the timers were updated"),
    ("IDLE_STEPS", "A", 1, "pending steps for which no velocities have to be summed"),
    (
        "ASLEEP",
        "A",
        1,
        "1 asleep, 0.5 awake with all its timers at zero, 0 awake, -1 disturbed since the last step",
    ),
)

# Poses and velocities of links, computed from the state on request: (name, owner, width, meaning).
LINKS = (
    ("LINK_POSE", "L", 7, "world position [m] of a link's prim and its orientation, a quaternion"),
    ("LINK_VELOCITY", "L", 6, "velocity of a link's centre of mass, angular velocity, world [m/s, rad/s]"),
)

# Statistics over the steps, on request: (name, owner, width, meaning). A sum's second number is its rounding error.
STATISTICS = (
    ("STEPS", "A", 1, "steps counted: up to END_STEP, or until a number is not finite"),
    ("END_STEP", "A", 1, "steps after which nothing is counted"),
    ("LAST_Q", "D", 1, "joint position at the end [rad | m]"),
    ("LAST_QD", "D", 1, "joint velocity at the end [rad/s | m/s]"),
    ("TARGET", "D", 1, "drive target; where it changes, a response begins [rad | m]"),
    ("RESPONSE_START", "D", 1, "steps counted when the response began"),
    ("RISE", "D", 1, "target minus position when the response began [rad | m]"),
    ("OVERSHOOT", "D", 1, "farthest beyond the target since, along RISE [rad | m]"),
    ("LAST_UNSETTLED_STEP", "D", 1, "steps counted when the error last exceeded SETTLING_BAND of RISE"),
    ("SQUARED_ERROR", "D", 2, "sum of (target - position)² [rad² | m²]"),
    ("ABSOLUTE_EFFORT", "D", 2, "sum of |effort| of drive and user [N·m | N]"),
    ("SQUARED_EFFORT", "D", 2, "sum of the squared effort [N²·m² | N²]"),
    ("WORK", "D", 2, "work of the effort [J]"),
    ("ABSOLUTE_WORK", "D", 2, "sum of |work of a step| [J]"),
    ("PEAK_EFFORT", "D", 1, "largest |effort| [N·m | N]"),
    ("PEAK_SPEED", "D", 1, "largest |joint velocity| [rad/s | m/s]"),
    ("AT_LOWER", "D", 1, "steps in which the lower limit acted"),
    ("AT_UPPER", "D", 1, "steps in which the upper limit acted"),
    ("SATURATED", "D", 1, "steps with the effort at max_force"),
    ("ON_ENVELOPE", "D", 1, "steps with effort and velocity on the edge of the performance envelope"),
    ("CONTACT_STEPS", "L", 1, "steps with a contact point; the rows of links exist in scenes with contacts only"),
    ("PEAK_CONTACT_FORCE", "L", 1, "largest |net force of the contacts| [N]"),
    ("SLIP_DISTANCE", "L", 2, "sum of the tangential displacements of the contact that slips most [m]"),
    ("PENETRATION", "L", 1, "greatest penetration [m]"),
)
