"""Headless jobs: parameter sweeps, metrics, shards of worlds, and their files."""

from ..errors import InputError

BATCH_EXTRA = "pip install 'fajin[batch]'"
"""Command that installs the packages of tables and trajectories."""


class InvalidJob(InputError):
    """Raised for a job that cannot start; the message gives option, value, rule and fix in one line."""
