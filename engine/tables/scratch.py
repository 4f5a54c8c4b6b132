"""Named rows of the scratch of one step, per item of each table of the topology, with width, unit and meaning.

The five DRIVE_ coefficients are those of "Implicit Spring Joint Drives", see `physics/drive.py`.
"""


def _number(rows: str) -> dict[str, tuple[int, int, str]]:
    """Parse `NAME width meaning` lines to {name: (first row, width, meaning)}."""
    table, first = {}, 0
    for line in rows.strip().splitlines():
        name, width, meaning = line.split(None, 2)
        table[name] = (first, int(width), meaning)
        first += int(width)
    return table


# Scratch of one step per node. The rows that the sweeps read are contiguous.
NODE_SCRATCH = _number("""
SUBSPACE                 6  S, motion of the link per unit of joint velocity, world: angular, linear
OFFSET                   3  centre of mass from the parent's, world [m]
U_D_INV                  6  Y = U D⁻¹, wrench on the parent per unit of joint impulse; of a root: momentum correction
UNIT_VELOCITY            6  G, velocity of the link per unit of joint impulse
D_INV                    1  D⁻¹, response of the joint alone, parent held [1/(kg·m²) | 1/kg]
UNIT_RESPONSE            1  r = W_kk, response of the joint in the tree
INV_RESPONSE             1  softened response 1/(r + cfm)
QD                       1  joint velocity before the impulses of this pass
QD_BIAS                  1  part of the joint velocity that comes from velocity products
JOINT_IMPULSE            1  X, joint impulse of this pass, less the subtree's wrenches on the joint
DELTA_IMPULSE            1  joint impulse of this sweep
DRIVE_BIAS_COEFFICIENT   1  drive: driveBiasCoefficient, impulse per position error [N·s/m] (eqs. 23, 38)
DRIVE_INITIAL_BIAS       1  drive: driveTargetVelPlusInitialBias, constant impulse [N·s] (eqs. 20, 35)
DRIVE_VEL_MULTIPLIER     1  drive: driveVelMultiplier, impulse per joint velocity [kg] (eqs. 21, 36)
DRIVE_TARGET_POS_BIAS    1  drive: driveTargetPosBias, impulse per time by the moving target [N] (eqs. 24, 39)
DRIVE_IMPULSE_MULTIPLIER 1  drive: driveImpulseMultiplier, share of the accumulated impulse that stays (eqs. 22, 37)
DRIVE_IMPULSE            1  drive: accumulated impulse
FRICTION_IMPULSE         1  friction: accumulated impulse
LOWER_IMPULSE            1  lower limit: accumulated impulse
UPPER_IMPULSE            1  upper limit: accumulated impulse
LOWER_ERROR              1  distance to the lower limit at the start of the step
UPPER_ERROR              1  distance to the upper limit
DELTA_Q                  1  displacement within the step
MAX_EFFORT               1  bound on drive and user effort
EFFORT                   1  user effort
ENVELOPE_MAX_VELOCITY    1  envelope: v_max, joint velocity without effort
ENVELOPE_RESISTANCE      1  envelope: k_τv, effort lost per joint velocity
ENVELOPE_GRADIENT        1  envelope: k_vτ, joint velocity lost per effort
STATIC_FRICTION          1  friction effort that starts the joint
DYNAMIC_FRICTION         1  friction effort of the sliding joint
VISCOUS_FRICTION         1  friction effort per joint velocity
MAX_VELOCITY             1  joint velocity limit
VELOCITY_LIMIT_IMPULSE   1  velocity limit: sum of its impulses
MIMIC_IMPULSE            1  mimic joints: sum of their impulses on the joint
TENDON_EFFORT            1  effort of the tendons in this step
MAXIMAL_JOINT_EFFORT     1  effort of the maximal joints in this step
QDD_IMMEDIATE            1  joint acceleration by immediate forces, parent held
DELTA_QD                 1  change of the joint velocity by the impulses of this pass
QDD_SUBSTEP_LOCAL        1  joint acceleration by forces per substep, parent held
QDD_SUBSTEP              1  joint acceleration by forces per substep
START_POSITION           3  of a root: position of its centre of mass at the start of the step [m]
MASS_DISPLACEMENT        3  of a root: Σ m Δx of its articulation in this step [kg·m]
IMPULSE                  6  P, wrench of all impulses on the root; while it is propagated, of a subtree
BRANCH_DELTA_V           6  velocity change of a link with several children; then its acceleration or mean velocity
BRANCH_IMPULSE           6  wrench of this sweep's impulses on a link with several children
V                        6  velocity of the link, world
BIAS_ACCELERATION        6  ab, velocity-product acceleration of the link
ROOT_OFFSET              3  centre of mass from the root's, world [m]
MASS                     1  mass of the link, 0 of a node within a joint [kg]
WORLD_INERTIA            6  inertia of the link about its centre of mass, world axes
ARTICULATED_INERTIA      21 articulated inertia: I (6), H (9), M (6); then the response of the link
TOTAL_BIAS               6  bias wrench of the link alone, immediate and per substep
IMMEDIATE_BIAS           6  bias wrench of immediate forces; after the responses, an acceleration
SUBSTEP_BIAS             6  bias wrench of forces per substep; after the responses, an acceleration
CFM                      1  softness of the link
DRIVE_ERROR              1  drive target minus position
ARM0                     3  prismatic: lever of the parent's rotation
ARM1                     3  prismatic: lever of the link's rotation
DELTA_ROTATION           3  rotation within the step
START_QD                 1  joint velocity at the start of the step, after the clamp
""")

# Scratch of one step per side of a maximal joint.
SIDE_SCRATCH = _number("""
START             3  position of the link's centre of mass at the start of the step [m]
START_ORIENTATION 4  orientation of the link at the start of the step
START_ARM         3  from the centre of mass to the joint, at the start of the step [m]
ARM               3  from the centre of mass to the joint, now [m]
MOVED             3  displacement of the joint on the link since the start of the step [m]
ANGLE             3  integral of the link's angular velocity since the start of the step [rad]
V                 6  velocity of the link, as the rows of the joint leave it
IMPULSE           6  impulse of the joint on the link in this step
""")

# Scratch of one step per 1D constraint.
CONSTRAINT_SCRATCH = _number("""
LIN                         3  J: row on the velocity of body 0, minus that of body 1
ANG0                        3  J: row on the angular velocity of body 0
ANG1                        3  J: minus the row on the angular velocity of body 1
RESPONSE0                   6  velocity change of body 0 per unit of impulse
RESPONSE1                   6  minus the velocity change of body 1 per unit of impulse
ERROR                       1  geometric error at the start of the step
TARGET                      1  target of the rate J v
LIMIT_DISTANCE              1  distance to a bound, negative beyond it
MIN_IMPULSE                 1  lower bound on the impulse
MAX_IMPULSE                 1  upper bound
INV_RESPONSE                1  1 / r, r = J M⁻¹ Jᵀ + cfm
IMPULSE_SCALE               1  impulse per wanted velocity
VELOCITY_MULTIPLIER         1  wanted velocity per rate J v
BIAS                        1  wanted velocity for the error at the start of the step, −b
ERROR_MULTIPLIER            1  wanted velocity per change of the error within the step
TARGET_BIAS                 1  wanted velocity for the target, v_T
MAX_BIAS                    1  largest wanted velocity for an error
MIN_BIAS                    1  least wanted velocity for an error
IMPULSE_MULTIPLIER          1  share of the accumulated impulse that stays
BIAS_IN_VELOCITY_ITERATIONS 1  whether velocity iterations keep the bias
IMPULSE                     1  accumulated impulse
""")

# Scratch of one step per tendon.
TENDON_SCRATCH = _number("""
LENGTH 1  length at the start of the step [m]
""")

# Scratch of one step per strand.
STRAND_SCRATCH = _number("""
NEAR                     6  row on the velocity of the link above, and minus the pull on the start
FAR                      6  row on the velocity of the link that the strand pulls, and the pull on it
V                        6  velocity of the link that the strand pulls
VELOCITY_MULTIPLIER      1  impulse per rate of the length
SPRING                   1  impulse per stretch
LIMIT                    1  impulse per excess over a limit
IMPULSE_MULTIPLIER       1  share of the accumulated impulse that stays
LIMIT_IMPULSE_MULTIPLIER 1  share of the accumulated impulse of the limit that stays
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
"""Scratch rows of one item, by table of the topology."""


def rows_of(table: str) -> int:
    """Return the number of scratch rows of one item of a table."""
    return sum(width for _, width, _ in SCRATCHES[table].values())
