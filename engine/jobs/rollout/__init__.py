"""Simulation of the worlds of a job: callbacks between launches, trajectories and non-finite worlds."""
