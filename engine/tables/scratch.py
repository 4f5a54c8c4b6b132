"""The named rows of what one step scribbles, for each item of a table of the topology: with width, unit and meaning."""


def _number(rows: str) -> dict[str, tuple[int, int, str]]:
    """Parse `NAME width meaning` lines to {name: (first row, width, meaning)}."""
    table, first = {}, 0
    for line in rows.strip().splitlines():
        name, width, meaning = line.split(None, 2)
        table[name] = (first, int(width), meaning)
        first += int(width)
    return table


# Scratch of one step, a node. What the sweeps read lies together.
NODE_SCRATCH = _number("""
SUBSPACE                 6  motion of the link per unit of joint speed, world: angular, linear
OFFSET                   3  centre of mass from the parent's, world [m]
U_D_INV                  6  wrench on the parent per unit of joint impulse; of a root: its momentum's correction
UNIT_VELOCITY            6  velocity the link gains per unit of joint impulse
D_INV                    1  response of the joint alone, parent held [1/(kg·m²) | 1/kg]
UNIT_RESPONSE            1  response of the joint in the tree, W_kk
INV_RESPONSE             1  softened response 1/(r + cfm)
QD                       1  joint speed before the impulses of this pass
QD_BIAS                  1  part of the joint's speed that comes from velocity products
JOINT_IMPULSE            1  joint impulse of this pass minus what the subtree's impulses press on the joint
DELTA_IMPULSE            1  joint impulse of this sweep
DRIVE_BIAS_COEFFICIENT   1  drive: impulse per displacement
DRIVE_INITIAL_BIAS       1  drive: constant impulse
DRIVE_VEL_MULTIPLIER     1  drive: impulse per speed
DRIVE_TARGET_POS_BIAS    1  drive: impulse per elapsed time
DRIVE_IMPULSE_MULTIPLIER 1  drive: share of the accumulated impulse that stays
DRIVE_IMPULSE            1  drive: accumulated impulse
FRICTION_IMPULSE         1  friction: accumulated impulse
LOWER_IMPULSE            1  lower limit: accumulated impulse
UPPER_IMPULSE            1  upper limit: accumulated impulse
LOWER_ERROR              1  distance to the lower limit at the start of the step
UPPER_ERROR              1  distance to the upper limit
DELTA_Q                  1  displacement within the step
MAX_EFFORT               1  bound on drive and user effort
EFFORT                   1  user effort
ENVELOPE_MAX_VELOCITY    1  envelope: joint speed without effort
ENVELOPE_RESISTANCE      1  envelope: effort lost per joint speed
ENVELOPE_GRADIENT        1  envelope: joint speed lost per effort
STATIC_FRICTION          1  friction effort that starts the joint
DYNAMIC_FRICTION         1  friction effort of the sliding joint
VISCOUS_FRICTION         1  friction effort per joint speed
MAX_VELOCITY             1  joint speed limit
VELOCITY_LIMIT_IMPULSE   1  speed limit: sum of its impulses
MIMIC_IMPULSE            1  mimic joints: sum of their impulses on the joint
TENDON_EFFORT            1  effort of the tendons in this step
MAXIMAL_JOINT_EFFORT     1  the same of joints outside the trees
QDD_IMMEDIATE            1  joint acceleration by forces at once, parent held
DELTA_QD                 1  change of the joint's speed by the impulses of this pass
QDD_SUBSTEP_LOCAL        1  the same by forces spread over the substeps, parent held
QDD_SUBSTEP              1  joint acceleration by forces spread over the substeps
START_POSITION           3  of a root: position of its centre of mass at the start of the step [m]
MASS_DISPLACEMENT        3  of a root: how far m·x of its articulation moved in this step [kg·m]
IMPULSE                  6  wrench of all impulses on the root; on its way there, of a subtree
BRANCH_DELTA_V           6  velocity change of a link with several children
BRANCH_IMPULSE           6  wrench change of a link with several children
V                        6  velocity of the link, world
BIAS_ACCELERATION        6  velocity-product acceleration of the link
ROOT_OFFSET              3  centre of mass from the root's, world [m]
MASS                     1  mass of the link, 0 within a joint [kg]
WORLD_INERTIA            6  inertia of the link about its centre of mass, world axes
ARTICULATED_INERTIA      21 articulated inertia: I (6), H (9), M (6); then the response of the link
TOTAL_BIAS               6  bias wrench of the link alone, at once and spread
IMMEDIATE_BIAS           6  bias wrench at once
SUBSTEP_BIAS             6  bias wrench spread over the substeps
CFM                      1  softness of the link
DRIVE_ERROR              1  drive target minus position
ARM0                     3  prismatic: lever of the parent's rotation
ARM1                     3  prismatic: lever of the link's rotation
DELTA_ROTATION           3  rotation within the step
START_QD                 1  joint speed after the clamp
""")

# Scratch of one step, a side of a joint outside the trees.
SIDE_SCRATCH = _number("""
START             3  position of the link's centre of mass at the start of the step [m]
START_ORIENTATION 4  orientation of the link at the start of the step
START_ARM         3  from the centre of mass to the joint, at the start of the step [m]
ARM               3  the same, now [m]
MOVED             3  how far the joint on the link moved since the start of the step [m]
ANGLE             3  integral of the link's angular velocity since then [rad]
V                 6  velocity of the link, as the rows of the joint leave it
IMPULSE           6  impulse of the joint on the link in this step
""")

# Scratch of one step, a 1D constraint.
CONSTRAINT_SCRATCH = _number("""
LIN                         3  J: row on the velocity of body 0, minus that of body 1
ANG0                        3  J: row on the angular velocity of body 0
ANG1                        3  J: minus the row on the angular velocity of body 1
RESPONSE0                   6  velocity that body 0 gains per unit of impulse
RESPONSE1                   6  velocity that body 1 loses per unit of impulse
ERROR                       1  geometric error at the start of the step
TARGET                      1  target of the rate J v
LIMIT_DISTANCE              1  distance to a bound, negative beyond it
MIN_IMPULSE                 1  lower bound on the impulse
MAX_IMPULSE                 1  upper bound
INV_RESPONSE                1  1 / J M⁻¹ Jᵀ
IMPULSE_SCALE               1  impulse per speed that is asked for
VELOCITY_MULTIPLIER         1  speed that is asked for, per rate J v
BIAS                        1  the same for the error at the start of the step
ERROR_MULTIPLIER            1  the same per movement within the step
TARGET_BIAS                 1  the same for the target
MAX_BIAS                    1  largest speed for an error
MIN_BIAS                    1  the same, the other way
IMPULSE_MULTIPLIER          1  share of the accumulated impulse that stays
BIAS_IN_VELOCITY_ITERATIONS 1  whether velocity iterations keep the bias
IMPULSE                     1  accumulated impulse
""")

# Scratch of one step, a tendon.
TENDON_SCRATCH = _number("""
LENGTH 1  [m]
""")

# Scratch of one step, a strand.
STRAND_SCRATCH = _number("""
NEAR                     6  row on the velocity of the link above, and minus the pull on the start
FAR                      6  row on the velocity of the link that it pulls, and its pull
V                        6  velocity of that link
VELOCITY_MULTIPLIER      1  impulse per rate of the length
SPRING                   1  impulse per stretch
LIMIT                    1  impulse per excess over a limit
IMPULSE_MULTIPLIER       1  share of the accumulated impulse that stays
LIMIT_IMPULSE_MULTIPLIER 1  the same of the limit
SPRING_IMPULSE           1  accumulated impulse of the spring
LIMIT_IMPULSE            1  accumulated impulse of the limit
""")

SCRATCHES = {
    "NODES": NODE_SCRATCH,
    "SIDES": SIDE_SCRATCH,
    "CONSTRAINTS": CONSTRAINT_SCRATCH,
    "TENDONS": TENDON_SCRATCH,
    "STRANDS": STRAND_SCRATCH,
}
"""Scratch of one item of each table of the topology."""


def rows_of(table: str) -> int:
    """Scratch rows of one item of a table."""
    return sum(width for _, width, _ in SCRATCHES[table].values())
