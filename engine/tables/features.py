"""What of the laws a kernel holds: what a scene has none of, and nobody asks for, is not compiled."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Features:
    """Each part of a kernel that others do without, and what it is for."""

    floats: bool = True  # roots that move
    mimics: bool = False
    joints: bool = False  # joints outside the trees
    tendons: bool = False
    sleeps: bool = False  # something may fall asleep
    results: bool = True  # what a step did, in `layout.STEP_RESULTS`
    statistics: bool = False  # what is counted of every step, in `layout.STATISTICS`
