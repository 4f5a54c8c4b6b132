"""Articulated robots: read from USD, simulated in reduced coordinates, written back to USD."""
