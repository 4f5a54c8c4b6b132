"""Scene to draw: meshes, the shapes that place them on links, and the joints; SI units, metres.

A file's visual shapes, else its colliders, else bones between its links have a purpose other than "guide": a backend
draws these. Shapes of purpose "guide" are colliders and helpers that are drawn on request only.
"""

from dataclasses import dataclass, field

import numpy as np

from ...scene import IDENTITY, Pose, Vector

GUIDE = "guide"
"""The purpose of shapes that are drawn on request only."""
OVERLAY = "overlay"
"""The purpose of shapes that are seen through all shapes of other purposes."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles with one normal per point; points are split where the surface has an edge."""

    points: np.ndarray  # (P, 3) float32 [m], before the scale of a shape
    triangles: np.ndarray  # (F, 3) int32, counterclockwise seen from outside
    normals: np.ndarray  # (P, 3) float32, of length 1
    uv: np.ndarray | None = None  # (P, 2) float32, texture coordinates, (0, 0) at the lower left


@dataclass(frozen=True, eq=False)
class Texture:
    """A picture that a surface repeats in both directions."""

    name: str  # of its file
    pixels: np.ndarray  # (h, w, 3) uint8, sRGB, the upper row first
    data: bytes  # those pixels as a file
    type: str  # image/jpeg | image/png

    @property
    def color(self) -> Vector:
        """Return the mean color, linear RGB."""
        red, green, blue = linear_of(self.pixels.reshape(-1, 3)).mean(axis=0).tolist()
        return red, green, blue


def linear_of(bytes_: np.ndarray) -> np.ndarray:
    """Return linear light, from 0 to 1, of sRGB bytes."""
    share = np.asarray(bytes_, np.float32) / 255.0
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


@dataclass(frozen=True, eq=False)
class Shape:
    """A mesh on a link, with its surface."""

    path: str  # prim
    mesh: int  # index in `LookScene.meshes`
    link: int  # index in `LookScene.links`; -1: the world
    matrix: np.ndarray  # (4, 4) float32 for column vectors, link <- shape, with scale
    color: Vector = (0.6, 0.6, 0.62)  # linear RGB; of a textured shape the texture's mean
    opacity: float = 1.0
    metallic: float = 0.0
    roughness: float = 0.6
    purpose: str = "default"  # default | render | proxy | guide | overlay
    collider: bool = False  # True if contacts act on it
    texture: int = -1  # index in `LookScene.textures`; its mesh has `uv`


@dataclass(frozen=True)
class LookLink:
    """A link of the engine's scene."""

    name: str
    path: str  # prim
    parent: int = -1  # index of the link that carries it in its tree; -1: none
    com: Vector = (0.0, 0.0, 0.0)  # centre of mass in the link frame [m]
    box: Vector = (0.0, 0.0, 0.0)  # edges of the even box with the link's mass and inertia [m]
    box_pose: Pose = IDENTITY  # of that box in the link frame


@dataclass(frozen=True)
class LookJoint:
    """A degree of freedom: its axis in the frame of the link that it moves."""

    name: str
    path: str  # prim of the joint
    dof: str  # joint path and axis token, "/robot/elbow:rotX", as in recordings
    link: int  # index of the link that it moves
    position: Vector  # of the joint frame in the link frame [m]
    axis: Vector  # direction in the link frame, of length 1
    rotational: bool = True


@dataclass(frozen=True)
class LookTendon:
    """A tendon: lines between points of links."""

    path: str
    segments: tuple[tuple[int, Vector, int, Vector], ...]  # link and point in its frame [m], of both ends


@dataclass(frozen=True, eq=False)
class LookScene:
    """A scene as it is drawn; `rest` has the poses of its links before the motion."""

    meshes: tuple[Mesh, ...]
    shapes: tuple[Shape, ...]
    links: tuple[LookLink, ...]
    joints: tuple[LookJoint, ...] = ()
    tendons: tuple[LookTendon, ...] = ()
    rest: np.ndarray = field(default_factory=lambda: np.zeros((0, 7)))  # (L, 7) xyz [m], quaternion xyzw
    textures: tuple[Texture, ...] = ()
    up: str = "Z"  # Y | Z
    floor: float | None = None  # [m] height of the highest level plane that contacts act on
    notes: tuple[str, ...] = ()  # what is drawn otherwise than the file says, one line each

    @property
    def visuals(self) -> tuple[Shape, ...]:
        """Return the shapes that are drawn without a request."""
        return tuple(shape for shape in self.shapes if shape.purpose != GUIDE)

    @property
    def colliders(self) -> tuple[Shape, ...]:
        """Return the shapes that contacts act on."""
        return tuple(shape for shape in self.shapes if shape.collider)

    @property
    def triangles(self) -> int:
        """Return the number of triangles that are drawn for one world."""
        return sum(len(self.meshes[shape.mesh].triangles) for shape in self.visuals)

    @property
    def carriers(self) -> tuple[int, ...]:
        """Return for each link the nearest one at or above it that a joint moves; -1 for links of a base."""
        moved = {joint.link for joint in self.joints}
        found = []
        for link in range(len(self.links)):
            while link >= 0 and link not in moved:
                link = self.links[link].parent
            found.append(link)
        return tuple(found)
