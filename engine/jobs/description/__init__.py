"""Descriptions of jobs in plain values: scene, parameters per world, controls, metrics."""
