"""Partition of a job's shards among machines with a shared disk: machine i runs i, i + N, i + 2N, …"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .. import InvalidJob

ARRAY = tuple(f"SLURM_ARRAY_TASK_{name}" for name in ("ID", "MIN", "MAX", "STEP", "COUNT"))
INDEXED = ("JOB_COMPLETION_INDEX", "JOB_COMPLETIONS")


@dataclass(frozen=True)
class ShardSubset:
    """The shards of machine i of N, counted from 0."""

    i: int
    n: int

    def of(self, shards: int) -> range:
        """Return the numbers of the shards of this machine."""
        return range(self.i, shards, self.n)

    @classmethod
    def parse(cls, text: str, environment: Mapping[str, str]) -> "ShardSubset":
        """Parse "3/16", or "auto" for the environment of a Slurm array task or of a pod of an indexed Kubernetes job.

        Raises:
            InvalidJob: the text is neither, or the environment variables are missing.
        """
        if text == "auto":
            return cls._said(environment)
        match = re.fullmatch(r"(\d+)/(\d+)", text.strip())
        if not match or int(match[1]) >= int(match[2]):
            raise InvalidJob(f"--shard {text}: must be i/N with i from 0 to N - 1, such as 0/16, or auto")
        return cls(int(match[1]), int(match[2]))

    @classmethod
    def _said(cls, environment: Mapping[str, str]) -> "ShardSubset":
        try:
            if ARRAY[0] in environment:
                task, first, last, step, count = (int(environment[name]) for name in ARRAY)
                i, n = (task - first) // step, (last - first) // step + 1
            else:
                i, n = (int(environment[name]) for name in INDEXED)
                count = n
        except (KeyError, ValueError, ZeroDivisionError):
            raise InvalidJob(
                f"--shard auto: must run with {', '.join(ARRAY)} of Slurm, or {' and '.join(INDEXED)}; use --shard i/N"
            ) from None
        if count != n:
            raise InvalidJob(
                f"--shard auto: must run in an array of all {n} tasks, not {count} of them; use --shard i/N"
            )
        return cls.parse(f"{i}/{n}", {})
