"""Named fields of links, drives and the scene that may differ between worlds."""

from .field import Field


class MachineFields:
    """Fields that describe the machine. Setting a mass keeps the inertia, as PhysX's setters do."""

    gravity = Field("GRAVITY", "Acceleration of gravity in world axes [m/s²], (W, 3).", "axis")
    mass = Field("MASS", "Masses of links; writing keeps their inertias [kg], (W, L).", "link")
    inertia = Field(
        "INERTIA", "Inertias about the centre of mass, prim axes: xx, xy, xz, yy, yz, zz [kg·m²], (W, L, 6).", "link", 6
    )
    linear_damping = Field("LINEAR_DAMPING", "Drag of links per momentum [1/s], (W, L).", "link")
    angular_damping = Field("ANGULAR_DAMPING", "Drag of links per angular momentum [1/s], (W, L).", "link")
    max_actuator_velocity = Field(
        "MAX_ACTUATOR_VELOCITY", "Envelope: joint speed without effort [rad/s | m/s], (W, D)."
    )
    velocity_dependent_resistance = Field(
        "VELOCITY_DEPENDENT_RESISTANCE", "Envelope: effort lost per joint speed [N·m·s/rad | N·s/m], (W, D)."
    )
    speed_effort_gradient = Field(
        "SPEED_EFFORT_GRADIENT", "Envelope: joint speed lost per effort [rad/s/(N·m) | m/s/N], (W, D)."
    )
