"""Headless jobs: what varies from world to world, what is counted, shards of worlds, and their files."""

from ..errors import InputError


class InvalidJob(InputError):
    """A job that cannot start; the message names option, value, rule and mend in one line."""
