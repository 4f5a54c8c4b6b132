"""Which shards of a job one of several machines does that share a disk: i, i + N, i + 2N, …"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from . import InvalidJob

ARRAY = tuple(f"SLURM_ARRAY_TASK_{name}" for name in ("ID", "MIN", "MAX", "STEP", "COUNT"))
INDEXED = ("JOB_COMPLETION_INDEX", "JOB_COMPLETIONS")


@dataclass(frozen=True)
class ShardSubset:
    """The i-th of N, counted from 0."""

    i: int
    n: int

    def of(self, shards: int) -> range:
        """Numbers of the shards that are done here."""
        return range(self.i, shards, self.n)

    @classmethod
    def parse(cls, text: str, environment: Mapping[str, str]) -> "ShardSubset":
        """Read "3/16", or "auto": what Slurm says to a task of an array, or Kubernetes to a pod of an indexed job.

        Raises:
            InvalidJob: it is neither, or the environment does not say it.
        """
        if text == "auto":
            return cls._said(environment)
        match = re.fullmatch(r"(\d+)/(\d+)", text.strip())
        if not match or int(match[1]) >= int(match[2]):
            raise InvalidJob(f"--shard {text}: must be i/N with i from 0 to N - 1, as 0/16, or auto")
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
                f"--shard auto: needs {', '.join(ARRAY)} of Slurm, or {' and '.join(INDEXED)}; give --shard i/N"
            ) from None
        if count != n:
            raise InvalidJob(f"--shard auto: this array has {count} tasks, not all {n} from first to last; give i/N")
        return cls.parse(f"{i}/{n}", {})
