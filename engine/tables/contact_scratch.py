"""Named rows of the scratch of contacts, per item of each table of the topology; see `scratch`."""

from .layout import PARAMETERS
from .scratch_rows import alias_rows, number_rows
from .topology import TABLES

# Scratch of one step per collider.
COLLIDER_SCRATCH = number_rows("""
POSITION    vector     origin of the shape, world [m]
ORIENTATION quaternion orientation of the shape, world
LOW         vector     lower corner of its bounding box, grown by the contact offset [m]
HIGH        vector     upper corner
TRAVEL      number     how far its body may move in the step, of one that speculates [m]
TURN        number     angle by which its body may turn in the step [rad]
AHEAD       number     how far its contact distance and its bounding box are grown for both [m]
STOPPED     flag       of the first collider of a link: whether its body was swept and stopped in this step
WAY         number     how far its bounding box is grown for the way of a swept body [m]
TOUCHES     number     statistics, of the first collider of a link: whether the link has a contact point
FORCE       vector     net force of the link's contacts [N]
SLIP        number     largest tangential displacement at a contact of the link in the step [m]
DEPTH       number     greatest penetration of the link [m]
""")

# Scratch per body with colliders.
BODY_SCRATCH = number_rows("""
LOW      vector lower corner of the box of a static body, grown by its contact offset [m]
HIGH     vector upper corner
PLACED   flag   whether its colliders were placed in this step
TURN     index  first turn of its contacts with what is static
TURN_END index  turn after the last one
""")

# Scratch of one step per body of an island with many.
CROWD_SCRATCH = number_rows("""
LOW      vector lower corner of its box, or of the cube around its colliders [m]
HIGH     vector upper corner
ROOM_LOW vector lower corner of the box in which it keeps its partners, in any lane [m]
ROOM_HIGH vector upper corner
FIRST    index  place of its first partner in the list of those that are kept
PARTNERS index  number of its partners
KEPT     index  of the first item: partners of all bodies that are kept, -1 for none
BEGIN0   number where it begins along the axis of the bands, in any lane, with slack for rounding [m]
END0     number where it ends there
BEGIN1   number where it begins along the axis of sorting, as along the first [m]
END1     number where it ends there
BEGIN2   number where it begins along the third axis, as along the first [m]
END2     number where it ends there
BAND     number its band
LAYER    number its layer
PLACE    index  its place among the sorted bodies
LISTED   index  body at a place of the sorted list
RANKED   index  the list while it is sorted
START_BAND number band of the body at that place
START_LAYER number its layer
START    number BEGIN1 of that body [m]
LOW0     number BEGIN0 of that body [m]
HIGH0    number END0 of that body [m]
LOW1     number BEGIN2 of that body [m]
HIGH1    number END2 of that body [m]
PARTNER  index  list of bodies whose boxes overlap that of another one
STARTS   series where in the sorted list its partners begin, in each of four layers of four bands
""")

# Lists of pairs, in the order of their numbers; they last through the steps of a launch.
ACTIVE_SCRATCH = number_rows("""
SLOT      index  slot of a pair that is near or was in the last step, in any lane
NEXT      index  the list of the next step while it is made
NEAR_PAIR index   place in its block of a pair that is near in any lane in this step
NEAR_BLOCK index  block of PAIR_BLOCK numbers that has its number
NEAR      flag   whether it is near
FREE      index  stack of the slots that are free again
LISTED    integer list of slots, which is sorted
LISTED_COLOUR integer colour of the pair at that place of the list
COLOURED  integer the same slots, sorted by colour
RANKED    integer the list while it is sorted; touching pairs in the order of their groups' lists, or of their ages
CURSOR    integer of the first item: place of the next pair that a world keeps between launches
NEXT_PAIR number of the first item: place of that pair in its block
NEXT_BLOCK number of the first item: that block
PARTNER   index  list of partners of the bodies of a crowd, body after body
""")

# Scratch of one step per slot of a pair of colliders.
SLOT_SCRATCH = number_rows("""
PAIR            index      place in its block of the pair that has the slot
BLOCK           index      block of PAIR_BLOCK numbers that has its number
NEAR            flag       whether the bounding boxes overlap
POINT_COUNT     integer    contact points
MOST_POINTS     index      largest number of contact points of all lanes
MOST_PATCHES    index      largest number of friction patches of all lanes
ORDER           integer    SOLVE_ORDER of a pair that touches, else 0
KEY0            number     keys by which new pairs are sorted
KEY1            number     second key
KEY2            number     third key
KEY3            number     fourth key
KEY4            number     fifth key
KEY5            number     sixth key
KEY6            number     seventh key
AWAKE           flag       sleep: whether either body is awake
UPDATES         flag       sleep: whether its points are yet to be computed
""")

# The same rows of a slot under the names that they have in another part of the step.
SLOT_ALIASES = alias_rows(
    SLOT_SCRATCH,
    """
    COLOUR integer KEY0 colour of a pair that is solved outside the sweeps
    OLDER0 integer KEY1 next older touching pair of side 0, -1 for none
    OLDER1 integer KEY2 that of side 1
    NEXT_IN_RING integer KEY3 next touching pair of its group
    BUNDLED index KEY4 whether a bundle of pairs computes its rows in this step
    """,
)

PAIR_PARAMETERS = tuple(name for name, row in PARAMETERS.items() if row.owner == "G")
"""Parameters of pairs."""

# Copies of the numbers of the pair that holds a shared slot, so that those of the few pairs that are near lie together.
HELD_SCRATCH = number_rows(
    "".join(f"{word} index word of the pair\n" for word in TABLES["PAIRS"])
    + "".join(f"{name} number parameter of the pair\n" for name in PAIR_PARAMETERS)
)

# Scratch of one step per friction patch.
PATCH_SCRATCH = number_rows("""
NORMAL          vector     its normal, from side 1 to side 0
MOST_ANCHORS    index      largest number of anchors of all lanes
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

# Scratch of one step per contact point: few numbers, since all pairs of many bodies have them side by side.
CONTACT_SCRATCH = number_rows("""
POINT              vector   contact point, world [m]
NORMAL             vector   normal from side 1 to side 0, world
SEPARATION         number   distance along the normal, negative in penetration [m]
IMPULSE            number   accumulated impulse [N·s]
""")

# Further scratch of one step per contact point: its row, of a pair that is solved by itself.
NORMAL_ROW_SCRATCH = number_rows("""
PATCH              integer  meshes: its friction patch, of those of the pair
GROUP              integer  meshes: first of the consecutive points with its normal
JACOBIAN           jacobian row on the velocities of both sides
RESPONSE0          motion   velocity change of side 0 per unit of impulse
RESPONSE1          motion   minus the velocity change of side 1 per unit of impulse
INV_RESPONSE       number   1 / (r + cfm); 0 without a point
TARGET             number   velocity after a bounce, or that a surface wants [m/s]
ERROR              number   separation that the rows act on [m]
BIAS_RATE          number   wanted velocity per separation [1/s]
VELOCITY_MULTIPLIER number  compliant: impulse per rate
SPRING             number   compliant: impulse per separation
IMPULSE_MULTIPLIER number   compliant: share of the accumulated impulse that stays
""")

# Scratch of one step per friction anchor: a row for each of the two tangents.
ANCHOR_SCRATCH = number_rows("""
ACTS        number   1 for an anchor that exists
JACOBIAN0   jacobian row along the first tangent
RESPONSE00  motion   velocity change of side 0 per unit of impulse along it
RESPONSE01  motion   minus the velocity change of side 1
MULTIPLIER0 number   impulse per rate along it
ERROR0      number   how far the sides' anchors are apart along it [m]; of a surface minus the velocity wanted [m/s]
IMPULSE0    number   accumulated impulse along it
JACOBIAN1   jacobian row along the second tangent
RESPONSE10  motion   velocity change of side 0 per unit of impulse along it
RESPONSE11  motion   minus the velocity change of side 1
MULTIPLIER1 number   impulse per rate along it
ERROR1      number   how far the sides' anchors are apart along it [m]; of a surface minus the velocity wanted [m/s]
IMPULSE1    number   accumulated impulse along it
""")

# Scratch of contact generation: points from which those of a manifold are chosen.
CANDIDATE_SCRATCH = number_rows("""
POINT_A  vector   in the frame of shape A [m]
POINT_B  vector   in the frame of shape B [m]
NORMAL   vector   from B to A, in the frame of shape B
DISTANCE number   along the normal [m]
CORNER   vector   corner of a face that is clipped [m]
OUTLINE  vector   corner of the face that clips it [m]
WITHIN   flag     whether the corner is within the other face
NEAR     flag     whether the corner is near enough
CHOSEN   integer  index of a chosen point
""")

# The same rows of a candidate under the names that they have in another part of the generation.
CANDIDATE_ALIASES = alias_rows(
    CANDIDATE_SCRATCH,
    """
LISTED   flag    NEAR   reduction: whether the point is among those that are chosen
WAITING  flag    NEAR   sphere on a mesh: whether the point was not looked at yet
ASIDE    number  CHOSEN sphere on a mesh: distance of a point on an edge or corner [m]
TRIANGLE integer WITHIN sphere on a mesh: triangle that was met
""",
)

# Scratch of contact generation: lists of what a shape meets on a triangle mesh.
DIRECTION_SCRATCH = number_rows("""
NORMAL    vector normal of a direction of contact, in the frame of the mesh
DEPTH     number least distance of its points [m]
FIRST     integer its first candidate
END       integer the candidate after its last one
ROOT      integer first direction with its normal
NEXT      integer next one with that normal, or -1
MET       integer triangle with points
DEFERRED  integer triangle that is deferred until all others are visited
DEFERRED_FACE integer face of the shape that met it
""")

# Scratch of contact generation: the cores of the two shapes of a pair, one of which is a cylinder or cone.
CORE_SCRATCH = number_rows("""
KIND        integer    kind of the shape
FIRST       integer    hull: its first vertex; triangle: its number
END         integer    hull, triangle: number of its points
SIZE        vector     sizes of the shape [m]
MARGIN      number     distance of the surface from the core [m]
POSITION    vector     origin of the shape in the frame of the search [m]
ORIENTATION quaternion orientation of the shape in that frame
ACCURACY    number     distance below which two of its points are welded [m]
POINTS      integer    welded points so far
""")

# Scratch of contact generation: points of the difference A − B of two convex shapes, in the frame of B.
SUPPORT_SCRATCH = number_rows("""
VERTEX_A integer  number of the vertex of shape A
VERTEX_B integer  number of the vertex of shape B
POINT_A  vector   its place [m]
POINT_B  vector   its place [m]
WEIGHT   number   weight in the nearest point
RIM      integer  side of a facet at the rim of the facets that a point sees
""")

# Scratch of contact generation: a triangle of the polytope of such points.
FACET_SCRATCH = number_rows("""
NORMAL   vector   outward normal
DISTANCE number   of the origin from its plane
OPEN     flag     whether it may be the nearest one
SEEN     flag     whether a later point saw it from outside: it is no longer on the polytope
PENDING  integer  stack of sides that are to be looked at
""")

FACET_SIDE_SCRATCH = number_rows("""
CORNER    integer support at the start of the side
NEIGHBOUR integer the same side of the neighbouring facet
""")

CONTACT_SCRATCHES = {
    "COLLIDERS": COLLIDER_SCRATCH,
    "BODIES": BODY_SCRATCH,
    "CROWD": CROWD_SCRATCH,
    "ACTIVE": ACTIVE_SCRATCH,
    "SLOTS": SLOT_SCRATCH,
    "HELD": HELD_SCRATCH,
    "CONTACTS": CONTACT_SCRATCH,
    "NORMAL_ROWS": NORMAL_ROW_SCRATCH,
    "PATCHES": PATCH_SCRATCH,
    "ANCHORS": ANCHOR_SCRATCH,
    "CANDIDATES": CANDIDATE_SCRATCH,
    "DIRECTIONS": DIRECTION_SCRATCH,
    "CORES": CORE_SCRATCH,
    "SUPPORTS": SUPPORT_SCRATCH,
    "FACETS": FACET_SCRATCH,
    "FACET_SIDES": FACET_SIDE_SCRATCH,
}
"""Scratch rows of one item of contacts, by table of the topology."""

LISTS = (
    "ACTIVE", "CROWD", "CANDIDATES", "DIRECTIONS", "CORES", "SUPPORTS", "FACETS", "FACET_SIDES",
)  # fmt: skip
"""Tables whose items every island counts from 0."""

SLOT_TABLES = ("SLOTS", "HELD", "CONTACTS", "NORMAL_ROWS", "PATCHES", "ANCHORS")
"""Tables of slots, whose items every island counts from 0 where pairs share slots."""
