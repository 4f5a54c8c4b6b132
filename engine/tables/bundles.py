"""Named rows of a bundle: pairs of colliders that no body shares, solved at once in the lanes of a vector.

A bundle has the numbers of its rows one after the other, each for all lanes: element (row, lane) has the place
row · BUNDLE_LANES + lane. Its points and anchors follow its own rows, and then the responses of these, which only
bundles with links have: those of free bodies are computed wherever they are needed, since iterations wait for memory.
What a row is computed from lies in its place until then.
"""

from collections.abc import Iterable

from .contact_scratch import ANCHOR_SCRATCH, CONTACT_SCRATCH, NORMAL_ROW_SCRATCH
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
MOVES1            number 1 where side 1 is a body, 0 where it is static
TURNS0            tensor angular velocity of side 0 per unit of angular impulse
TURNS1            tensor that of side 1
SLIDES0           number velocity of side 0 per unit of impulse
SLIDES1           number that of side 1
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
NORMAL            vector normal of the friction patch
TANGENT0          vector first direction of friction
TANGENT1          vector second direction of friction
ANCHOR_COUNT      number friction anchors
V0                motion links: velocity of side 0
V1                motion links: velocity of side 1
MOVED0            motion links: motion of side 0 since the start of the step
MOVED1            motion links: motion of side 1 since the start of the step
""")


def _rows_of(scratch: dict[str, tuple[int, str, str]], names: Iterable[str]) -> dict[str, tuple[int, str, str]]:
    return number_rows("".join(f"{name} {scratch[name][1]} as of a single pair\n" for name in names))


def _count(rows: dict[str, tuple[int, str, str]]) -> int:
    return sum(ROW_TYPES[kind] for _, kind, _ in rows.values())


_CONTACT = NORMAL_ROW_SCRATCH | CONTACT_SCRATCH
POINT_SCRATCH = _rows_of(_CONTACT, ("JACOBIAN", "INV_RESPONSE", "TARGET", "ERROR", "BIAS_RATE", "IMPULSE"))
POINT_RESPONSES = _rows_of(_CONTACT, ("RESPONSE0", "RESPONSE1"))
BUNDLE_ANCHOR_SCRATCH = _rows_of(ANCHOR_SCRATCH, (name for name in ANCHOR_SCRATCH if not name.startswith("RESPONSE")))
ANCHOR_RESPONSES = _rows_of(ANCHOR_SCRATCH, (name for name in ANCHOR_SCRATCH if name.startswith("RESPONSE")))

OWN_ROWS, POINT_ROWS, ANCHOR_ROWS = (_count(rows) for rows in (BUNDLE_SCRATCH, POINT_SCRATCH, BUNDLE_ANCHOR_SCRATCH))
POINT_RESPONSE_ROWS, ANCHOR_RESPONSE_ROWS = _count(POINT_RESPONSES), _count(ANCHOR_RESPONSES)
_EACH = MANIFOLD_POINTS * (POINT_ROWS + POINT_RESPONSE_ROWS) + ANCHORS * (ANCHOR_ROWS + ANCHOR_RESPONSE_ROWS)
BUNDLE_NUMBERS = (OWN_ROWS + _EACH) * BUNDLE_LANES
"""Numbers of scratch of a bundle."""

_LINEAR, _ANGULAR = POINT_SCRATCH["JACOBIAN"][0], POINT_SCRATCH["JACOBIAN"][0] + 3
POINT_INPUTS = {
    "NORMAL": (_LINEAR, "vector", "as of a contact"),
    "POINT": (_ANGULAR, "vector", "as of a contact"),
    "SEPARATION": (POINT_SCRATCH["ERROR"][0], "number", "as of a contact"),
}
"""Numbers of a point from which its row is computed, in the place of that row."""
_LINEAR, _ANGULAR = BUNDLE_ANCHOR_SCRATCH["JACOBIAN0"][0], BUNDLE_ANCHOR_SCRATCH["JACOBIAN0"][0] + 3
ANCHOR_INPUTS = {
    "PLACE0": (_LINEAR, "vector", "anchor in the frame of side 0 [m]"),
    "PLACE1": (_ANGULAR, "vector", "in that of side 1"),
}
"""Numbers of an anchor from which its rows are computed, in their place."""
