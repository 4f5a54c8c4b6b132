"""What is asked of the equations of motion of one articulation: the words in which a kernel is told."""

REQUEST = {
    name: i
    for i, name in enumerate(
        (
            "ARTICULATION",
            "BASE",  # coordinates of the base: 6 or none
            "COLUMNS",  # coordinates in all: those of the base, then one a degree of freedom
            "GRAVITY",  # see the names below
            "MOVING",  # see the names below
            "ACCELERATED",  # whether accelerations are given
            "PUSHED",  # whether forces on the links are given
            "ARMATURE",  # whether rotors have inertia
        )
    )
}
"""The words of a request; two words a node follow: its coordinate, and the place of the link it carries, or -1."""

NO_GRAVITY, GRAVITY, GRAVITY_ON_ALL = range(3)
"""No weight, that of every link that has gravity, or that of every link."""

AT_REST, MOVING, SLOWED = range(3)
"""No speeds, those of the state, or these after all joints are slowed by one ratio to keep to their speed limits."""
