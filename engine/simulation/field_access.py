"""Access to the fields of a simulation by name, world and column, on the host or on the device."""

from collections.abc import Mapping
from typing import TypeVar, overload

import numpy as np

from ..device import dlpack
from ..device.buffer import Buffer
from ..device.copies_buffer import CopiesBuffer
from ..device.copies_state import AnyState
from ..device.parameters import STRUCTURAL
from ..errors import whole
from ..tables.layout import INFINITE
from .clock import Clock
from .columns import Columns
from .field import Derived, Field
from .fields import Fields
from .root_poses import SWAPPED, checked_poses, moved_roots
from .schedule import Schedule
from .sleep import Sleep
from .step_results import result_buffer
from .temporary_values import TemporaryValues
from .value_rules import LAWLESS, check_effect, check_limits, check_values
from .world_indices import Worlds, world_indices

Array = TypeVar("Array", bound=dlpack.DeviceArray)
LIMITS = ("lower", "upper")


class FieldAccess:
    """Reading and writing of the named fields.

    Args:
        state: worlds of a simulation on the device.
        clock: step and number of steps of the simulation.
    """

    def __init__(self, state: AnyState, clock: Clock):
        self.state, self.clock = state, clock
        self.columns = Columns(state.model)
        self.temporary = TemporaryValues(state.parameters, state.worlds)
        self.sleep = Sleep(state, self.columns)
        self.schedule = Schedule(state, clock, self.columns)

    @overload
    def read(self, name: str, out: None = None, worlds: Worlds = None) -> np.ndarray: ...
    @overload
    def read(self, name: str, out: Array, worlds: Worlds = None) -> Array: ...
    def read(self, name: str, out: Array | None = None, worlds: Worlds = None) -> np.ndarray | Array:
        """Copy a field to an array; see `Simulation.read`."""
        quantity, chosen = Fields.quantity(name), world_indices(worlds, self.state.worlds)
        shape = self._shape(quantity, chosen)
        given = np.empty(shape, self.state.float) if out is None else out
        target = dlpack.as_device_array(given, f"read({name!r}), out", shape, self.state.device, written=True)
        flat = target.reshape(shape[0], int(np.prod(shape[1:])))
        if isinstance(quantity, Derived):
            values = quantity.law(self)[slice(None) if chosen is None else chosen].astype(self.state.float)
            dlpack.copy(values.reshape(flat.shape), flat)
        elif quantity.row in self.state.layout.places:
            buffer, rows = self._source(quantity)
            buffer.fill(flat, rows, chosen)
        else:
            dlpack.copy(self._values(quantity, self.state.parameters[quantity.row], chosen), flat)
        return given

    def base_value(self, name: str) -> np.ndarray:
        """Return a field of all worlds without values that hold for some steps only."""
        quantity = Fields.quantity(name)
        if quantity.row in self.state.layout.places or quantity.readonly:
            return self.read(name)
        return self._values(quantity, self.temporary.base_value(quantity.row), None).reshape(
            self._shape(quantity, None)
        )

    def write(self, name: str, values: dlpack.DeviceArray, worlds: Worlds = None, steps: int | None = None) -> None:
        """Set a field from an array; see `Simulation.write`."""
        self.write_columns(name, values, worlds, None, steps)

    def write_columns(
        self, name: str, values: dlpack.DeviceArray, worlds: Worlds, columns: np.ndarray | None, steps: int | None
    ) -> None:
        """Set a field as `write` does, but check only the given columns (None: all) and wake their articulations."""
        quantity, chosen = Fields.quantity(name), world_indices(worlds, self.state.worlds)
        adopted = self._adopt(quantity, values, chosen)
        if steps is not None:
            steps = whole(f"{name}, steps", steps, 1)
            if quantity.row in self.state.layout.places:
                raise ValueError(
                    f"{name}, steps = {steps}: must be None because {name} is a state; set efforts, targets or gains"
                )
        names = self.columns.names(quantity.of)
        check_values(quantity, adopted, names, chosen, columns)
        if name in LAWLESS:
            check_effect(quantity, adopted, names, chosen, self.columns.without_effect(quantity.row))
        if name in LIMITS:
            self._check_limits({name: dlpack.on_host(adopted)}, chosen, columns)
        self._assign(quantity, adopted, chosen, columns, steps)

    def write_together(self, fields: Mapping[str, np.ndarray]) -> None:
        """Set several fields of all worlds, limits that fit each other among them; an error changes nothing.

        Raises:
            ValueError: a value is against the rule of its field.
        """
        adopted = {name: self._adopt(Fields.quantity(name), values, None) for name, values in fields.items()}
        for name, values in adopted.items():
            check_values(Fields.quantity(name), values, self.columns.names(Fields.quantity(name).of), None)
        if limits := {name: dlpack.on_host(values) for name, values in adopted.items() if name in LIMITS}:
            self._check_limits(limits, None, None)
        for name, values in adopted.items():
            self._assign(Fields.quantity(name), values, None, None, None)

    def write_known(self, name: str, values: np.ndarray, columns: np.ndarray | None = None) -> None:
        """Set a field of all worlds to values of a scene or a simulation, without a check; wake the given columns."""
        quantity = Fields.quantity(name)
        self._assign(quantity, self._adopt(quantity, values, None), None, columns, None)

    def _adopt(self, quantity: Field, values: dlpack.DeviceArray, chosen: np.ndarray | None) -> dlpack.Adopted:
        """Return an array for a field of worlds in its shape, of the simulation's precision."""
        if quantity.readonly:
            raise ValueError(f"{quantity.name} cannot be set: {quantity.readonly}")
        if isinstance(values, np.ndarray) and values.dtype.kind in "fiu" and values.dtype != self.state.float:
            with np.errstate(over="ignore"):  # beyond the precision is infinite
                values = values.astype(self.state.float)
        what = f"write({quantity.name!r})"
        return dlpack.as_device_array(values, what, self._shape(quantity, chosen), self.state.device)

    def _check_limits(
        self, given: Mapping[str, np.ndarray], chosen: np.ndarray | None, columns: np.ndarray | None
    ) -> None:
        """Raise ValueError if a lower limit is above its upper limit."""
        picked = slice(None) if columns is None else columns
        lower, upper = (given[name] if name in given else self.read(name, worlds=chosen) for name in LIMITS)
        names = [*np.array(self.columns.dof, object)[picked]]
        other = next((name for name in LIMITS if name not in given), "")
        fix = f"set {other} first" if other else "exchange them"
        check_limits(lower[:, picked], upper[:, picked], names, chosen, fix)

    def _assign(
        self,
        quantity: Field,
        values: dlpack.Adopted,
        chosen: np.ndarray | None,
        columns: np.ndarray | None,
        steps: int | None,
    ) -> None:
        """Set a field of worlds, for some steps or until the next assignment, and wake articulations."""
        shape, name = self._shape(quantity, chosen), quantity.name
        flat = values.reshape(shape[0], int(np.prod(shape[1:])))
        if quantity.row not in self.state.layout.places and steps is None:
            self.temporary.restore(quantity.row)
        elif steps is not None:
            self.temporary.set_until(quantity.row, self.clock.steps + steps)
        if quantity.of == "articulation":
            self._set_roots(name, dlpack.on_host(flat).reshape(shape), chosen)
        elif quantity.row in self.state.layout.places:
            self.state.buffer("state").write(flat, self.state.layout.rows[quantity.row], chosen)
            self.state.mark_state_changed()
            if quantity.row == "Q":
                self.state.mark_positions_changed(chosen)
        elif quantity.of != "dof":
            rows = self.state.parameters[quantity.row] + np.zeros((self.state.worlds, 1))
            worlds = np.arange(self.state.worlds) if chosen is None else chosen
            rows[np.ix_(worlds, self.columns.rows(quantity.of, quantity.width))] = dlpack.on_host(flat)
            self._set_parameter(quantity.row, rows, None)
        else:
            self._set_parameter(quantity.row, flat, chosen)
        self.sleep.disturb(quantity.of, chosen, columns)

    def _values(self, quantity: Field, rows: np.ndarray, chosen: np.ndarray | None) -> np.ndarray:
        """Return rows of a parameter as values of a field, (worlds, numbers)."""
        values = self.field_values(quantity, rows if chosen is None or len(rows) == 1 else rows[chosen])
        return np.broadcast_to(values, (self.state.worlds if chosen is None else len(chosen), values.shape[1]))

    def field_values(self, quantity: Field, rows: np.ndarray) -> np.ndarray:
        """Return rows of a parameter, (W, rows), as columns of a field, (W, numbers). Missing bounds are infinite."""
        rows = rows if quantity.of == "dof" else rows[:, self.columns.rows(quantity.of, quantity.width)]
        if quantity.rule.endswith("inf"):
            rows = np.where(np.abs(rows) < INFINITE, rows, np.copysign(np.inf, rows))
        return rows.astype(self.state.float)

    def _shape(self, quantity: Field, chosen: np.ndarray | None) -> tuple[int, ...]:
        count = self.state.worlds if chosen is None else len(chosen)
        return count, len(self.columns.names(quantity.of)), *quantity.numbers

    def _source(self, quantity: Field) -> tuple[Buffer | CopiesBuffer, slice | np.ndarray]:
        """Return buffer and rows of a state field, after updating the buffer."""
        name, rows = self.state.layout.places[quantity.row]
        if name == "links":
            self.state.update_link_state()
        elif quantity.row == "POSE":
            self.state.sync_poses()
        if quantity.of in ("link", "articulation"):
            picked = rows.start + self.columns.rows(quantity.of, quantity.width)
            gaps = np.diff(picked) != 1
            first = int(picked[0]) if len(picked) else 0
            rows = picked if gaps.any() else slice(first, first + len(picked))
        if name == "results":
            return result_buffer(self.state, quantity.row, quantity.name), rows
        return self.state.buffer(name), rows

    def _set_parameter(self, row: str, flat: dlpack.Adopted, chosen: np.ndarray | None) -> None:
        """Replace a parameter; store values that all worlds share once."""
        varies = self.state.parameters.varies(row)
        if row not in STRUCTURAL and (chosen is not None or varies or not isinstance(flat, np.ndarray)):
            self.state.parameters.device_buffer(row).write(dlpack.clip(flat, INFINITE), slice(0, flat.shape[1]), chosen)
            return
        values = dlpack.on_host(flat)
        if chosen is not None:
            rows = np.broadcast_to(self.state.parameters[row], (self.state.worlds, values.shape[1])).copy()
            rows[chosen] = values
            values = rows
        shared = (values == values[0]).all()
        self.state.parameters[row] = values[:1] if shared else values

    def _set_roots(self, name: str, values: np.ndarray, chosen: np.ndarray | None) -> None:
        """Move the root links and their descendants."""
        state = self.state
        if name == "root_velocity":
            still = [i for i, floats in enumerate(self.columns.floats) if not floats]
            if values[:, still].any():
                raise ValueError(
                    f"root_velocity of {self.columns.articulation[still[0]]}: must be 0 because its base is fixed"
                )
            swapped = values[..., SWAPPED].reshape(len(values), -1)
            state.buffer("state").write(swapped, state.layout.rows["ROOT_VELOCITY"], chosen)
            state.mark_state_changed()
            return
        poses = checked_poses(values, self.columns.articulation, chosen)
        before = self.read("root_pose", worlds=chosen).astype(np.float64)
        picked = 7 * self.columns.tree_roots[:, None] + np.arange(7)
        rows = state.layout.rows["POSE"].start + picked.ravel()
        trees = moved_roots(poses, before, state.buffer("state").read(rows, chosen).reshape(before.shape))
        state.buffer("state").write(trees.reshape(len(values), -1).astype(state.float), rows, chosen)
        state.mark_positions_changed(chosen)
        state.mark_state_changed()
