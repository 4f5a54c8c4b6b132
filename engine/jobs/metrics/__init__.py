"""Numbers per world: those of fajin per degree of freedom, and those of the user's functions."""
