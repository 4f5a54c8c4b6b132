"""Pair of colliders that may touch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ColliderPair:
    """Two colliders that may touch, by their numbers; the solver's normal points from side 1 to side 0."""

    side0: int
    side1: int
    thing0: int  # articulation or free body of side 0
    thing1: int  # that of side 1, -1 for what is static
    rank0: int  # place of side 0 in the order of sides
    rank1: int

    @property
    def sides(self) -> tuple[int, int]:
        """Numbers of both colliders."""
        return self.side0, self.side1
