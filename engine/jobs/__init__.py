"""Headless jobs: parameter sweeps, metrics, shards of worlds, and their files."""

from ..errors import InputError


class InvalidJob(InputError):
    """Raised for a job that cannot start; the message gives option, value, rule and fix in one line."""
