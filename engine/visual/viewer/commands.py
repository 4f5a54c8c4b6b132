"""Commands of the page of a running simulation, as strangers may send them: checked before the simulation sees them."""

import math
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

SPEEDS = (1e-3, 100.0)


@dataclass(frozen=True)
class CommandCheck:
    """The names that commands may use."""

    dof: Container[str]
    link: Container[str]
    worlds: int
    passive: bool  # True if the caller steps; only then a page may end the viewer

    def refusal(self, message: Any) -> str:
        """Return why a command is refused, or ""."""
        if not isinstance(message, dict) or len(message) != 1:
            return "a command: must be an object with one key"
        ((key, value),) = message.items()
        if key == "do":
            known = {"pause", "step", "reset"} | ({"stop"} if self.passive else set())
            return "" if value in tuple(known) else f"do: must be one of {', '.join(sorted(known))}"
        if key == "speed":
            return "" if is_number(value) and SPEEDS[0] <= value <= SPEEDS[1] else "speed: must be from 0.001 to 100"
        if key == "target" and isinstance(value, dict):
            sound = all(name in self.dof and is_number(number) for name, number in value.items())
            return "" if sound else "target: must be finite numbers by degree of freedom"
        if key == "force" and isinstance(value, dict) and set(value) == {"link", "world", "vector"}:
            return "" if self._is_force(value) else "force: must be of a link and a world, three finite numbers"
        return f"{key[:40]}: must be do, speed, target or force"

    def _is_force(self, value: dict[str, Any]) -> bool:
        vector, world = value["vector"], value["world"]
        return (
            isinstance(value["link"], str)
            and value["link"] in self.link
            and type(world) is int
            and 0 <= world < self.worlds
            and isinstance(vector, list)
            and len(vector) == 3
            and all(map(is_number, vector))
        )


def is_number(value: Any) -> bool:
    """Return whether a value of JSON is a finite number."""
    return type(value) in (int, float) and math.isfinite(value)
