"""Named rows of a bundle: pairs of colliders that no body shares, solved at once in the lanes of a vector.

A bundle has the numbers of its rows one after the other, each for all lanes: element (row, lane) has the place
row · BUNDLE_LANES + lane. Its points and anchors follow its own rows. What rows are computed from comes last in each:
no iteration reads it.
"""

from .contact_scratch import ANCHOR_SCRATCH, CONTACT_SCRATCH
from .contacts import MANIFOLD_POINTS
from .scratch_rows import ROW_TYPES, number_rows

BUNDLE_LANES = 8
"""Pairs of a bundle, in single and in double precision."""

LEAST_PAIRS = 3
"""Pairs from which on a bundle repays its copies."""

ANCHORS = 2
"""Friction anchors of a pair that has one patch."""

BUNDLE_SCRATCH = number_rows("""
FIRST             index  turn of its first pair; -1 after the last bundle of a step
END               index  turn after its last pair
MOST_POINTS       index  largest number of contact points of its pairs
MOST_ANCHORS      index  largest number of friction anchors of its pairs
HAS_LINKS         index  whether a side of its pairs is a link of an articulation, or a kinematic body
NODE0             index  of each lane: node of the body at side 0, -1 for what is static
NODE1             index  of each lane: node of the body at side 1
V0                motion velocity of side 0
V1                motion velocity of side 1
MOVED0            motion motion of side 0 since the start of the step
MOVED1            motion motion of side 1 since the start of the step
IMPULSE0          force  impulse on side 0 in an iteration
IMPULSE1          force  impulse on side 1 in an iteration
MAX_DEPENETRATION number parameter of the pair
CONTACT_STATIC_FRICTION  number parameter of the pair
CONTACT_DYNAMIC_FRICTION number parameter of the pair
CONTACT_MAX_IMPULSE      number parameter of the pair
IN_BLOCK          number whether the pair is solved in a block of four pairs
MIN_FORCE         number least normal impulse for friction
SHARE             number share of the normal impulse that bounds the friction at one anchor
SLIPPED           number whether the patch slipped in the last iteration
POINT_COUNT       number contact points
REST_DISTANCE     number parameter of the pair
CONTACT_RESTITUTION number parameter of the pair
CONTACT_SLOP      number parameter of the pair
MOVES1            number 1 where side 1 is a body, 0 where it is static
TURNS0            tensor angular velocity of side 0 per unit of angular impulse
TURNS1            tensor that of side 1
SLIDES0           number velocity of side 0 per unit of impulse
SLIDES1           number that of side 1
NORMAL            vector normal of the friction patch
TANGENT0          vector first direction of friction
TANGENT1          vector second direction of friction
ANCHOR_COUNT      number friction anchors
""")

_POINT_ROWS = (
    *("JACOBIAN", "RESPONSE0", "RESPONSE1", "INV_RESPONSE", "TARGET", "ERROR", "BIAS_RATE", "IMPULSE"),
    *("POINT", "NORMAL", "SEPARATION"),
)
POINT_INPUTS = ("point", "normal", "separation")
"""Numbers of a point that its row is computed from."""
POINT_SCRATCH = number_rows("".join(f"{name} {CONTACT_SCRATCH[name][1]} as of a contact\n" for name in _POINT_ROWS))
BUNDLE_ANCHOR_SCRATCH = number_rows(
    "".join(f"{name} {kind} as of an anchor\n" for name, (_, kind, _) in ANCHOR_SCRATCH.items())
    + "PLACE0 vector anchor in the frame of side 0 [m]\nPLACE1 vector in that of side 1\n"
)


def _count(rows: dict[str, tuple[int, str, str]]) -> int:
    return sum(ROW_TYPES[kind] for _, kind, _ in rows.values())


OWN_ROWS, POINT_ROWS, ANCHOR_ROWS = (_count(rows) for rows in (BUNDLE_SCRATCH, POINT_SCRATCH, BUNDLE_ANCHOR_SCRATCH))
BUNDLE_NUMBERS = (OWN_ROWS + MANIFOLD_POINTS * POINT_ROWS + ANCHORS * ANCHOR_ROWS) * BUNDLE_LANES
"""Numbers of scratch of a bundle."""
