"""Tuning: drive gains for a wanted natural frequency and damping ratio, from the inertia that a joint moves."""
