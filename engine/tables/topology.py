"""How a scene hangs together: tables of whole numbers that the kernels walk through, and what each word in them says.

A *node* is one degree of freedom, a fixed joint or a root link: a joint of three rotations is three nodes in one place.
Nodes lie in depth-first order. An *island* is what moves together: articulations and free bodies that joints outside
the trees connect. A *side* is where such a joint, or a tendon, holds a link: its path leads from the root to it.
A range of items is two words, X and X_END.
"""

NODES = (
    "KIND",  # see KINDS
    "PARENT",  # node before it on the way to the root
    "LINK",  # link it moves
    "DOF",  # degree of freedom, or -1
    "PARENT_LAST",  # node that carries the parent link
    "LAST",  # node that carries its own link: the last one of its joint
    "FIRST",  # first node of its joint
    "IMMOVABLE",  # whether its link cannot move: a fixed root, or fixed to one
    "DRIVE",  # 0 none, 1 force, 2 acceleration
    "ENVELOPE",  # whether the drive has a performance envelope
    # These follow from the parameters of the day:
    "FRICTION",  # whether any world has friction here
    "LIMITED",  # whether any world has limits here
    "VELOCITY_LIMITED",  # whether any world has a speed limit here
    "WRAPS",  # whether q wraps at a turn in any world
    "STORES_RESPONSE",  # 1 if it has several children or a maximal joint holds it, 2 if one holds it to the world
    "WORLD_JOINT", "WORLD_JOINT_END",  # joints that hold it to the world
)  # fmt: skip

ARTICULATIONS = (
    "ROOT",  # first node
    "END",  # node after the last
    "FLOATING",  # whether the root moves
    "NEEDS_LINK_VELOCITIES",  # whether link velocities are needed: a spherical joint or something outside the tree
    "NEEDS_SUBSTEP_POSES",  # whether the poses of every substep are needed: for a prismatic or maximal joint
    "FREE_BODY",  # whether it is a free rigid body; 2 if joints tie it to an articulation
    "GYROSCOPIC",  # whether a free body feels its gyroscopic torque
    "HAS_VELOCITY_CLAMP",  # whether any joint has a speed above which the articulation is slowed before a step
    "HAS_EXTERNAL_FORCE",  # whether any world has an external force or torque on a link
    "MIMIC", "MIMIC_END",
    "TENDON", "TENDON_END",
)  # fmt: skip

_WORDS = {
    "NODES": NODES,
    "ARTICULATIONS": ARTICULATIONS,
    "MIMICS": ("TERM", "TERM_END"),
    "TERMS": ("NODE",),  # of a mimic joint: its follower, with gearing 1, then its references
    "ISLANDS": (
        "MEMBER", "MEMBER_END",
        "JOINT", "JOINT_END",  # all joints outside the trees
        "PAIR_JOINT_END",  # after those that are not between a link and the world: they are iterated before the trees
        "POSITION_ITERATIONS",
        "VELOCITY_ITERATIONS",
    ),
    "MEMBERS": ("ARTICULATION",),
    "JOINTS": (  # outside the trees; its two sides are items 2 j and 2 j + 1 of SIDES
        "CONSTRAINT", "CONSTRAINT_END",
        "LOCKS",  # bits of the locked translations
        "HAS_LINK",  # whether it holds a link of an articulation
        "BOUNCES",  # whether any of its limits does
    ),
    "CONSTRAINTS": (
        "KIND",  # see CONSTRAINT_KINDS
        "AXIS",  # 0..5: transX..rotZ
        "UPPER",  # whether it is the upper of two bounds
        "GROUP",  # rows of one group are made independent of each other: 0 none
        "ANGULAR",
        "SPRING",  # 0 none, 1 force, 2 acceleration
        "SOFT",  # 1 the spring of a limit, which acts beyond it only; 2 that of a distance
        "ONE_SIDED",  # whether it is an inequality
    ),
    "SIDES": (
        "NODE",  # node that carries the link; -1 for the world
        "ROOT",  # root of its articulation
        "PATH", "PATH_END",
        "SKIPPED", "SKIPPED_END",  # nodes of the joint that PhysX skips on the way, see link_impulse
    ),
    "PATHS": ("NODE",),
    "TENDONS": (  # fixed ones, and the branches of spatial ones, one a leaf
        "SPATIAL",
        "TENDON",  # whose parameters it has, which a spatial tendon's branches share
        "START",  # side where it starts
        "STRAND", "STRAND_END",
        "SEGMENT", "SEGMENT_END",  # of a spatial one, from its root to its leaf
    ),
    "STRANDS": (  # one for each axis of a fixed tendon, one for a leaf
        "NODE",  # of the axis
        "SIDE",  # what it pulls
        "PREVIOUS",  # strand that pulls the link above; -1 if that is the start
        "REVERSED",  # whether body 0 is the child here and the parent on the first axis, or the other way round
    ),
    "SEGMENTS": ("NEAR", "FAR"),  # attachments
    "ATTACHMENTS": ("LINK",),
}  # fmt: skip

TABLES = {name: {word: i for i, word in enumerate(words)} for name, words in _WORDS.items()}
"""Place of every word in an item, by table."""

NODE, ARTICULATION = TABLES["NODES"], TABLES["ARTICULATIONS"]

HEADER = (
    *(
        "Q",
        "QD",
        "APPLIED_EFFORT",
        "POSE",
        "ROOT_VELOCITY",
        "RUNAWAY",
        "ROWS",
    ),  # first rows of the state, and their number
    *("WORLD_STRIDE", "SCRATCH"),  # worlds or packs, scratch rows of one
    *TABLES,  # where each table begins
    "ISLAND_COUNT",  # number of islands
    *("MIMIC_RESPONSES", "MIMIC_RESPONSE_STRIDE"),  # first scratch row of the mimic joints' couplings, and rows of one
    "SLEEP_BACKUP",  # first scratch row of the state as it was before a step
    *("SIDES_SCRATCH", "CONSTRAINTS_SCRATCH", "TENDONS_SCRATCH", "STRANDS_SCRATCH"),  # first scratch rows
    *(
        "DOF_COUNT",
        "LINK_COUNT",
        "ARTICULATION_COUNT",
        "MAXIMAL_JOINT_COUNT",
        "TENDON_COUNT",
    ),  # numbers of these, trees are articulations
)
"""The words before the tables; three words a parameter follow them."""

KINDS = {"FIXED_ROOT": 0, "FLOATING_ROOT": 1, "FIXED": 2, "REVOLUTE": 3, "PRISMATIC": 4, "SPHERICAL": 5}

CONSTRAINT_KINDS = {
    name: i
    for i, name in enumerate(
        (
            *("LINEAR_DRIVE", "LINEAR_LIMIT", "LINEAR_LOCK", "DISTANCE"),
            *("ANGULAR_DRIVE", "ANGULAR_LIMIT", "CONE", "SWING_LOCK", "ANGULAR_LOCK"),
        )
    )
}
