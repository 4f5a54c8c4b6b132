"""Values of joints that act some physics steps after they are set, in each world by its own delay."""

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from .environment import Environment


class DelayedTargets:
    """Values of a field of joints with delays: the simulation's schedule, of the last control steps.

    In physics step s of a control step of n, the values are those of floor((s - delay) / n) control steps from now, or
    the first ones since `start`.

    Args:
        env: environment.
        field: field of the joints that may be scheduled.
        columns: columns of the joints, in the order of the robot.
        longest: largest delay [physics steps].
    """

    def __init__(self, env: "Environment", field: str, columns: torch.Tensor, longest: int):
        self._env, self._field = env, field
        self._columns = env.robot.dofs[columns]
        self._every = round(env.dt / env.sim.dt)
        self._rows = 1 + -(-longest // self._every)  # control steps whose values may act
        values = torch.from_numpy(env.sim.read(field)).to(env.device)
        self._values = values[:, None].repeat(1, self._rows, 1)  # (W, rows, D), the newest last
        self._delays = torch.zeros(env.worlds, device=env.device)
        self._first = torch.ones(env.worlds, dtype=torch.bool, device=env.device)

    def start(self, worlds: torch.Tensor, delays: torch.Tensor) -> None:
        """Begin anew in worlds (indices), with delays [physics steps]."""
        self._delays[worlds] = delays
        self._first[worlds] = True

    def apply(self, values: torch.Tensor) -> None:
        """Set the values of this control step, (W, n)."""
        self._values[:, :-1] = self._values[:, 1:].clone()
        self._values[:, -1, self._columns] = values
        self._values[self._first] = self._values[self._first, -1:]
        self._first[:] = False
        late = (self._delays - (self._rows - 1) * self._every) * self._env.sim.dt
        table = {self._field: self._values.cpu().numpy()}
        self._env.sim.schedule(table, every=self._every, delay=late.double().cpu().numpy())
