"""Numbers that the steps of a launch add up, on request: efforts of joints and contacts of colliders."""

MONITORS = (
    ("SQUARED_EFFORT", "D", 1, "sum over the steps of the squared effort of drive and user [N²·m² | N²]"),
    ("ABSOLUTE_POWER", "D", 1, "sum over the steps of |effort · joint velocity| [W]"),
    ("FINITE", "A", 1, "1 if positions and velocities after the last step are finite, else 0"),
    ("FORCE_THRESHOLD", "C", 1, "net force above which a collider is in contact [N]"),
    ("NET_FORCE", "C", 3, "net force of the contacts of a collider of a body in the last step, world [N]"),
    ("PEAK_FORCE", "C", 1, "largest |net force| over the steps [N]"),
    ("CURRENT_AIR_TIME", "C", 1, "time since the collider lost contact [s], 0 in contact"),
    ("LAST_AIR_TIME", "C", 1, "time in the air before it last came in contact [s]"),
    ("CURRENT_CONTACT_TIME", "C", 1, "time since the collider came in contact [s], 0 in the air"),
    ("LAST_CONTACT_TIME", "C", 1, "time in contact before it last lost it [s]"),
)
"""(name, owner, width, meaning). Sums are over the steps of one call of `Simulation.step`, times over all steps."""

DERIVED = {
    "ROOT_POSE": (7, "world position [m] of a root link's prim and its orientation, a quaternion"),
    "ROOT_VELOCITY_B": (6, "velocity of its centre of mass, angular velocity, axes of the root [m/s, rad/s]"),
    "PROJECTED_GRAVITY_B": (3, "direction -z in the axes of the root"),
}
"""Quantities of an articulation that a read-out computes: width and meaning; see `physics.readout`."""

SOURCES = ("state", "results", "monitors")
"""Buffers whose rows a read-out copies."""

OPERATIONS = {name: i for i, name in enumerate((*SOURCES, *DERIVED))}
"""Numbers of what a read-out does: copy a row of a buffer, or compute a quantity."""
