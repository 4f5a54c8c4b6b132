"""Named rows of the scratch of one step, per item of each table of the topology, with width, unit and meaning.

The five DRIVE_ coefficients are those of "Implicit Spring Joint Drives", see `physics/drive.py`.
"""

ROW_TYPES = {
    "number": 1,
    "vector": 3,
    "quaternion": 4,
    "motion": 6,  # angular, linear
    "force": 6,  # torque, force
    "tensor": 6,  # symmetric: xx, xy, xz, yy, yz, zz
    "inertia": 21,  # articulated: I (6), H by columns (9), M (6)
    "response": 21,
    "jacobian": 9,  # of a 1D constraint: linear, angular of body 0, angular of body 1
    "series": 21,  # numbers by index
    "composite": 10,  # composite rigid body: mass, moment (3), inertia (6)
}
"""Number of rows of each type of number."""

DENSE_NODES = 10
"""Most nodes of an articulation with dense responses, so that two numbers for each fit into a series."""


def _number(rows: str) -> dict[str, tuple[int, str, str]]:
    """Parse `NAME type meaning` lines to {name: (first row, type, meaning)}."""
    table, first = {}, 0
    for line in rows.strip().splitlines():
        name, kind, meaning = line.split(None, 2)
        table[name] = (first, kind, meaning)
        first += ROW_TYPES[kind]
    return table


def _alias(table: dict, rows: str) -> dict[str, tuple[int, str, str]]:
    """Parse `NAME type ROW meaning` lines: other names of rows that a later part of the step uses anew."""
    aliases = {}
    for line in rows.strip().splitlines():
        name, kind, row, meaning = line.split(None, 3)
        if ROW_TYPES[kind] > ROW_TYPES[table[row][1]]:
            raise ValueError(f"{name}: {kind} does not fit into {row}")
        aliases[name] = (table[row][0], kind, meaning)
    return aliases


# Scratch of one step per node. The rows that the sweeps read are contiguous.
NODE_SCRATCH = _number("""
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
DRIVE_BIAS_COEFFICIENT   number     drive: driveBiasCoefficient, impulse per position error [N·s/m] (eqs. 23, 38)
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
QDD_IMMEDIATE            number     joint acceleration by immediate forces, parent held
DELTA_QD                 number     change of the joint velocity by the impulses of this pass
QDD_SUBSTEP_LOCAL        number     joint acceleration by forces per substep, parent held
QDD_SUBSTEP              number     joint acceleration by forces per substep
START_POSITION           vector     of a root: position of its centre of mass at the start of the step [m]
ROOT_DISPLACEMENT        vector     of a root: displacement of its centre of mass by its velocity in this step [m]
IMPULSE                  force      P, wrench of all impulses on the root; while it is propagated, of a subtree
BRANCH_DELTA_V           motion     velocity change of a link with several children
BRANCH_IMPULSE           force      wrench of this sweep's impulses on a link with several children
V                        motion     velocity of the link, world
BIAS_ACCELERATION        motion     ab, velocity-product acceleration of the link
ROOT_OFFSET              vector     centre of mass from the root's, world [m]
MASS                     number     mass of the link, 0 of a node within a joint [kg]
WORLD_INERTIA            tensor     inertia of the link about its centre of mass, world axes
ARTICULATED_INERTIA      inertia    articulated inertia
TOTAL_BIAS               force      bias wrench of the link alone, immediate and per substep
IMMEDIATE_BIAS           force      bias wrench of immediate forces
SUBSTEP_BIAS             force      bias wrench of forces per substep
CFM                      number     softness of the link
DRIVE_ERROR              number     drive target minus position
ARM0                     vector     prismatic: lever of the parent's rotation
ARM1                     vector     prismatic: lever of the link's rotation
DELTA_ROTATION           vector     rotation within the step
SLIDE                    number     prismatic: displacement by the joint velocity within the step [m]
TURN                     quaternion sliding joints beyond: rotation of the link since the start of the step
ROTATION_SUM             vector     sliding joints beyond: rotation by the joint velocities within the step [rad]
START_QD                 number     joint velocity at the start of the step, after the clamp
TOUCHING                 number     contacts: 2 for the node of a link that touches in any lane, 1 for those above it
""")

# The same rows of a node under the names that they have in another part of the step.
NODE_ALIASES = _alias(
    NODE_SCRATCH,
    """
ROOT_CORRECTION        motion    U_D_INV             of a root: velocity change that keeps the angular momentum
RESPONSE               response  ARTICULATED_INERTIA velocity of the link per wrench, once its inertia is used up
COMPOSITE_INERTIA      composite ARTICULATED_INERTIA mass matrix: inertia of the links beyond as one rigid body
DENSE_NUMBERS          series    ARTICULATED_INERTIA dense: row of W; of the first joint also the velocity changes
IMMEDIATE_ACCELERATION motion    IMMEDIATE_BIAS      acceleration by immediate forces, without rows
SUBSTEP_ACCELERATION   motion    SUBSTEP_BIAS        acceleration by forces per substep, without rows
LINK_ACCELERATION      motion    BRANCH_DELTA_V      results: acceleration of the link without velocity products
MEAN_VELOCITY          motion    BRANCH_DELTA_V      sleeping: velocity of the link in the position iterations
START_ORIENTATION      quaternion TURN               of a root: orientation at the start of the step
DISPLACEMENT           motion    BRANCH_DELTA_V      momentum: displacement of the link by the velocities of the step
LINK_WRENCH            force     IMMEDIATE_BIAS      inverse dynamics: wrench on the link, then on its subtree
TOTAL_ACCELERATION     motion    BIAS_ACCELERATION   dynamics: acceleration of the link with velocity products
""",
)

# Scratch of one step per side of a maximal joint.
SIDE_SCRATCH = _number("""
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
CONSTRAINT_SCRATCH = _number("""
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
TENDON_SCRATCH = _number("""
LENGTH number     length at the start of the step [m]
""")

# Scratch of one step per strand.
STRAND_SCRATCH = _number("""
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
ARTICULATION_SCRATCH = _number("""
BINS_USED number  contacts: bits of the bins in which it has a pair with another articulation
NEXT_BIN  number  contacts: bin of its next pair with what is static
LABEL     number  contacts: equal for those that touch, directly or through others
COUNTED   number  statistics: 1 while it is counted, else 0
""")

# Scratch of one step per collider.
COLLIDER_SCRATCH = _number("""
POSITION    vector     origin of the shape, world [m]
ORIENTATION quaternion orientation of the shape, world
LOW         vector     lower corner of its bounding box, grown by the contact offset [m]
HIGH        vector     upper corner
TOUCHES     number     statistics, of the first collider of a link: whether the link has a contact point
FORCE       vector     net force of the link's contacts [N]
SLIP        number     largest tangential displacement at a contact of the link in the step [m]
DEPTH       number     greatest penetration of the link [m]
""")

# Scratch per body with colliders.
BODY_SCRATCH = _number("""
LOW      vector lower corner of the box of a static body, grown by its contact offset [m]
HIGH     vector upper corner
PLACED   number whether its colliders were placed in this step
TURN     number first turn of its contacts with what is static
TURN_END number turn after the last one
""")

# Scratch of one step per body of an island with many.
CROWD_SCRATCH = _number("""
BEGIN    number where it begins along the axis, in any lane [m]
END      number where it ends
PLACE    number its place among the sorted bodies
SORTED   number body at a place of the sorted list
MERGED   number the list while it is sorted
PARTNER  number list of bodies whose boxes overlap that of another one
""")

# Lists of pairs, in the order of their numbers; they last through the steps of a launch.
ACTIVE_SCRATCH = _number("""
SLOT      number slot of a pair that is near or was in the last step, in any lane
NEXT      number the list of the next step while it is made
NEAR_PAIR number pair that is near in any lane in this step
NEAR      number whether it is near
FREE      number stack of the slots that are free again
LISTED    number list of slots, which is sorted
CURSOR    number of the first item: place of the next pair that a world keeps between launches
NEXT_PAIR number of the first item: that pair
""")

# Scratch of one step per slot of a pair of colliders.
SLOT_SCRATCH = _number("""
PAIR            number     pair that has the slot
NEAR            number     whether the bounding boxes overlap
POINT_COUNT     number     contact points
MOST_POINTS     number     largest number of contact points of all lanes
MOST_PATCHES    number     largest number of friction patches of all lanes
ORDER           number     SOLVE_ORDER of a pair that touches, else 0
KEY0            number     keys by which new pairs are sorted
KEY1            number     second key
KEY2            number     third key
KEY3            number     fourth key
KEY4            number     fifth key
""")

# Scratch of one step per friction patch.
PATCH_SCRATCH = _number("""
NORMAL          vector     its normal, from side 1 to side 0
MOST_ANCHORS    number     largest number of anchors of all lanes
POINTS          number     contact points in it
MIN_FORCE       number     least normal impulse for friction; before that, the sum of those that stop the approach [N·s]
DEEPEST         number     least error of its points, at most 0 [m]
SHARE           number     share of the normal impulse that bounds the friction at one anchor
TANGENT0        vector     first direction of friction
TANGENT1        vector     second direction of friction
TORSION         jacobian   row of torsional friction
TORSION_RESPONSE0 motion   velocity change of side 0 per unit of impulse
TORSION_RESPONSE1 motion   minus the velocity change of side 1 per unit of impulse
TORSION_MULTIPLIER number  impulse per rate
TORSION_RADIUS  number     radius of torsional friction [m]
TORSION_IMPULSE number     accumulated impulse
""")

# Scratch of one step per contact point.
CONTACT_SCRATCH = _number("""
POINT              vector   contact point, world [m]
NORMAL             vector   normal from side 1 to side 0, world
SEPARATION         number   distance along the normal, negative in penetration [m]
PATCH              number   meshes: its friction patch, of those of the pair
GROUP              number   meshes: first of the consecutive points with its normal
JACOBIAN           jacobian row on the velocities of both sides
RESPONSE0          motion   velocity change of side 0 per unit of impulse
RESPONSE1          motion   minus the velocity change of side 1 per unit of impulse
INV_RESPONSE       number   1 / (r + cfm); 0 without a point
TARGET             number   velocity after a bounce [m/s]
ERROR              number   separation that the rows act on [m]
BIAS_RATE          number   wanted velocity per separation [1/s]
VELOCITY_MULTIPLIER number  compliant: impulse per rate
SPRING             number   compliant: impulse per separation
IMPULSE_MULTIPLIER number   compliant: share of the accumulated impulse that stays
IMPULSE            number   accumulated impulse [N·s]
""")

# Scratch of one step per friction anchor: a row for each of the two tangents.
ANCHOR_SCRATCH = _number("""
ACTS        number   1 for an anchor that exists
JACOBIAN0   jacobian row along the first tangent
RESPONSE00  motion   velocity change of side 0 per unit of impulse along it
RESPONSE01  motion   minus the velocity change of side 1
MULTIPLIER0 number   impulse per rate along it
ERROR0      number   how far the anchors of the sides are apart along it [m]
IMPULSE0    number   accumulated impulse along it
JACOBIAN1   jacobian row along the second tangent
RESPONSE10  motion   velocity change of side 0 per unit of impulse along it
RESPONSE11  motion   minus the velocity change of side 1
MULTIPLIER1 number   impulse per rate along it
ERROR1      number   how far the anchors of the sides are apart along it [m]
IMPULSE1    number   accumulated impulse along it
""")

# Scratch of contact generation: points from which those of a manifold are chosen.
CANDIDATE_SCRATCH = _number("""
POINT_A  vector   in the frame of shape A [m]
POINT_B  vector   in the frame of shape B [m]
NORMAL   vector   from B to A, in the frame of shape B
DISTANCE number   along the normal [m]
CORNER   vector   corner of a face that is clipped [m]
OUTLINE  vector   corner of the face that clips it [m]
WITHIN   number   whether the corner is within the other face
DEEP     number   whether the corner is near enough
CHOSEN   number   index of a chosen point
""")

# Scratch of contact generation: points of the difference A − B of two convex shapes, in the frame of B.
SUPPORT_SCRATCH = _number("""
VERTEX_A number   number of the vertex of shape A
VERTEX_B number   number of the vertex of shape B
POINT_A  vector   its place [m]
POINT_B  vector   its place [m]
WEIGHT   number   weight in the nearest point
SHARE    number   weight that is being computed
RIM      number   side of a facet at the rim of the facets that a point sees
""")

# Scratch of contact generation: a triangle of the polytope of such points.
FACET_SCRATCH = _number("""
NORMAL   vector   outward normal
DISTANCE number   of the origin from its plane
OPEN     number   whether it may be the nearest one
SEEN     number   whether a later point saw it from outside: it is no longer on the polytope
PENDING  number   stack of sides that are to be looked at
""")

FACET_SIDE_SCRATCH = _number("""
CORNER    number  support at the start of the side
NEIGHBOUR number  the same side of the neighbouring facet
""")

SCRATCHES = {
    "NODES": NODE_SCRATCH,
    "SIDES": SIDE_SCRATCH,
    "CONSTRAINTS": CONSTRAINT_SCRATCH,
    "TENDONS": TENDON_SCRATCH,
    "STRANDS": STRAND_SCRATCH,
    "ARTICULATIONS": ARTICULATION_SCRATCH,
    "COLLIDERS": COLLIDER_SCRATCH,
    "BODIES": BODY_SCRATCH,
    "CROWD": CROWD_SCRATCH,
    "ACTIVE": ACTIVE_SCRATCH,
    "SLOTS": SLOT_SCRATCH,
    "CONTACTS": CONTACT_SCRATCH,
    "PATCHES": PATCH_SCRATCH,
    "ANCHORS": ANCHOR_SCRATCH,
    "CANDIDATES": CANDIDATE_SCRATCH,
    "SUPPORTS": SUPPORT_SCRATCH,
    "FACETS": FACET_SCRATCH,
    "FACET_SIDES": FACET_SIDE_SCRATCH,
}
"""Scratch rows of one item, by table of the topology."""


def rows_of(table: str) -> int:
    """Return the number of scratch rows of one item of a table."""
    return sum(ROW_TYPES[kind] for _, kind, _ in SCRATCHES[table].values())
