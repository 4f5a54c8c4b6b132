"""Types of the fields of parameters; written by `python -m fajin.simulation.parameter_page --stub`."""

from ..tables.parameter import Parameter
from .field import Field

COLUMNS: dict[str, str]

def describe_shape(row: Parameter) -> str: ...
def describe(row: Parameter) -> str: ...

class ParameterFields:
    """Fields of gains, limits, friction, forces, masses and gravity. Setting a mass keeps the inertia, as in PhysX."""

    axis: tuple[str, str, str]
    gravity: Field
    """Acceleration of gravity in world axes [m/s²], (W, 3)."""
    mass: Field
    """Mass of a link; setting it keeps the inertia [kg], (W, L)."""
    inertia: Field
    """Inertia about the centre of mass: xx, xy, xz, yy, yz, zz [kg·m²], (W, L, 6)."""
    linear_damping: Field
    """Drag of a link per momentum [1/s], (W, L)."""
    angular_damping: Field
    """Drag of a link per angular momentum [1/s], (W, L)."""
    force: Field
    """External force on a link, until overwritten [N], (W, L, 3)."""
    torque: Field
    """External torque on a link, until overwritten [N·m], (W, L, 3)."""
    force_position: Field
    """Where the force acts, from the centre of mass, link axes [m], (W, L, 3)."""
    force_is_local: Field
    """1 for force and torque in link axes, 0 for world axes, (W, L)."""
    force_is_acceleration: Field
    """1 for a force per mass and a torque per inertia, else 0, (W, L)."""
    surface_velocity: Field
    """Velocity of a link's surface [m/s], (W, L, 3)."""
    surface_angular_velocity: Field
    """Angular velocity of a link's surface [rad/s], (W, L, 3)."""
    surface_velocity_is_local: Field
    """1 for surface velocities in link axes, 0 for world axes, (W, L)."""
    stiffness: Field
    """Drive stiffness [N·m/rad | N/m | 1/s²], (W, D)."""
    damping: Field
    """Drive damping [N·m·s/rad | N·s/m | 1/s], (W, D)."""
    max_force: Field
    """Bound on drive and user effort together [N·m | N], (W, D)."""
    target_q: Field
    """Position target of the drive [rad | m], (W, D)."""
    target_qd: Field
    """Velocity target of the drive [rad/s | m/s], (W, D)."""
    max_actuator_velocity: Field
    """Envelope: v_max, joint velocity without effort [rad/s | m/s], (W, D)."""
    velocity_dependent_resistance: Field
    """Envelope: k_τv, effort per velocity [N·m·s/rad | N·s/m], (W, D)."""
    speed_effort_gradient: Field
    """Envelope: k_vτ, velocity per effort [rad/s/(N·m) | m/s/N], (W, D)."""
    effort: Field
    """User effort, until overwritten [N·m | N], (W, D)."""
    lower: Field
    """Lower position limit [rad | m], (W, D)."""
    upper: Field
    """Upper position limit [rad | m], (W, D)."""
    static_friction: Field
    """Static friction: effort that starts the joint [N·m | N], (W, D)."""
    dynamic_friction: Field
    """Dynamic friction: effort on the moving joint [N·m | N], (W, D)."""
    viscous_friction: Field
    """Viscous friction: effort per velocity [N·m·s/rad | N·s/m], (W, D)."""
    armature: Field
    """Rotor inertia [kg·m² | kg], (W, D)."""
    max_velocity: Field
    """Joint velocity limit [rad/s | m/s], (W, D)."""
    integral_gain: Field
    """Actuator: effort per integral of the error [N·m/(rad·s) | N/(m·s)], (W, a)."""
    integral_max: Field
    """Actuator: bound on that integral [rad·s | m·s], (W, a)."""
    constant_effort: Field
    """Actuator: effort without an error [N·m | N], (W, a)."""
    saturation_effort: Field
    """Actuator: effort of its DC motor at rest [N·m | N], (W, a)."""
    max_motor_effort: Field
    """Actuator: bound on the effort of its DC motor [N·m | N], (W, a)."""
    no_load_speed: Field
    """Actuator: speed at which its DC motor has no effort [rad/s | m/s], (W, a)."""
    bound_position: Field
    """Actuator: position of a point of its bound, ascending [rad | m], (W, p)."""
    bound_effort: Field
    """Actuator: bound on |effort| there [N·m | N], (W, p)."""
    maximal_stiffness: Field
    """Drive stiffness of a maximal joint [N·m/rad | N/m | 1/s²], (W, X)."""
    maximal_damping: Field
    """Drive damping of a maximal joint [N·m·s/rad | N·s/m | 1/s], (W, X)."""
    maximal_max_force: Field
    """Bound on the drive effort of a maximal joint [N·m | N], (W, X)."""
    maximal_target_q: Field
    """Position target of a maximal joint's drive [rad | m], (W, X)."""
    maximal_target_qd: Field
    """Velocity target of a maximal joint's drive [rad/s | m/s], (W, X)."""
    contact_static_friction: Field
    """Friction that a contact starts to slip at, (W, G)."""
    contact_dynamic_friction: Field
    """Friction of a slipping contact, (W, G)."""
    contact_restitution: Field
    """Velocity after a bounce per velocity before, (W, G)."""
    contact_slop: Field
    """Length below which arms of the rows of a pair do not count [m], (W, G)."""
    contact_max_impulse: Field
    """Largest normal impulse of a contact point in a step [N·s], (W, G)."""
