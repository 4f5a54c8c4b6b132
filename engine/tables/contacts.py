"""Named numbers of contacts: what a world keeps from step to step, kinds of shapes and of pairs.

Shape letters: C colliders, W slots of pairs of colliders, f friction patches (one per slot, or six), F their anchors
(2 each), H persistent manifolds, Y their points (4 each), B numbers that pairs had, I islands, G articulations if there
are pairs. `topology` relates them to each other. Every pair has a slot of its own, or pairs share slots: then a pair
has one while it is near, and there are w = W of them, else w = 0.
"""

from .scratch_rows import ROW_TYPES

_ROWS = """
TOUCH_NUMBER           W integer    rank in its group's list of touching pairs, from 1 on; 0 without a contact point
TOUCH_AGE              W integer    rank among the island's touching pairs in the order in which they began to touch
SOLVE_ORDER            W integer    place in the order of solution, from 1 on, among the pairs solved in the same place
IN_BLOCK               W number     whether it is solved in a block of four pairs, at once with three others
CONTACT_ID             W integer    1 + the number given when its bounding boxes met; 0 while they are apart
ANCHOR_COUNT           f integer    friction anchors of a patch; 0: there is no patch to go on with
SLIPPED                f number     whether the patch slipped in the last iteration
PATCH_NORMAL0          f vector     normal of the patch in the frame of side 0
PATCH_NORMAL1          f vector     normal of the patch in the frame of side 1
SPARE_ID               B integer    stack of the numbers that are free again, per island
ANCHOR0                F vector     friction anchor from the centre of mass of side 0, its axes [m]
ANCHOR1                F vector     friction anchor from the centre of mass of side 1, its axes, or the world's [m]
MANIFOLD_COUNT         H integer    points of the manifold
MANIFOLD_MADE          H flag       whether the manifold was made
MANIFOLD_POSITION      H vector     position of shape A in the frame of shape B when the points were made [m]
MANIFOLD_ROTATION      H quaternion orientation of shape A in the frame of shape B at that time, a quaternion
MANIFOLD_ORIENTATION_A H quaternion orientation of shape A at that time, a quaternion
MANIFOLD_ORIENTATION_B H quaternion orientation of shape B at that time, a quaternion
POINT_A                Y vector     contact point in the frame of shape A [m]
POINT_B                Y vector     contact point in the frame of shape B [m]
POINT_NORMAL           Y vector     normal from B to A in the frame of shape B
POINT_DISTANCE         Y number     distance along the normal, negative in penetration [m]
SIMPLEX_COUNT          H integer    vertices of the simplex at the nearest points of two convex shapes, as last found
SIMPLEX_A              Y integer    number of the vertex of shape A in it
SIMPLEX_B              Y integer    number of the vertex of shape B in it
TOUCHES                I integer    touching pairs
GROUP_ROOT             G integer    1 + root of the group of those that touch it; 0 before the island's first touch
GROUP_PLACE            G integer    of a root: place of its group in the list of groups, from 0 on
HOPS                   G integer    steps from pair to pair to the root, as they were last counted
NEXT_TO_ROOT           G integer    1 + next articulation on a way to the root; 0: no way is known
ID_COUNT               I integer    numbers given to pairs that were never free again
SPARE_ID_COUNT         I integer    height of the stack of free numbers
CONTACT_STEPS          I integer    0 before the first step, in which the order is another; 2 after the list has changed
STORED_PAIR            w integer    1 + number of the pair that has the slot in its block, ascending; 0 for a free slot
STORED_BLOCK           w integer    block of PAIR_BLOCK numbers that has the pair's number
LOST_PAIRS             I integer    most pairs without a slot in a step of the last launch
"""

CONTACT_TYPES = {row.split()[0]: row.split()[2] for row in _ROWS.strip().splitlines()}
"""Types of what a world keeps from step to step, of `scratch_rows.ROW_TYPES`, by name."""

CONTACT_STATE = tuple(
    (name, owner, ROW_TYPES[kind], meaning)
    for name, owner, kind, meaning in (row.split(None, 3) for row in _ROWS.strip().splitlines())
)
"""From step to step: (name, owner, width, meaning). Shapes A and B of a pair are in the order of `collision_table`."""

_KINDS = ("SPHERE", "PLANE", "CAPSULE", "BOX", "CYLINDER", "CONE", "CONVEX_HULL", "TRIANGLE_MESH")
SHAPES = {name: i for i, name in enumerate(_KINDS)}
"""Kinds of shapes, numbered as `scene.ShapeKind`. `collision_table` has which of two kinds is shape A."""

MANIFOLD_POINTS = 4
"""Most contact points of a pair."""

PATCHES_ON_MESH = 6
"""Friction patches of a slot in scenes with triangle meshes; in others a pair touches in one direction only."""

POINTS_OF_DIRECTION = 6
"""Most contact points of a box or hull with a triangle mesh in one direction."""

MANIFOLDS_ON_MESH = PATCHES_ON_MESH * POINTS_OF_DIRECTION // MANIFOLD_POINTS
"""Manifolds whose room a pair with a triangle mesh has: its points lie direction by direction."""

POINTS_ON_MESH = 24
"""Most contact points of a box or hull with a triangle mesh that are solved: those of the deepest directions."""

COLOURS = 32
"""Colours of constraints between two moving bodies in a round."""

COLOUR_ROUNDS = {0: 1 << 16, 1: 2}
"""Rounds of colours under PGS and TGS."""

UNCOLOURED, WORLD_COLOUR = -1, 1 << 22
"""Colours of constraints that found none in any round, which are solved first, and of joints to the world."""

SLOTS_OF_ARTICULATION, SLOTS_OF_COLLIDER = 64, 8
"""Slots for pairs that are near, which an island has per articulation and per collider of a free body."""

PAIR_BLOCK = 1 << 16
"""Numbers of pairs in a block: states have blocks and places in them, which single precision holds exactly."""

MOST_PAIRS = (1 << 31) - 1
"""Most pairs of a scene: kernels have their numbers as integers of 32 bits."""

MOST_LISTED = 1 << 24
"""Most pairs of a scene that are listed: each takes some hundred bytes."""

SPARE_NUMBERS = 2
"""Numbers per slot that pairs share: pairs that meet get theirs before those that part give back theirs."""

SUPPORT_SLOTS, FACET_SLOTS = 64, 128
"""Most points and triangles of the polytope in which the depth of two convex shapes is found."""
