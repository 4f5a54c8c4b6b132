"""Functions that compute one lane at a time, with branches on its data; of the package of single lanes."""

from ..world_view import LaneView
from .generation import update_pair
from .solve_order import order_pairs

__all__ = ["LaneView", "order_pairs", "update_pair"]
