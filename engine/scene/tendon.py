"""Tendons of an articulation, in SI units: springs over joint positions, and springs along lines through links."""

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class TendonAxis:
    """One degree of freedom that a fixed tendon runs over."""

    dof: str  # "/robot/finger:rotX"
    gearing: float = 1.0  # tendon length per joint position, the child seen from its parent link [m/rad | 1]
    force_coefficient: float = 1.0  # multiplies the force at this joint only


@dataclass(frozen=True)
class FixedTendon:
    """A spring on a weighted sum of joint positions: length = Σ gearing q + offset.

    q runs from the parent link to the child link here, whichever of them the file calls body0.
    `axes` are the root axis and axes below it, each on a joint whose parent link another axis of the tendon carries.
    """

    path: str  # joint and instance of its root, "/robot/knuckle:flexor"
    axes: tuple[TendonAxis, ...]
    stiffness: float = 0.0  # [N/m]
    damping: float = 0.0  # [N·s/m]
    limit_stiffness: float = 0.0  # [N/m]
    rest_length: float = 0.0  # [m]
    offset: float = 0.0  # [m]
    lower: float = -inf  # [m]
    upper: float = inf  # [m]


@dataclass(frozen=True)
class Attachment:
    """A point of a link that a spatial tendon runs through."""

    link: str
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in the link frame [m]
    parent: int = -1  # attachment before it, an index into the tendon's attachments; the root has none
    gearing: float = 1.0  # scales the length of the piece to its parent
    leaf: bool = False  # whether a branch of the tendon ends here; then:
    rest_length: float = 0.0  # [m]
    lower: float = -inf  # [m]
    upper: float = inf  # [m]


@dataclass(frozen=True)
class SpatialTendon:
    """Springs along lines through points of links: length(leaf) = Σ gearing |piece| + offset, one spring a leaf.

    `attachments`: the root first, each after its parent, leaves in the order in which they are solved.
    """

    path: str  # link and instance of its root, "/robot/palm:flexor"
    attachments: tuple[Attachment, ...]
    stiffness: float = 0.0  # [N/m]
    damping: float = 0.0  # [N·s/m]
    limit_stiffness: float = 0.0  # [N/m]
    offset: float = 0.0  # [m]
