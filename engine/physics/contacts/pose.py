"""Position and orientation of a frame, and what follows from two of them."""

from ..lanes import Struct, traced
from ..rotation import Quat
from ..spatial import Mat3, Vec3
from .simd import rotate, transposed, unrotate


class Placement(Struct):
    """Frame with origin p and these axes in another frame: a pose for many points."""

    parts, types = ("axes", "p"), (Mat3, Vec3)

    @traced
    def apply(self, point):
        """Return a point of this frame in the other."""
        return self.p + self.axes.apply(point)

    @traced
    def unapply(self, point):
        """Return a point of the other frame in this one."""
        return transposed(self.axes, point - self.p)


class Pose(Struct):
    """Frame with origin p and orientation q in another frame."""

    parts, types = ("p", "q"), (Vec3, Quat)

    @traced
    def apply(self, point):
        """Return a point of this frame in the other."""
        return rotate(self.q, point) + self.p

    @traced
    def unapply(self, point):
        """Return a point of the other frame in this one."""
        return unrotate(self.q, point - self.p)

    @traced
    def within(self, base):
        """Return this frame in the frame `base`."""
        return Pose(unrotate(base.q, self.p - base.p), base.q.conjugate() * self.q)

    @traced
    def placed(self):
        """Return this frame as a placement."""
        return Placement(self.q.columns(), self.p)


@traced
def collider_pose(w, c):
    """Return the world pose of a collider in this step."""
    collider = w.collider[c]
    return Pose(collider.position, collider.orientation)
