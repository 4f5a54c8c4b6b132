"""Degrees of freedom of joints, and their friction, limits and mimic relations."""

from dataclasses import dataclass
from math import inf

from .drive import Drive


@dataclass(frozen=True)
class Friction:
    """Dry and viscous joint friction as efforts."""

    static: float = 0.0  # [N·m | N] effort below which the joint sticks
    dynamic: float = 0.0  # [N·m | N] effort of a sliding joint
    viscous: float = 0.0  # [N·m·s/rad | N·s/m] effort per joint speed


@dataclass(frozen=True)
class Mimic:
    """A relation between degrees of freedom of one articulation: q + Σ gearing q_reference + offset = 0.

    All positions use the authored sense of their joints. Zero natural frequency or damping ratio means a rigid
    relation.
    """

    references: tuple[tuple[str, float], ...]  # ("/robot/finger:rotX", gearing [own rad | m per rad | m]), ...
    offset: float = 0.0  # [rad | m]
    natural_frequency: float = 0.0  # [rad/s]
    damping_ratio: float = 0.0


@dataclass(frozen=True)
class LimitSpring:
    """Compliance of the limits of a maximal joint: a spring or a bounce. All zero: hard limits without bounce."""

    stiffness: float = 0.0  # [N·m/rad | N/m]
    damping: float = 0.0  # [N·m·s/rad | N·s/m]
    restitution: float = 0.0
    bounce_threshold: float = 0.0  # [rad/s | m/s] speed below which the joint does not bounce


@dataclass(frozen=True)
class Axis:
    """One degree of freedom of a joint, in the authored sense: body1 relative to body0."""

    token: str  # rotX | rotY | rotZ | transX | transY | transZ: the free axis of the joint frame
    lower: float = -inf  # [rad | m]
    upper: float = inf  # [rad | m]
    drive: Drive | None = None
    friction: Friction = Friction()
    armature: float = 0.0  # [kg·m² | kg]
    max_velocity: float = inf  # [rad/s | m/s]
    q: float = 0.0  # initial position [rad | m]
    qd: float = 0.0  # initial speed [rad/s | m/s]
    mimic: Mimic | None = None
    limit: LimitSpring = LimitSpring()  # of a maximal joint

    @property
    def rotational(self) -> bool:
        """Return whether the degree of freedom is an angle."""
        return self.token.startswith("rot")
