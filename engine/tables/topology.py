"""Topology of a scene: tables of integers that the kernels walk through, and the meaning of each word in them.

A *node* is one degree of freedom, a fixed joint or a root link; a joint of three rotations is three nodes at one place.
Nodes are in depth-first order. An *island* moves together: articulations and free bodies tied by maximal joints.
A *side* is an end of a maximal joint or tendon on a link; its path leads from the root to that link.
A range of items is two words, X and X_END.
"""

from .contacts import CONTACT_STATE

NODES = (
    "KIND",  # see KINDS
    "PARENT",  # next node on the way to the root
    "LINK",  # link that it moves
    "DOF",  # degree of freedom, or -1
    "PARENT_LAST",  # node that carries the parent link
    "LAST",  # node that carries its own link: the last node of its joint
    "FIRST",  # first node of its joint
    "IMMOVABLE",  # whether its link cannot move: a fixed root, or fixed to one
    "DRIVE",  # see DRIVES
    "ENVELOPE",  # whether the drive has a performance envelope
    # Updated with the parameters:
    "FRICTION",  # whether any world has friction here
    "LIMITED",  # whether any world has limits here
    "VELOCITY_LIMITED",  # whether any world has a velocity limit here
    "WRAPS",  # whether q wraps at a turn in any world
    "STORES_RESPONSE",  # see `word_values`
    "WORLD_JOINT", "WORLD_JOINT_END",  # maximal joints to the world
    "BODY",  # its link as a body that may touch something static, or -1
    "CARRIES_SLIDE",  # whether a prismatic joint lies beyond it
)  # fmt: skip

ARTICULATIONS = (
    "ROOT",  # first node
    "END",  # node after the last
    "FLOATING",  # whether the root moves
    "NEEDS_LINK_VELOCITIES",  # when a spherical joint or something outside the tree needs them, see `word_values`
    "NEEDS_SUBSTEP_POSES",  # when a maximal joint or contacts need the poses of every substep, see `word_values`
    "SLIDES",  # whether it has a prismatic joint
    "FREE_BODY",  # whether it is a free rigid body
    "GYROSCOPIC",  # whether a free body feels its gyroscopic torque
    "LOCKED",  # bits of the locked world axes of a free body: 1, 2, 4 along x, y, z; 8, 16, 32 about them
    "KINEMATIC",  # whether nothing changes the velocity of a free body
    "HAS_VELOCITY_CLAMP",  # whether any joint has a clamp velocity
    "HAS_EXTERNAL_FORCE",  # whether any world has an external force or torque on a link
    "MIMIC", "MIMIC_END",
    "ACTUATOR", "ACTUATOR_END",
    "TENDON", "TENDON_END",
    "DENSE",  # whether its sweeps use the inverse mass matrix, see `physics.dense`
    "JOINED",  # first articulation of those that maximal joints connect with it, itself included
)  # fmt: skip

_WORDS = {
    "NODES": NODES,
    "ARTICULATIONS": ARTICULATIONS,
    "MIMICS": ("TERM", "TERM_END"),
    "ACTUATORS": (
        "NODE",
        "COMMAND", "COMMAND_END",  # commands that it holds, one per step of its delay; the latest first
        "POINT", "POINT_END",  # of its bound by position
    ),
    "TERMS": ("NODE",),  # of a mimic joint: its follower, with gearing 1, then its references
    "ISLANDS": (
        "MEMBER", "MEMBER_END",
        "JOINT", "JOINT_END",  # all maximal joints
        "PAIR_JOINT_END",  # after those not between a link and the world, which are solved before the trees
        "POSITION_ITERATIONS",
        "VELOCITY_ITERATIONS",
        "COLLIDER", "COLLIDER_END",
        "BODY", "BODY_END",  # what its colliders are on
        "GROUP", "GROUP_END",  # of pairs of colliders
        "EARLY_GROUP_END",  # after those of pairs that are not between a link and what is static
        "SORTS_BODIES",  # whether near pairs of the early groups are found by sorting its bodies
        "PAIR", "PAIR_END",  # numbers of its pairs of colliders
        "LISTS_PAIRS",  # whether all its pairs are items of PAIRS; else the early ones follow from their colliders
        "PAIR_SHIFT",  # item of PAIRS minus the number of a listed pair
        "EARLY_PAIR_END",  # after those that are not between a link and what is static
        "SLOT", "SLOT_END",  # places of its pairs in the state of contacts
        "ORDERS_PAIRS",  # whether the order of its pairs matters
        "ROUNDS",  # most rounds of colours
    ),
    "MEMBERS": (
        "ARTICULATION",
        "HAS_ROWS",  # whether it may have rows of its own, which iterations solve: not of most free bodies
    ),
    "JOINTS": (  # maximal joints; the sides of joint j are items 2 j and 2 j + 1 of SIDES
        "CONSTRAINT", "CONSTRAINT_END",
        "LOCKS",  # bits of the locked translations
        "HAS_LINK",  # whether it holds a link of an articulation
        "PART0", "PART1",  # of a gear: maximal joints that it relates, or -1
        "PART_DOF0", "PART_DOF1",  # of a gear: degrees of freedom that it relates, or -1
        "PART_SIGN0", "PART_SIGN1",  # of a gear: 1 if its body is body 1 of the joint that it relates, -1 for body 0
        "RACK",  # whether its row leaves the linear velocity of body 0 out
        "BOUNCES",  # whether any of its limits bounces
        "HELD", "HELD_TOO",  # the articulations that it holds, or twice the only one
        "COLOUR",  # its colour if it is between two articulations; beyond all colours for the world
    ),
    "CONSTRAINTS": (
        "KIND",  # see CONSTRAINT_KINDS
        "AXIS",  # 0..5: transX..rotZ
        "UPPER",  # whether it is the upper of two bounds
        "GROUP",  # rows of one group are made independent of each other; 0: no group
        "ANGULAR",
        "SPRING",  # see SPRINGS
        "SOFT",  # see SOFT_BOUNDS
        "ONE_SIDED",  # whether it is an inequality
    ),
    "SIDES": (
        "NODE",  # node that carries the link; -1 for the world
        "ROOT",  # root of its articulation
        "PATH", "PATH_END",
        "SKIPPED", "SKIPPED_END",  # nodes of the joint that PhysX skips on the path, see `impulse_propagation`
    ),
    "PATHS": ("NODE",),
    "TENDONS": (  # fixed tendons, and the branches of spatial ones, one per leaf
        "SPATIAL",
        "TENDON",  # tendon whose parameters it has; branches of a spatial tendon share them
        "START",  # side where it starts
        "STRAND", "STRAND_END",
        "SEGMENT", "SEGMENT_END",  # of a spatial tendon, from its root to its leaf
    ),
    "STRANDS": (  # one per axis of a fixed tendon, one for a leaf
        "NODE",  # node of the axis
        "SIDE",  # side that it pulls
        "PREVIOUS",  # strand that pulls the link above; -1 at the start
        "REVERSED",  # whether body 0 is the child here and the parent on the first axis, or the other way round
    ),
    "SEGMENTS": ("NEAR", "FAR"),  # attachments
    "ATTACHMENTS": ("LINK",),
    "COLLIDERS": (
        "SHAPE",  # see SHAPES
        "NODE",  # node that carries its link; -1 for what is static
        "LINK",
        "HULL",  # its convex hull, or -1: of a hull, of what is round but for planes, of a box against a hull
        "TREE",  # root of the bounding boxes of its triangles, or -1
        "ARTICULATION",
        "FIRST",  # first collider of its link
        "SPECULATES",  # whether it acts ahead of its motion, see `word_values`
        "WHOLE",  # first part of the prim that it is a part of
        # of an island that does not list its early pairs:
        "BODY",  # item of BODIES
        "KIND",  # its kind, among those of the island
        "KIND_ROW",  # items of PAIR_KINDS with its kind on side 0
        "SIDE",  # item of SIDES
        "RANK",  # place in the order of sides
        "APART", "APART_END",  # colliders that it does not touch, though their kinds do
    ),
    "HULLS": ("VERTEX", "VERTEX_END", "FACE", "FACE_END", "EDGE", "EDGE_END"),  # convex hulls
    "HULL_FACES": ("CORNER", "CORNER_END"),  # counterclockwise, seen from outside
    "HULL_CORNERS": ("VERTEX",),  # of the faces, one after the other
    "HULL_EDGES": ("FACE0", "FACE1"),
    "BOUNDS": (  # bounding boxes of triangles, depth first
        "SKIP",  # next box that is not within this one; it ends a tree where it equals the end of its root
        "TRIANGLE", "TRIANGLE_END",  # of a leaf
    ),
    "TRIANGLES": (
        "VERTEX0", "VERTEX1", "VERTEX2",
        "CONVEX",  # bits of its convex edges: 1 from vertex 0 to 1, 2 from 1 to 2, 4 from 2 to 0
        "NEXT0", "NEXT1", "NEXT2",  # triangles beyond the edges from vertex 0 to 1, 1 to 2, 2 to 0; -1 for none
    ),
    "BODIES": (  # links with colliders, and static colliders one by one
        "LINK",  # -1 for what is static
        "COLLIDER", "COLLIDER_END",
        "GROUP", "GROUP_END",  # early groups of which it is body 0, in the order of body 1
        "PAIR",  # number of the first early pair of which it is body 0, if they are not listed
    ),
    "GROUPS": ("BODY0", "BODY1", "PAIR", "PAIR_END"),  # pairs of the colliders of two bodies, body 0 < body 1
    "CROWD": ("SLOT",),  # bodies of an island that are sorted along an axis
    "PAIR_KINDS": ("PAIR",),  # two kinds of colliders: item of PAIRS with the numbers of their pairs, -1 for none
    "APART": ("COLLIDER",),  # colliders of one island, ascending
    "PAIRS": (  # two colliders that may touch; `collision_table` has which one is shape A, never a plane
        "COLLIDER_A", "COLLIDER_B",
        "LAW",  # of their contacts, see `collision_table.LAWS`
        "REVERSED",  # whether side 0 of the solver has B
        "SIDE0", "SIDE1",  # items of SIDES, which pairs share
        "INNER",  # whether it is solved in the sweep of its link
        "HAS_LINK",  # whether it has a link of an articulation
        "COMPLIANT",  # whether its contacts are springs
        "TWISTS",  # whether it has torsional friction
        "SURFACES",  # bits of the sides with a surface velocity: 1, 2
        "POINTS",  # most contact points
        "CONTACT",  # its first contact point if every pair has a slot of its own
        "MANIFOLD",  # its persistent manifold in that case; -1 for a pair that keeps none
        "OWNER0", "OWNER1",  # articulations of the sides, -1 for what is static
        "LINK_RANK",  # number of its link breadth first, for contacts of an articulation with what is static
        "RANK0", "RANK1",  # order of the sides where their boxes begin at the same x
    ),
    "ACTIVE": ("PLACE",),  # list of the pairs that are near in any lane
    "SLOTS": ("SLOT",),  # numbers of a pair while it is near
    "HELD": ("SLOT",),  # copies of the words and parameters of the pair that holds a shared slot
    "CONTACTS": ("SLOT",),  # contact points
    "NORMAL_ROWS": ("SLOT",),  # of contact points
    "PATCHES": ("SLOT",),  # of friction, of points with one normal
    "ANCHORS": ("SLOT",),  # of friction, two per patch
    "CANDIDATES": ("SLOT",),  # points from which those of a manifold are chosen
    "DIRECTIONS": ("SLOT",),  # lists of what a shape meets on a mesh
    "CORES": ("SLOT",),  # of the two shapes of a pair
    "SUPPORTS": ("SLOT",),  # points of the difference of two convex shapes
    "FACETS": ("SLOT",),  # triangles between them
    "FACET_SIDES": ("SLOT",),  # three of each
    "RECIPROCALS": ("COARSE", "FINE"),  # 256 of each, see `geometry.reciprocals`; none where no box touches a box
}  # fmt: skip

TABLES = {name: {word: i for i, word in enumerate(words)} for name, words in _WORDS.items()}
"""Place of every word within an item, by table."""

NODE, ARTICULATION = TABLES["NODES"], TABLES["ARTICULATIONS"]

HEADER = (
    # first rows of the state, and number of rows
    *("Q", "QD", "APPLIED_EFFORT", "POSE", "ROOT_VELOCITY", "RUNAWAY", "JOINT_BROKEN"),
    *("GEAR_POSITION0", "GEAR_POSITION1", "GEAR_ERROR", "GEAR_BEGUN", "INTEGRAL"),
    *("HOLDS_COMMANDS", "HELD_TARGET_Q", "HELD_TARGET_QD", "HELD_EFFORT", "ROWS"),
    "SCRATCH",  # number of scratch rows
    "ISLAND_SCRATCH",  # scratch rows of an island by itself; 0 where islands of a world are stepped one after the other
    *TABLES,  # where each table begins
    "ISLAND_COUNT",  # number of islands
    *("MIMIC_RESPONSES", "MIMIC_RESPONSE_STRIDE"),  # first scratch row of these responses, and rows per mimic joint
    "SLEEP_BACKUP",  # first scratch row of the saved state
    # first scratch rows
    *("SIDES_SCRATCH", "CONSTRAINTS_SCRATCH", "TENDONS_SCRATCH", "STRANDS_SCRATCH"),
    *("ARTICULATIONS_SCRATCH", "MEMBERS_SCRATCH", "COLLIDERS_SCRATCH", "CONTACTS_SCRATCH", "PATCHES_SCRATCH"),
    *("ANCHORS_SCRATCH", "CANDIDATES_SCRATCH", "DIRECTIONS_SCRATCH", "CORES_SCRATCH", "SUPPORTS_SCRATCH"),
    *("FACETS_SCRATCH", "FACET_SIDES_SCRATCH", "NORMAL_ROWS_SCRATCH"),
    *("ACTIVE_SCRATCH", "BODIES_SCRATCH", "CROWD_SCRATCH", "SLOTS_SCRATCH", "HELD_SCRATCH"),
    "TURNS",  # first scratch row of the order in which pairs are solved
    *("BUNDLES", "BUNDLE_COUNT"),  # first scratch row of the bundles of pairs, and room for so many
    *(name for name, *_ in CONTACT_STATE),  # first rows of the contacts' state, in scratch if pairs share slots
    *(f"STORED_{name}" for name, *_ in CONTACT_STATE),  # first rows in the buffer
    "CONTACT_ROWS",  # number of these rows
    # numbers of items
    *("DOF_COUNT", "LINK_COUNT", "ARTICULATION_COUNT", "MAXIMAL_JOINT_COUNT", "TENDON_COUNT", "SLOT_COUNT"),
    *("SHARED_SLOT_COUNT", "CONTACT_COUNT", "PATCHES_PER_SLOT", "MANIFOLDS_PER_SLOT", "COLLIDER_COUNT"),
)
"""Words before the tables; two words per parameter follow: first element, and rows per world or 0 if all share them."""

DRIVES = {"NONE": 0, "FORCE": 1, "ACCELERATION": 2, "ACTUATOR": 3}
"""Laws of a node's drive; of an actuator, an explicit effort, it has the bounds alone."""

SPRINGS = {"NONE": 0, "FORCE": 1, "ACCELERATION": 2}
"""Springs of a row of a maximal joint: a drive, or a soft bound."""

SOFT_BOUNDS = {"NONE": 0, "LIMIT": 1, "DISTANCE": 2}
"""Springs of a bound: that of a limit acts beyond it only."""

KINDS = {"FIXED_ROOT": 0, "FLOATING_ROOT": 1, "FIXED": 2, "REVOLUTE": 3, "PRISMATIC": 4, "SPHERICAL": 5}

CONSTRAINT_KINDS = {
    name: i
    for i, name in enumerate(
        (
            *("LINEAR_DRIVE", "LINEAR_LIMIT", "LINEAR_LOCK", "DISTANCE"),
            *("ANGULAR_DRIVE", "ANGULAR_LIMIT", "CONE", "SWING_LOCK", "ANGULAR_LOCK"),
            *("GEAR", "RACK"),
        )
    )
}
