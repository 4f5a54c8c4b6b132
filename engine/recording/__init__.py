"""Recordings of simulations: frames in memory or on disk, and joint logs."""
