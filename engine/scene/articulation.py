"""Articulations: trees of links and joints, and free rigid bodies."""

from dataclasses import dataclass

from .joint import Joint
from .link import Link
from .tendon import FixedTendon, SpatialTendon

MOST_ITERATIONS = 255  # PhysX's maximum, of both kinds


@dataclass(frozen=True)
class Articulation:
    """A tree of links and joints, or a free rigid body (`free`): one link, no joints; links[0] is the root.

    A fixed base either is links[0] itself (`fixed_base`) or hangs on joints whose body0 or body1 is `WORLD`.
    """

    path: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    fixed_base: bool = False
    position_iterations: int = 32
    velocity_iterations: int = 1
    free: bool = False
    fixed_tendons: tuple[FixedTendon, ...] = ()  # in the order in which they are solved
    spatial_tendons: tuple[SpatialTendon, ...] = ()  # in the order in which they are solved
    sleep_threshold: float = 0.0  # [m²/s²] energy per mass of a link below which it may fall asleep; 0: never
    asleep: bool = False  # True if it is asleep at the start
    self_collisions: bool = True  # True if links collide that no joint of the tree joins
    kinematic: bool = False  # True for a free body that moves at its given velocity, whatever it touches
    simulation_owner: str = ""  # the physics scene that simulates it, by path, if there are several
