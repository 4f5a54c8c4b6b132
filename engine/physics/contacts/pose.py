"""Position and orientation of a frame, and what follows from two of them."""

from ..lanes import Struct, traced
from ..rotation import Quat
from ..spatial import Vec3


class Pose(Struct):
    """Frame with origin p and orientation q in another frame."""

    parts, types = ("p", "q"), (Vec3, Quat)

    @traced
    def apply(self, point):
        """Return a point of this frame in the other."""
        return self.p + self.q.rotate(point)

    @traced
    def unapply(self, point):
        """Return a point of the other frame in this one."""
        return self.q.unrotate(point - self.p)

    @traced
    def within(self, base):
        """Return this frame in the frame `base`."""
        return Pose(base.q.unrotate(self.p - base.p), base.q.conjugate() * self.q)


@traced
def collider_pose(w, c):
    """Return the world pose of a collider in this step."""
    collider = w.collider[c]
    return Pose(collider.position, collider.orientation)
