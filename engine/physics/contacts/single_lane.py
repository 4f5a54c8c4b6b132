"""Functions that compute one lane at a time, with branches on its data; of the package of single lanes."""

from ..world_view import LaneView
from .broad_phase.slot_rows import find_stored_pair, load_own_pair, store_own_pair
from .continuous import stop_swept_bodies
from .friction.contact_report import write_own_forces
from .friction.mesh_patches import sort_into_patches
from .narrow_phase.generation import update_pair
from .narrow_phase.plane import remake_points
from .order.sleep_groups import choose_sleepers, wake_what_touched, wake_what_touches
from .order.solve_order import order_pairs

__all__ = [
    "LaneView",
    "choose_sleepers",
    "find_stored_pair",
    "load_own_pair",
    "order_pairs",
    "remake_points",
    "sort_into_patches",
    "stop_swept_bodies",
    "store_own_pair",
    "update_pair",
    "wake_what_touched",
    "wake_what_touches",
    "write_own_forces",
]
