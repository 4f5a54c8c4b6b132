"""Named rows of the scratch of one step, per item of each table of the topology, with width, unit and meaning.

The five DRIVE_ coefficients are those of "Implicit Spring Joint Drives", see `physics/drive.py`.
"""

from .contact_scratch import CANDIDATE_ALIASES, CONTACT_SCRATCHES, LISTS, SLOT_ALIASES, SLOT_TABLES
from .scratch_rows import ROW_TYPES, alias_rows, number_rows

DENSE_NODES = 10
"""Most nodes of an articulation with dense responses, so that two numbers for each fit into a series."""


# Scratch of one step per node. The rows that the sweeps read are contiguous, and so are those of a root's velocity.
NODE_SCRATCH = number_rows("""
SUBSPACE                 motion     S, motion of the link per unit of joint velocity, world: angular, linear
OFFSET                   vector     centre of mass from the parent's, world [m]
U_D_INV                  force      Y = U D⁻¹, wrench on the parent per unit of joint impulse
UNIT_VELOCITY            motion     G, velocity of the link per unit of joint impulse
D_INV                    number     D⁻¹, response of the joint alone, parent held [1/(kg·m²) | 1/kg]
UNIT_RESPONSE            number     r = W_kk, response of the joint in the tree
INV_RESPONSE             number     softened response 1/(r + cfm)
QD                       number     joint velocity before the impulses of this pass
QD_BIAS                  number     part of the joint velocity that comes from velocity products
JOINT_IMPULSE            number     X, joint impulse of this pass, less the subtree's wrenches on the joint
DELTA_IMPULSE            number     joint impulse of this sweep
DRIVE_BIAS_COEFFICIENT   number     TGS drive: driveBiasCoefficient, impulse per position error [N·s/m] (eqs. 23, 38)
DRIVE_INITIAL_BIAS       number     drive: driveTargetVelPlusInitialBias, constant impulse [N·s] (eqs. 20, 35)
DRIVE_VEL_MULTIPLIER     number     drive: driveVelMultiplier, impulse per joint velocity [kg] (eqs. 21, 36)
DRIVE_TARGET_POS_BIAS    number     drive: driveTargetPosBias, impulse per time by the moving target [N] (eqs. 24, 39)
DRIVE_IMPULSE_MULTIPLIER number     drive: driveImpulseMultiplier, share of the accumulated impulse that stays (22, 37)
DRIVE_IMPULSE            number     drive: accumulated impulse
FRICTION_IMPULSE         number     friction: accumulated impulse
LOWER_IMPULSE            number     lower limit: accumulated impulse
UPPER_IMPULSE            number     upper limit: accumulated impulse
LOWER_ERROR              number     distance to the lower limit at the start of the step
UPPER_ERROR              number     distance to the upper limit
DELTA_Q                  number     displacement within the step
MAX_EFFORT               number     bound on drive and user effort
EFFORT                   number     user effort
ENVELOPE_MAX_VELOCITY    number     envelope: v_max, joint velocity without effort
ENVELOPE_RESISTANCE      number     envelope: k_τv, effort lost per joint velocity
ENVELOPE_GRADIENT        number     envelope: k_vτ, joint velocity lost per effort
STATIC_FRICTION          number     friction effort that starts the joint
DYNAMIC_FRICTION         number     friction effort of the sliding joint
VISCOUS_FRICTION         number     friction effort per joint velocity
MAX_VELOCITY             number     joint velocity limit
VELOCITY_LIMIT_IMPULSE   number     velocity limit: sum of its impulses
MIMIC_IMPULSE            number     mimic joints: sum of their impulses on the joint
TENDON_EFFORT            number     effort of the tendons in this step
MAXIMAL_JOINT_EFFORT     number     effort of the maximal joints in this step
DELTA_QD                 number     change of the joint velocity by the impulses of this pass
QDD_SUBSTEP_LOCAL        number     joint acceleration by forces per substep, parent held
QDD_SUBSTEP              number     joint acceleration by forces per substep
IMPULSE                  force      P, wrench of all impulses on the root; while it is propagated, of a subtree
V                        motion     velocity of the link, world
BIAS_ACCELERATION        motion     ab, velocity-product acceleration of the link
SUBSTEP_BIAS             force      bias wrench of forces per substep
ARTICULATED_INERTIA      inertia    articulated inertia
START_POSITION           vector     of a root: position of its centre of mass at the start of the step [m]
ROOT_DISPLACEMENT        vector     of a root: displacement of its centre of mass by its velocity in this step [m]
BRANCH_DELTA_V           motion     velocity change of a link with several children
BRANCH_IMPULSE           force      wrench of this sweep's impulses on a link with several children
ROOT_OFFSET              vector     centre of mass from the root's, world [m]
MASS                     number     mass of the link, 0 of a node within a joint [kg]
WORLD_INERTIA            tensor     inertia of the link about its centre of mass, world axes
TOTAL_BIAS               force      bias wrench of the link alone, immediate and per substep
CFM                      number     softness of the link
ARM0                     vector     prismatic: lever of the parent's rotation
ARM1                     vector     prismatic: lever of the link's rotation
DELTA_ROTATION           vector     rotation within the step
SLIDE                    number     prismatic: displacement by the joint velocity within the step [m]
TURN                     quaternion sliding joints beyond: rotation of the link since the start of the step
ROTATION_SUM             vector     sliding joints beyond: rotation by the joint velocities within the step [rad]
START_QD                 number     joint velocity at the start of the step, after the clamp
TOUCHING                 index      contacts: whether its link, or one below it, touches in any lane, see `word_values`
NEAR_PAIRS               number     sleep: pairs of colliders of the link whose boxes overlap
""")

# The same rows of a node under the names that they have in another part of the step.
NODE_ALIASES = alias_rows(
    NODE_SCRATCH,
    """
ROOT_CORRECTION        motion    U_D_INV             of a root: velocity change that keeps the angular momentum
SQRT_INERTIA           tensor    WORLD_INERTIA       locked free body: square root of its world inertia, up to a factor
LIMIT_ROOM             number    DRIVE_BIAS_COEFFICIENT PGS: distance to the nearer limit, -1 once one had an impulse
START_VELOCITY         motion    SUBSPACE            locked free body: velocity at the start of the step
RESPONSE               response  ARTICULATED_INERTIA velocity of the link per wrench, once its inertia is used up
COMPOSITE_INERTIA      composite ARTICULATED_INERTIA mass matrix: inertia of the links beyond as one rigid body
DENSE_NUMBERS          series    ARTICULATED_INERTIA dense: row of W; of the first joint also the velocity changes
IMMEDIATE_BIAS         force     UNIT_VELOCITY       bias wrench of immediate forces
IMMEDIATE_ACCELERATION motion    BRANCH_DELTA_V      acceleration by immediate forces, without rows
QDD_IMMEDIATE          number    JOINT_IMPULSE       joint acceleration by immediate forces, parent held
DRIVE_ERROR            number    DRIVE_INITIAL_BIAS  drive target minus position
SUBSTEP_ACCELERATION   motion    SUBSTEP_BIAS        acceleration by forces per substep, without rows
LINK_ACCELERATION      motion    BRANCH_DELTA_V      results: acceleration of the link without velocity products
MEAN_VELOCITY          motion    BRANCH_DELTA_V      sleeping: velocity of the link in the position iterations
BODY_TURN              quaternion TOTAL_BIAS         free body under TGS: rotation since the start of the step
START_ORIENTATION      quaternion TURN               of a root: orientation at the start of the step
DISPLACEMENT           motion    BRANCH_DELTA_V      momentum: displacement of the link by the velocities of the step
LINK_WRENCH            force     UNIT_VELOCITY       inverse dynamics: wrench on the link, then on its subtree
TOTAL_ACCELERATION     motion    BIAS_ACCELERATION   dynamics: acceleration of the link with velocity products
""",
)

# Scratch of one step per side of a maximal joint.
SIDE_SCRATCH = number_rows("""
START             vector     position of the link's centre of mass at the start of the step [m]
START_ORIENTATION quaternion orientation of the link at the start of the step
START_ARM         vector     from the centre of mass to the joint, at the start of the step [m]
ARM               vector     from the centre of mass to the joint, now [m]
MOVED             vector     displacement of the joint on the link since the start of the step [m]
ANGLE             vector     integral of the link's angular velocity since the start of the step [rad]
V                 motion     velocity of the link, as the rows of the joint leave it
IMPULSE           force      impulse of the joint on the link in this step
""")

# Scratch of one step per 1D constraint.
CONSTRAINT_SCRATCH = number_rows("""
JACOBIAN                    jacobian   J: rows on the velocities of both bodies
RESPONSE0                   motion     velocity change of body 0 per unit of impulse
RESPONSE1                   motion     minus the velocity change of body 1 per unit of impulse
ERROR                       number     geometric error at the start of the step
TARGET                      number     target of the rate J v
LIMIT_DISTANCE              number     distance to a bound, negative beyond it
MIN_IMPULSE                 number     lower bound on the impulse
MAX_IMPULSE                 number     upper bound
INV_RESPONSE                number     1 / r, r = J M⁻¹ Jᵀ + cfm
IMPULSE_SCALE               number     impulse per wanted velocity
VELOCITY_MULTIPLIER         number     wanted velocity per rate J v
BIAS                        number     wanted velocity for the error at the start of the step, −b
ERROR_MULTIPLIER            number     wanted velocity per change of the error within the step
TARGET_BIAS                 number     wanted velocity for the target, v_T
MAX_BIAS                    number     largest wanted velocity for an error
MIN_BIAS                    number     least wanted velocity for an error
IMPULSE_MULTIPLIER          number     share of the accumulated impulse that stays
BIAS_IN_VELOCITY_ITERATIONS number     whether velocity iterations keep the bias
IMPULSE                     number     accumulated impulse
""")

# Scratch of one step per tendon.
TENDON_SCRATCH = number_rows("""
LENGTH number     length at the start of the step [m]
""")

# Scratch of one step per strand.
STRAND_SCRATCH = number_rows("""
NEAR                     force      row on the velocity of the link above, and minus the pull on the start
FAR                      force      row on the velocity of the link that the strand pulls, and the pull on it
V                        motion     velocity of the link that the strand pulls
VELOCITY_MULTIPLIER      number     impulse per rate of the length
SPRING                   number     impulse per stretch
LIMIT                    number     impulse per excess over a limit
IMPULSE_MULTIPLIER       number     share of the accumulated impulse that stays
LIMIT_IMPULSE_MULTIPLIER number     share of the accumulated impulse of the limit that stays
SPRING_IMPULSE           number     accumulated impulse of the spring
LIMIT_IMPULSE            number     accumulated impulse of the limit
""")

# Scratch of one step per articulation.
ARTICULATION_SCRATCH = number_rows("""
EARLY_COLOURS integer contacts: bits of the first half of the colours of its joints and pairs with other articulations
LATE_COLOURS integer contacts: bits of the second half
NEXT_COLOUR integer contacts: colour of its next pair with what is static
BUNDLED     index   contacts: 1 + first turn of the last bundle that has one of its pairs
LABEL     integer contacts: first articulation of the group that touches and joints connect
LOST_TOUCH flag   contacts: whether one of its touches ended in this step
LIST_START integer contacts: of the root of a group: touching pairs in the lists before its own
LIST_LENGTH integer contacts: of the root of a group: touching pairs in its list
NEXT_IN_GROUP integer contacts: next articulation of its group, whose members form a ring
GROUP_SIZE integer contacts: of the root of a group: articulations in it; those that joints connect are one
RING      integer contacts: of the root of a group: one of its touching pairs, which form a ring, -1 for none
YOUNGEST  integer contacts: its pair that began to touch last, -1 for none
VISITED   integer contacts: 1 where a search for a root is, 2 where a way to the root is known
COUNTED   number  statistics: 1 while it is counted, else 0
AWAKE     flag    sleep: whether this step moves it
MOVED     index   sleep: 1 if this step moves it in any lane, or joints hold it
READY     flag    sleep: whether it is awake and all its timers are zero
FALLS     flag    sleep: whether it falls asleep in this step
LOST      number  sleep: which touch ended, see `word_values`
STIRRED   flag    sleep: whether the group of which it is the first is or stays awake
""")

# Scratch of one step per place in an island's list of articulations: the list of groups, a search for the root of one.
MEMBER_SCRATCH = number_rows("""
GROUP     integer root of the group at a place of the list of groups, -1 for none
TRAVELLED integer articulation of a visit
CAME_FROM integer visit that it came from, -1 for the first
DEPTH     integer steps from the first visit
QUEUED    integer visit at a place of the queue
""")

SCRATCHES = {
    "NODES": NODE_SCRATCH,
    "SIDES": SIDE_SCRATCH,
    "CONSTRAINTS": CONSTRAINT_SCRATCH,
    "TENDONS": TENDON_SCRATCH,
    "STRANDS": STRAND_SCRATCH,
    "ARTICULATIONS": ARTICULATION_SCRATCH,
    "MEMBERS": MEMBER_SCRATCH,
    **CONTACT_SCRATCHES,
}
"""Scratch rows of one item, by table of the topology."""

ALIASES = {"NODES": NODE_ALIASES, "CANDIDATES": CANDIDATE_ALIASES, "SLOTS": SLOT_ALIASES}
"""Other names of these rows, by table."""


def is_of_island(table: str, shared_slots: bool) -> bool:
    """Return whether the rows of a table are in the scratch of an island, whose items each island counts from 0."""
    return table in LISTS or (shared_slots and table in SLOT_TABLES)


def rows_of(table: str) -> int:
    """Return the number of scratch rows of one item of a table."""
    return sum(ROW_TYPES[kind] for _, kind, _ in SCRATCHES[table].values())
