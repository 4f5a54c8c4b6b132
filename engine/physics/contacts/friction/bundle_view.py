"""Views of a bundle: pairs of one world that no body shares, side by side in the lanes of a vector; `tables.bundles`.

In a package whose lanes are pairs, `BundleView` takes the place of the view of a world where the rows of a pair are
solved. In that of single worlds a bundle is written and read lane by lane.
"""

from dataclasses import replace

import taichi as ti
from taichi.lang.expr import Expr
from taichi.lang.matrix import make_matrix

from ....tables.bundles import (
    ANCHOR_INPUTS,
    ANCHOR_RESPONSE_ROWS,
    ANCHOR_RESPONSES,
    ANCHOR_ROWS,
    ANCHORS,
    BUNDLE_ANCHOR_SCRATCH,
    BUNDLE_LANES,
    BUNDLE_NUMBERS,
    BUNDLE_SCRATCH,
    OWN_ROWS,
    POINT_INPUTS,
    POINT_RESPONSE_ROWS,
    POINT_RESPONSES,
    POINT_ROWS,
    POINT_SCRATCH,
)
from ....tables.contacts import MANIFOLD_POINTS
from ....tables.scratch_rows import ROW_TYPES
from ...lanes import broadcast, materialize, traced
from ...rotation import Quat
from ...spatial import Motion, Sym3, no_motion, no_tensor, select, zero_vector
from ...spatial_inertia import FreeResponse
from ...stored import SMALL, element, stored
from ...views import SCRATCH_ROWS, TYPES, View

POINTS_AT = OWN_ROWS * BUNDLE_LANES
ANCHORS_AT = POINTS_AT + MANIFOLD_POINTS * POINT_ROWS * BUNDLE_LANES
POINT_RESPONSES_AT = ANCHORS_AT + ANCHORS * ANCHOR_ROWS * BUNDLE_LANES
ANCHOR_RESPONSES_AT = POINT_RESPONSES_AT + MANIFOLD_POINTS * POINT_RESPONSE_ROWS * BUNDLE_LANES


class LaneNumbers(Expr):
    """A number of every lane, in as many places of an array of numbers; `ptr`, by which Taichi reads it, loads it."""

    def __init__(self, places):
        self.places, self.value = places, None
        self.dbg_info, self.ptr_type_checked = None, True

    @property
    def ptr(self):
        if self.value is None:
            self.value = make_matrix(self.places)
        return self.value.ptr

    def _assign(self, value):
        value = materialize(value)
        if not value.is_tensor():
            value = broadcast(value)
        for lane, place in enumerate(self.places):
            place._assign(element(value, lane))


class BundleItem(View):
    """Bundle, or a point, an anchor or the responses of one: its scratch rows, in all lanes or in one."""

    def __init__(self, w, rows, first, lane, inputs=()):
        values = vars(self)  # past __setattr__, which writes rows
        values["_w"], values["_lane"], values["_own"] = w, lane, tuple(name.lower() for name in rows)
        values["_rows"] = {name.lower(): row for name, row in {**rows, **dict(inputs)}.items()}
        values["_first"] = materialize((first if lane is None else first + lane) & SMALL)

    def __getattr__(self, name):
        if name not in self._rows:
            raise AttributeError(f"bundles have no row {name.upper()}")
        row, kind, _ = self._rows[name]
        return stored(TYPES[kind], [self._place((row + i) * BUNDLE_LANES) for i in range(ROW_TYPES[kind])])

    def _place(self, at):
        lanes = range(BUNDLE_LANES) if self._lane is None else (0,)
        places = [element(self._w.scratch, self._first + (at + lane)) for lane in lanes]
        return places[0] if self._lane is not None else LaneNumbers(places)

    def __setattr__(self, name, value):
        getattr(self, name)._assign(value)

    def __getitem__(self, name):
        return getattr(self, name)

    @traced
    def clear(self):
        """Write 0 to all rows."""
        for row, kind, _ in (self._rows[name] for name in self._own):
            for i in range(ROW_TYPES[kind]):
                self._place((row + i) * BUNDLE_LANES)._assign(0.0)

    @traced
    def copy(self, item, names=()):
        """Write rows, by default all, as they are in another item."""
        for name in names or self._own:
            setattr(self, name, getattr(item, name))


@traced
def first_of_bundle(w, b):
    """Return the place in scratch of the first number of bundle b."""
    return materialize(w.first_island_scratch + w.header.bundles + b * BUNDLE_NUMBERS)


@traced
def bundle_at(w, first, lane=None):
    """Return the own rows of the bundle whose first number is at this place, in one lane or all."""
    return BundleItem(w, BUNDLE_SCRATCH, first, lane)


@traced
def point_of_bundle(w, first, i, lane=None):
    """Return point i of every pair of a bundle, in one lane or all."""
    return BundleItem(w, POINT_SCRATCH, first + (POINTS_AT + i * (POINT_ROWS * BUNDLE_LANES)), lane, POINT_INPUTS)


@traced
def point_responses(w, first, i, lane=None):
    """Return the responses of point i of every pair of a bundle with links, in one lane or all."""
    return BundleItem(w, POINT_RESPONSES, first + (POINT_RESPONSES_AT + i * (POINT_RESPONSE_ROWS * BUNDLE_LANES)), lane)


@traced
def anchor_of_bundle(w, first, i, lane=None):
    """Return anchor i of every pair of a bundle, in one lane or all."""
    place = first + (ANCHORS_AT + i * (ANCHOR_ROWS * BUNDLE_LANES))
    return BundleItem(w, BUNDLE_ANCHOR_SCRATCH, place, lane, ANCHOR_INPUTS)


@traced
def anchor_responses(w, first, i, lane=None):
    """Return the responses of anchor i of every pair of a bundle with links, in one lane or all."""
    place = first + (ANCHOR_RESPONSES_AT + i * (ANCHOR_RESPONSE_ROWS * BUNDLE_LANES))
    return BundleItem(w, ANCHOR_RESPONSES, place, lane)


class Items(View):
    """Items by their number: `w.contact[i]`."""

    def __init__(self, item):
        self._item = item

    def __getitem__(self, i):
        return self._item(i)


class BundleSlot(View):
    """Numbers of the pairs of a bundle, in the place of a slot; none of them is a spring or twists."""

    contact = compliant = surfaces = has_link = side0 = 0
    side1 = 1

    def __init__(self, own, most_points):
        self._own, self.most_points = own, most_points

    def __getattr__(self, name):
        return getattr(self._own, name)


@traced
def side_by_side(items, name):
    """Return a group of numbers that one node per lane has, in all lanes."""
    places = zip(*(getattr(item, name)._places for item in items), strict=True)
    return stored(TYPES[SCRATCH_ROWS["NODES"][name][1]], [LaneNumbers(list(lanes)) for lanes in places])


@ti.func
def substep_velocity(w: ti.template(), i: ti.template(), substep_time):
    """Return what the forces per substep add to the velocity of the bodies at side 0 or 1 of a bundle."""
    dv = no_motion()
    if substep_time > 0.0:
        dv = w.substep_acceleration(i) * substep_time
    return dv


@traced
class BundleView(View):
    """View of a bundle as of a world with one pair, number 0, of which every lane has one.

    `bodies`: nodes of the bodies at side 0 and at side 1 of each lane, any node where a side is static.
    `free_sides`: whether no side is a link, or a kinematic body.
    """

    bundled = True

    def __init__(self, w, first, bodies, free_sides):
        self.free_sides, self._responses = free_sides, []
        self.scratch, self.param = w.scratch, w.param
        self.features = replace(w.features, surfaces=False, kinematics=False)  # such pairs are solved by themselves
        self.first, self.bodies, self.own = first, bodies, bundle_at(self, first)
        most_points, most_anchors = (materialize(getattr(self.own, f"most_{items}")) for items in ("points", "anchors"))
        self.slot = Items(lambda _: BundleSlot(self.own, most_points))
        self.contact = Items(lambda i: point_of_bundle(self, first, i))
        self.anchor = Items(lambda i: anchor_of_bundle(self, first, i))
        self.patch = Items(lambda _: BundlePatch(self.own, most_anchors))
        self.contacts = BundleState(self)

    @traced
    def response(self, i):
        """Return the response of the bodies at side 0 or 1, which move freely or not at all."""
        return self._responses[i]

    @traced
    def recall_responses(self):
        """Load the responses of all bodies, as `read_sides` has left them."""
        rows = [(getattr(self.own, f"turns{i}"), getattr(self.own, f"slides{i}")) for i in range(2)]
        self._responses = [FreeResponse(turns.copy(), slides) for turns, slides in rows]

    @traced
    def point_responses(self, i):
        """Return the responses of the rows of point i, of pairs with links."""
        return point_responses(self, self.first, i)

    @traced
    def anchor_responses(self, i):
        """Return the responses of the rows of anchor i, of pairs with links."""
        return anchor_responses(self, self.first, i)

    @traced
    def velocity(self, i, substep_time):
        """Return the velocity of the free bodies at side 0 or 1 as rows read it: `link_velocity` without a tree."""
        v, impulse = (side_by_side(self.bodies[i], name) for name in ("v", "impulse"))
        dv = substep_velocity(self, i, substep_time) - self.response(i).apply(impulse)
        return self.moving(i, v + no_motion() + dv, no_motion())

    @traced
    def substep_acceleration(self, i):
        """Return the acceleration of the bodies at side 0 or 1 by the forces per substep."""
        return side_by_side(self.bodies[i], "substep_acceleration")

    @traced
    def displacement(self, i):
        """Return the motion of the free bodies at side 0 or 1 since the start of the step."""
        turn, way = (side_by_side(self.bodies[i], name) for name in ("delta_rotation", "root_displacement"))
        return self.moving(i, Motion(turn, way), no_motion())

    @traced
    def moving(self, i, value, still):
        """Return a value in the lanes where side 0 or 1 is a body, and another one where it is static."""
        return select(self.own.moves1 > 0.0, value, still) if i else value

    @traced
    def read_sides(self):
        """Read poses, velocities and responses of the bodies at the start of a step; `response` has the last ones."""
        self.side = [BundleSide() for _ in range(2)]
        for i, side in enumerate(self.side):
            place, turn, v = (
                side_by_side(self.bodies[i], name) for name in ("start_position", "start_orientation", "v")
            )
            places = zip(*(item.response._places for item in self.bodies[i]), strict=True)
            numbers = [LaneNumbers(list(lanes)) for lanes in places]
            side.start = self.moving(i, place, zero_vector()).copy()
            side.start_orientation = self.moving(i, turn, Quat(zero_vector(), broadcast(1.0))).copy()
            side.v = self.moving(i, v + no_motion(), no_motion()).copy()
            setattr(self.own, f"turns{i}", self.moving(i, stored(Sym3, numbers[:6]), no_tensor()))
            slides = numbers[15]  # of Response: the first of its last six
            setattr(self.own, f"slides{i}", self.moving(i, materialize(slides), broadcast(0.0)))
        self.recall_responses()


class BundleSide(View):
    """Side 0 or 1 of every pair of a bundle at the start of a step: `start`, `start_orientation`, `v`."""


class BundlePatch(View):
    """Friction patch of every pair of a bundle."""

    def __init__(self, own, most_anchors):
        self._own, self.most_anchors = own, most_anchors

    def __getattr__(self, name):
        return getattr(self._own, name)


class BundleState(View):
    """What pairs of a bundle keep from step to step, as the state of contacts has it: `w.contacts.slipped[0]`."""

    def __init__(self, w):
        self._own = w.own
        self.anchor0, self.anchor1 = Items(lambda i: w.anchor[i].place0), Items(lambda i: w.anchor[i].place1)

    def __getattr__(self, name):
        return Items(lambda _: getattr(self._own, name))
