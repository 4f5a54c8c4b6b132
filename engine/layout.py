"""The named rows of every buffer the kernels see: one table each, with shape, unit and meaning.

Shape letters: L links, D degrees of freedom (dofs), N nodes, A articulations, M mimic joints, K terms of mimic joints.
A *node* is one degree of freedom, a fixed joint or a root link: a joint of three rotations is three nodes in one place.
Nodes lie in depth-first order. A mimic joint's terms are its follower, with gearing 1, and its references.
"""

INFINITE = 1e30
"""Stands for "no bound" on the device, where arithmetic may not meet an infinity."""


def _number(rows: str) -> dict[str, tuple[int, int, str]]:
    """Parse `NAME width meaning` lines to {name: (first row, width, meaning)}."""
    table, first = {}, 0
    for line in rows.strip().splitlines():
        name, width, meaning = line.split(None, 2)
        table[name] = (first, int(width), meaning)
        first += int(width)
    return table


# Parameters: name, owner (L link, N node, D dof, S scene), width, meaning. Any of them may vary from world to world.
PARAMETERS = {
    name: (index, owner, int(width), meaning)
    for index, (name, owner, width, meaning) in enumerate(
        line.split(None, 3)
        for line in """
GRAVITY              S 3  acceleration of gravity, world [m/s²]
MASS                 L 1  mass [kg]
INERTIA              L 6  inertia about the centre of mass, link axes: xx, xy, xz, yy, yz, zz [kg·m²]
LINEAR_DAMPING       L 1  drag per momentum [1/s]
ANGULAR_DAMPING      L 1  drag per angular momentum [1/s]
MAX_LINEAR_VELOCITY  L 1  link speed limit [m/s]
MAX_ANGULAR_VELOCITY L 1  link speed limit [rad/s]
GRAVITY_SCALE        L 1  1, or 0 where gravity is disabled
CFM_SCALE            L 1  softness of limits, friction and acceleration drives
AXIS                 N 3  joint axis in the link, along which q grows
PARENT_ARM           N 3  joint origin from the parent's centre of mass, parent axes [m]
CHILD_ARM            N 3  joint origin from the link's centre of mass, link axes [m]
REST                 N 4  rotation of the parent seen from the link at q = 0, a quaternion
FRAME0               N 4  joint frame in the parent, a quaternion
FRAME1               N 4  joint frame in the link, a quaternion
STIFFNESS            D 1  drive [N·m/rad | N/m | 1/s²]
DAMPING              D 1  drive [N·m·s/rad | N·s/m | 1/s]
MAX_FORCE            D 1  bound on drive and user effort together [N·m | N]
TARGET_Q             D 1  drive target [rad | m]
TARGET_QD            D 1  drive target [rad/s | m/s]
MAX_ACTUATOR_VELOCITY         D 1  envelope: joint speed without effort [rad/s | m/s]
VELOCITY_DEPENDENT_RESISTANCE D 1  envelope: effort lost per joint speed [N·m·s/rad | N·s/m]
SPEED_EFFORT_GRADIENT         D 1  envelope: joint speed lost per effort [rad/s/(N·m) | m/s/N]
EFFORT               D 1  user effort [N·m | N]
LOWER                D 1  position limit [rad | m]
UPPER                D 1  position limit [rad | m]
STATIC_FRICTION      D 1  effort that starts the joint [N·m | N]
DYNAMIC_FRICTION     D 1  effort of the sliding joint [N·m | N]
VISCOUS_FRICTION     D 1  effort per joint speed [N·m·s/rad | N·s/m]
ARMATURE             D 1  rotor inertia [kg·m² | kg]
MAX_VELOCITY         D 1  joint speed limit [rad/s | m/s]
CLAMP_VELOCITY       D 1  joint speed above which the whole articulation is slowed before a step [rad/s | m/s]
GEARING              K 1  mimic joint: follower's units per unit of this degree of freedom
OFFSET               M 1  mimic joint [rad | m]
FREQUENCY            M 1  mimic joint: natural frequency of its softness, 0 hard [rad/s]
DAMPING_RATIO        M 1  mimic joint: damping ratio of its softness, 0 hard
CFM_UNIT             D 1  stage unit factor of the softness
""".strip().splitlines()
    )
}

# What one world carries from step to step, in this order: (name, owner, width, meaning).
STATE = (
    ("Q", "D", 1, "joint position [rad | m]"),
    ("QD", "D", 1, "joint speed [rad/s | m/s]"),
    ("DRIVEN", "D", 1, "effort of drive and user in the last step [N·m | N]"),
    ("POSE", "L", 7, "world position [m] of a link's centre of mass and its orientation, a quaternion"),
    ("ROOT", "A", 6, "angular velocity of a root link and velocity of its centre of mass, world [rad/s, m/s]"),
)

# Head of the topology table, then three words a parameter, the nodes, the articulations, the mimic joints, their terms.
HEAD = (
    *("Q", "QD", "DRIVEN", "POSE", "ROOT", "ROWS"),  # first rows of the state, and their number
    *("PLACES", "SCRATCH"),  # worlds or packs, scratch rows of one
    *("ARTICULATIONS", "COUNT", "MIMICS", "TERMS"),  # where the tables begin; number of articulations
    *("COUPLINGS", "COUPLED"),  # first scratch row of the mimic joints' couplings, and rows of one
    *("DOFS", "LINKS"),
)

# One word each, a node.
NODE = {
    name: i
    for i, name in enumerate(
        (
            "KIND",  # see KINDS
            "PARENT",  # node before it on the way to the root
            "LINK",  # link it moves
            "DOF",  # degree of freedom, or -1
            "BASE",  # node that carries the parent link
            "CARRIER",  # node that carries its own link: the last one of its joint
            "FIRST",  # first node of its joint
            "DRIVE",  # 0 none, 1 force, 2 acceleration
            "ENVELOPE",  # whether the drive has a performance envelope
            # These follow from the parameters of the day:
            "FRICTION",  # whether any world has friction here
            "LIMITED",  # whether any world has limits here
            "SPEED_LIMITED",  # whether any world has a speed limit here
            "WRAPS",  # whether q wraps at a turn in any world
            "BRANCH",  # whether it has several children
        )
    )
}

# One word each, an articulation.
ARTICULATION = {
    name: i
    for i, name in enumerate(
        (
            "ROOT",  # first node
            "END",  # node after the last
            "FLOATING",  # whether the root moves
            "TURNS",  # whether a spherical joint is in the tree: it needs link velocities
            "SLIDES",  # whether a prismatic joint is in the tree: it needs the poses of every substep
            "FREE",  # whether it is a free rigid body
            "GYROSCOPIC",  # whether a free body feels its gyroscopic torque
            "CLAMPS",  # whether any joint has a speed above which the articulation is slowed before a step
            "MIMIC",  # first mimic joint
            "MIMIC_END",  # mimic joint after the last
            "POSITION_ITERATIONS",
            "VELOCITY_ITERATIONS",
        )
    )
}

# One word each, a mimic joint: its terms. A term's word is its node.
MIMIC = {"FIRST": 0, "END": 1}

KINDS = {"FIXED_ROOT": 0, "FLOATING_ROOT": 1, "FIXED": 2, "REVOLUTE": 3, "PRISMATIC": 4, "SPHERICAL": 5}

# Scratch of one step, a node. What the sweeps read lies together.
SCRATCH = _number("""
S        6  motion of the link per unit of joint speed, world: angular, linear
D        3  centre of mass from the parent's, world [m]
Y        6  wrench on the parent per unit of joint impulse
G        6  velocity the link gains per unit of joint impulse
D_INV    1  response of the joint alone, parent held [1/(kg·m²) | 1/kg]
R        1  response of the joint in the tree, W_kk
RR       1  softened response 1/(r + cfm)
V0       1  joint speed before the impulses of this pass
VOFF     1  part of the joint's speed that comes from velocity products
X        1  joint impulse of this pass minus what the subtree's impulses press on the joint
F        1  joint impulse of this sweep
K        1  drive: impulse per displacement
C0       1  drive: constant impulse
CV       1  drive: impulse per speed
CT       1  drive: impulse per elapsed time
CL       1  drive: share of the accumulated impulse that stays
DRIVE    1  drive: accumulated impulse
FRICTION 1  friction: accumulated impulse
LOW      1  lower limit: accumulated impulse
HIGH     1  upper limit: accumulated impulse
GAP_LOW  1  distance to the lower limit at the start of the step
GAP_HIGH 1  distance to the upper limit
PD       1  displacement within the step
BOUND    1  bound on drive and user effort
EFFORT   1  user effort
V_MAX    1  envelope: joint speed without effort
RESIST   1  envelope: effort lost per joint speed
GRADIENT 1  envelope: joint speed lost per effort
STATIC   1  friction effort that starts the joint
DYNAMIC  1  friction effort of the sliding joint
VISCOUS  1  friction effort per joint speed
VMAX     1  joint speed limit
RATE     1  joint acceleration by forces at once
CHANGE   1  change of the joint's speed by the impulses of this pass
PUSH     1  joint acceleration by forces spread over the substeps
P        6  wrench of all impulses on the root; on its way there, of a subtree
STASH_V  6  velocity change of a link with several children
STASH_P  6  wrench change of a link with several children
V        6  velocity of the link, world
AB       6  velocity-product acceleration of the link
O        3  centre of mass from the root's, world [m]
MASS     1  mass of the link, 0 within a joint [kg]
IW       6  inertia of the link about its centre of mass, world axes
IA       21 articulated inertia: I (6), H (9), M (6); then the response of the link
BIAS     6  bias wrench at once
BIAS2    6  bias wrench spread over the substeps
CFM      1  softness of the link
ERROR    1  drive target minus position
ARM0     3  prismatic: lever of the parent's rotation
ARM1     3  prismatic: lever of the link's rotation
THETA    3  rotation within the step
QD0      1  joint speed after the clamp
""")
SCRATCH_ROWS = sum(width for _, width, _ in SCRATCH.values())
