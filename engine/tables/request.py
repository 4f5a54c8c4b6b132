"""Arguments of a dynamics query about one articulation, as integers."""

REQUEST = {
    name: i
    for i, name in enumerate(
        (
            "ARTICULATION",
            "BASE",  # coordinates of the base: 6 or none
            "COLUMNS",  # number of coordinates: those of the base, then one per degree of freedom
            "GRAVITY",  # one of the constants below
            "MOVING",  # one of the constants below
            "ACCELERATED",  # whether accelerations are given
            "PUSHED",  # whether forces on the links are given
            "ARMATURE",  # whether rotors have inertia
        )
    )
}
"""Words of a request. Two words per node follow: its coordinate, and the place of the link it carries, or -1."""

NO_GRAVITY, GRAVITY, GRAVITY_ON_ALL = range(3)
"""No gravity, gravity of every link for which it is enabled, or gravity of every link."""

AT_REST, MOVING, SLOWED = range(3)
"""No velocities, those of the state, or those scaled by one ratio to the joints' clamp velocities."""
