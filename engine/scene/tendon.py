"""Tendons of an articulation, in SI units: springs over joint positions, and springs along lines through links."""

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class TendonAxis:
    """One degree of freedom of a fixed tendon."""

    dof: str  # "/robot/finger:rotX"
    gearing: float = 1.0  # tendon length per joint position, measured from parent to child link [m/rad | 1]
    force_coefficient: float = 1.0  # scales the force at this joint only


@dataclass(frozen=True)
class FixedTendon:
    """A spring on a weighted sum of joint positions: length = Σ gearing q + offset.

    q is measured from the parent link to the child link here, regardless of which link is body0 in the file. `axes`:
    the root axis first, then axes below it. The parent link of each joint is the child link of another tendon axis.
    """

    path: str  # joint and instance of the root, "/robot/knuckle:flexor"
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
    """A point of a link on a spatial tendon."""

    link: str
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in the link frame [m]
    parent: int = -1  # index of the previous attachment in the tendon's attachments; -1 for the root
    gearing: float = 1.0  # scales the length of the segment to the parent
    leaf: bool = False  # True if a branch of the tendon ends here; only then:
    rest_length: float = 0.0  # [m]
    lower: float = -inf  # [m]
    upper: float = inf  # [m]


@dataclass(frozen=True)
class SpatialTendon:
    """Springs along lines through points of links: length(leaf) = Σ gearing |segment| + offset, one spring per leaf.

    `attachments`: the root first, each attachment after its parent, leaves in the order in which they are solved.
    """

    path: str  # link and instance of the root, "/robot/palm:flexor"
    attachments: tuple[Attachment, ...]
    stiffness: float = 0.0  # [N/m]
    damping: float = 0.0  # [N·s/m]
    limit_stiffness: float = 0.0  # [N/m]
    offset: float = 0.0  # [m]
