"""Options of the layer over a converter's stage; its writer runs in a child process."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LayerOptions:
    """Options of the layer; by default it authors no drives and leaves the robot where the converter puts it."""

    gains: tuple[float, float] | None = None  # natural frequency [rad/s] and damping ratio; None: no drives
    fixed_base: bool | None = None  # True fixes the base to the world, False frees it; None leaves it
    on_ground: bool = False  # author a ground, and a base whose lowest collider touches it
    standing: bool = False  # search a pose in which the robot stands
    collide: bool | None = None  # whether links of the robot collide; None leaves it
    endless: tuple[str, ...] = ()  # revolute joints whose limits are removed
    one_tree: bool = False  # a URDF without a world, whose bodies belong together
    cylinder_wheels: bool = False  # wheels roll on cylinders instead of hulls
    from_visuals: bool = False  # links without colliders get the shapes that are drawn
