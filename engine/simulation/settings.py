"""Named numbers of links, drives and the scene that a simulation may vary from world to world."""

from .quantity import Quantity


class Settings:
    """The quantities that say what the machine is. PhysX's own setters, too, leave the inertia when a mass is set."""

    gravity = Quantity("GRAVITY", "Acceleration of gravity along the axes of the world [m/s²], (W, 3).", "axis")
    mass = Quantity("MASS", "Masses of links; their inertia stays [kg], (W, L).", "link")
    inertia = Quantity(
        "INERTIA", "About the centre of mass, axes of the prim: xx, xy, xz, yy, yz, zz [kg·m²], (W, L, 6).", "link", 6
    )
    linear_damping = Quantity("LINEAR_DAMPING", "Drag of links per momentum [1/s], (W, L).", "link")
    angular_damping = Quantity("ANGULAR_DAMPING", "Drag of links per angular momentum [1/s], (W, L).", "link")
    max_actuator_velocity = Quantity(
        "MAX_ACTUATOR_VELOCITY", "Envelope: joint speed without effort [rad/s | m/s], (W, D)."
    )
    velocity_dependent_resistance = Quantity(
        "VELOCITY_DEPENDENT_RESISTANCE", "Envelope: effort lost per joint speed [N·m·s/rad | N·s/m], (W, D)."
    )
    speed_effort_gradient = Quantity(
        "SPEED_EFFORT_GRADIENT", "Envelope: joint speed lost per effort [rad/s/(N·m) | m/s/N], (W, D)."
    )
    axis = ("x", "y", "z")
