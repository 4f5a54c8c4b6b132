"""Views of a bundle: pairs of one world that no body shares, side by side in the lanes of a vector; `tables.bundles`.

In a package whose lanes are pairs, `BundleView` takes the place of the view of a world where the rows of a pair are
solved. In that of single worlds a bundle is written and read lane by lane.
"""

from dataclasses import replace

from taichi.lang.expr import Expr
from taichi.lang.matrix import make_matrix

from ....tables.bundles import (
    ANCHOR_ROWS,
    BUNDLE_ANCHOR_SCRATCH,
    BUNDLE_LANES,
    BUNDLE_NUMBERS,
    BUNDLE_SCRATCH,
    OWN_ROWS,
    POINT_ROWS,
    POINT_SCRATCH,
)
from ....tables.contacts import MANIFOLD_POINTS
from ....tables.scratch_rows import ROW_TYPES
from ...lanes import broadcast, materialize, traced
from ...spatial import Sym3, no_matrix
from ...spatial_inertia import Response
from ...stored import SMALL, element, stored
from ...views import TYPES, View

POINTS_AT = OWN_ROWS * BUNDLE_LANES
ANCHORS_AT = POINTS_AT + MANIFOLD_POINTS * POINT_ROWS * BUNDLE_LANES


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
    """Bundle, or a point or an anchor of it: its scratch rows, in all lanes or in one."""

    def __init__(self, w, rows, first, lane):
        values = vars(self)  # past __setattr__, which writes rows
        values["_w"], values["_rows"], values["_lane"] = w, {name.lower(): row for name, row in rows.items()}, lane
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
        for row, kind, _ in self._rows.values():
            for i in range(ROW_TYPES[kind]):
                self._place((row + i) * BUNDLE_LANES)._assign(0.0)

    @traced
    def copy(self, item, names=()):
        """Write rows, by default all, as they are in another item."""
        for name in names or self._rows:
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
    return BundleItem(w, POINT_SCRATCH, first + (POINTS_AT + i * (POINT_ROWS * BUNDLE_LANES)), lane)


@traced
def anchor_of_bundle(w, first, i, lane=None):
    """Return anchor i of every pair of a bundle, in one lane or all."""
    return BundleItem(w, BUNDLE_ANCHOR_SCRATCH, first + (ANCHORS_AT + i * (ANCHOR_ROWS * BUNDLE_LANES)), lane)


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
class BundleView(View):
    """View of a bundle as of a world with one pair, number 0, of which every lane has one."""

    bundled = True

    def __init__(self, w, first, most_points, most_anchors):
        self.scratch, self.param = w.scratch, w.param
        self.features = replace(w.features, surfaces=False, kinematics=False)  # such pairs are solved by themselves
        self.first, self.most_anchors = first, most_anchors
        self.own = bundle_at(self, first)
        self.side = Items(lambda i: BundleSide(self.own, i))
        self.slot = Items(lambda _: BundleSlot(self.own, most_points))
        self.contact = Items(lambda i: point_of_bundle(self, first, i))
        self.anchor = Items(lambda i: anchor_of_bundle(self, first, i))
        self.patch = Items(lambda _: BundlePatch(self.own, most_anchors))
        self.contacts = BundleState(self)

    @traced
    def response(self, i):
        """Return the response of the bodies at side 0 or 1, which move freely or not at all."""
        turns, slides, none = getattr(self.own, f"turns{i}"), getattr(self.own, f"slides{i}"), broadcast(0.0)
        return Response(turns, no_matrix(), Sym3(slides, none, none, slides, none, slides))


class BundleSide(View):
    """Side 0 or 1 of every pair of a bundle: `w.side[0].start`."""

    def __init__(self, own, i):
        self._own, self._i = own, i

    def __getattr__(self, name):
        return getattr(self._own, f"{name}{self._i}")


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
