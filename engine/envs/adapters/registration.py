"""Registration of tasks with gymnasium."""

from collections.abc import Iterable

import gymnasium


def register_all(names: Iterable[str]) -> None:
    """Register tasks for `gymnasium.make` and `gymnasium.make_vec`; what is registered already stays."""
    for name in names:
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"{__package__}.single_env:SingleEnv",
                vector_entry_point=f"{__package__}.vector_env:VectorEnv",
                kwargs={"task": name},
                disable_env_checker=True,  # it is for environments under development; `check_env` runs it
                order_enforce=False,
            )
