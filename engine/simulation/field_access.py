"""Access to the fields of a simulation by name, world and column, on the host or on the device."""

import numpy as np

from ..device import dlpack
from ..device.parameters import STRUCTURAL
from ..device.state import State
from ..errors import whole
from ..quaternion import conjugate, multiply, rotate
from ..tables.layout import INFINITE
from .field import Derived, Field
from .fields import Fields
from .temporary_values import TemporaryValues


class FieldAccess(Fields):
    """Reading and writing of the named fields."""

    _state: State  # set by the simulation, like `worlds`, the column names and `_links`
    passing: TemporaryValues
    steps: int

    def read(self, name: str, out=None, worlds=None):
        """Copy a field to an array.

        Args:
            name: name of the field.
            out: contiguous array to fill, in the simulation's precision: a NumPy array (for every device), or a PyTorch
                tensor or DLPack array on the simulation's device. None: a new NumPy array.
            worlds: indices of worlds; None for all.

        Returns:
            `out`, or the new array: (W, D), (W, L, n) or (W, A, n). Missing bounds are infinite.

        Raises:
            KeyError: no such field.
            IndexError: no such world.
            TypeError: `out` is not an array, or has another precision.
            ValueError: `out` has another shape, or is on another device.
        """
        quantity, chosen = self.quantity(name), self.chosen(worlds)
        shape = self._shape(quantity, chosen)
        if out is None:
            target = np.empty(shape, self._state.float)
        else:
            target = dlpack.as_device_array(out, f"read({name!r}), out", shape, self._state.device, written=True)
        flat = target.reshape(shape[0], int(np.prod(shape[1:])))
        if isinstance(quantity, Derived):
            dlpack.copy(quantity.law(self)[slice(None) if chosen is None else chosen].astype(flat.dtype), flat)
        elif quantity.row in self._state.places:
            buffer, rows = self._source(quantity)
            buffer.fill(flat, rows, chosen)
        else:
            dlpack.copy(self._values(quantity, self._state.parameters[quantity.row], chosen), flat)
        return target if out is None else out

    def base_value(self, name: str) -> np.ndarray:
        """Return a field of all worlds without values that hold for some steps only."""
        quantity = self.quantity(name)
        if quantity.row in self._state.places or quantity.readonly:
            return self.read(name)
        return self._values(quantity, self._temporary_values.base_value(quantity.row), None).reshape(
            self._shape(quantity, None)
        )

    def write(self, name: str, values, worlds=None, steps: int | None = None) -> None:
        """Set a field from an array, without leaving its device; an error changes nothing.

        Args:
            name: name of the field.
            values: array as `out` of `read`; NumPy arrays of any precision.
            worlds: indices of worlds, each once; None for all.
            steps: number of steps for which the values hold; the previous values are then restored. None: the values
                hold until the next write, and temporary values of the field end now.

        Raises:
            KeyError, IndexError, TypeError, ValueError: as `read`; ValueError also for fields that cannot be set.
        """
        self.write_columns(name, values, worlds, None, steps)

    def write_columns(self, name: str, values, worlds, columns: np.ndarray | None, steps: int | None) -> None:
        """Set a field as `write` does, but wake only the articulations of the given columns (None: all)."""
        quantity, chosen = self.quantity(name), self.chosen(worlds)
        if quantity.readonly:
            raise ValueError(f"{name} cannot be set: {quantity.readonly}")
        if steps is not None:
            steps = whole(f"{name}, steps", steps, 1)
            if quantity.row in self._state.places:
                raise ValueError(
                    f"{name}, steps = {steps}: must be None because {name} is a state; set efforts, targets or gains"
                )
        shape, what = self._shape(quantity, chosen), f"write({name!r})"
        if isinstance(values, np.ndarray) and values.dtype.kind in "fiu" and values.dtype != self._state.float:
            values = values.astype(self._state.float)
        flat = dlpack.as_device_array(values, what, shape, self._state.device).reshape(
            shape[0], int(np.prod(shape[1:]))
        )
        if quantity.row not in self._state.places and steps is None:
            self._temporary_values.restore(quantity.row)
        elif steps is not None:
            self._temporary_values.set_until(quantity.row, self.steps + steps)
        if quantity.of == "articulation":
            self._set_roots(name, dlpack.on_host(flat).reshape(shape), chosen)
        elif quantity.row in self._state.places:
            self._state.buffer("state").write(flat, self._state.rows[quantity.row], chosen)
            self._state.mark_state_changed()
            if quantity.row == "Q":
                self._state.mark_positions_changed(chosen)
        elif quantity.of != "dof":
            rows = self._state.parameters[quantity.row] + np.zeros((self.worlds, 1))
            worlds = np.arange(self.worlds) if chosen is None else chosen
            rows[np.ix_(worlds, self._picked(quantity))] = dlpack.on_host(flat)
            self._set_parameter(quantity.row, rows, None)
        else:
            self._set_parameter(quantity.row, flat, chosen)
        self.disturb(quantity.of, chosen, columns)

    def chosen(self, worlds) -> np.ndarray | None:
        """Return indices of worlds, from 0; None for all.

        Raises:
            IndexError: no such world, or a world given twice.
        """
        if worlds is None:
            return None
        none = not isinstance(worlds, slice) and np.size(worlds) == 0
        try:
            chosen = np.arange(self.worlds)[slice(0) if none else worlds].reshape(-1)
        except IndexError:
            raise IndexError(f"worlds = {worlds}: must be from 0 to {self.worlds - 1}") from None
        if len(np.unique(chosen)) < len(chosen):
            raise IndexError(f"worlds = {worlds}: must name each world once; remove duplicates")
        return chosen

    def _values(self, quantity: Field, rows: np.ndarray, chosen: np.ndarray | None) -> np.ndarray:
        """Return rows of a parameter as values of a field, (worlds, numbers). Missing bounds are infinite."""
        rows = rows if quantity.of == "dof" else rows[:, self._picked(quantity)]
        rows = rows if chosen is None or len(rows) == 1 else rows[chosen]
        rows = np.where(np.abs(rows) < INFINITE, rows, np.copysign(np.inf, rows)).astype(self._state.float)
        return np.broadcast_to(rows, (self.worlds if chosen is None else len(chosen), rows.shape[1]))

    def _shape(self, quantity: Field, chosen: np.ndarray | None) -> tuple[int, ...]:
        count = self.worlds if chosen is None else len(chosen)
        return count, len(getattr(self, quantity.of)), *quantity.numbers

    def _source(self, quantity: Field):
        """Return buffer and rows of a state field, after updating the buffer."""
        name, rows = self._state.places[quantity.row]
        if name == "links":
            self._state.update_link_state()
        elif quantity.row == "POSE":
            self._state.sync_poses()
        if quantity.of in ("link", "articulation"):
            picked = rows.start + self._picked(quantity)
            gaps = np.diff(picked) != 1
            rows = picked if gaps.any() else slice(int(picked[0]), int(picked[-1]) + 1)
        return self._state.buffer(name), rows

    def _picked(self, quantity: Field) -> np.ndarray:
        """Return the rows of a field among the rows of all links of the model, or of all axes of maximal joints."""
        width = int(np.prod(quantity.numbers))
        rows = {
            "link": self._links,
            "articulation": self._roots,
            "maximal_dof": self._model.maximal_rows,
            "axis": range(3),
        }
        return (width * np.array(rows[quantity.of], int)[:, None] + np.arange(width)).ravel()

    def _set_parameter(self, row: str, flat, chosen: np.ndarray | None) -> None:
        """Replace a parameter; store values that all worlds share once."""
        varies = self._state.parameters.varies(row)
        if row not in STRUCTURAL and (chosen is not None or varies or not isinstance(flat, np.ndarray)):
            self._state.parameters.device_buffer(row).write(
                dlpack.clip(flat, INFINITE), slice(0, flat.shape[1]), chosen
            )
            return
        values = dlpack.on_host(flat)
        if chosen is not None:
            rows = np.broadcast_to(self._state.parameters[row], (self.worlds, values.shape[1])).copy()
            rows[chosen] = values
            values = rows
        shared = (values == values[0]).all()
        self._state.parameters[row] = values[:1] if shared else values

    def _set_roots(self, name: str, values: np.ndarray, chosen: np.ndarray | None) -> None:
        """Move the root links and their descendants."""
        state = self._state
        if name == "root_velocity":
            still = [i for i, floats in enumerate(self.floats) if not floats]
            if values[:, still].any():
                raise ValueError(f"root_velocity of {self.articulation[still[0]]}: must be 0 because its base is fixed")
            swapped = np.concatenate([values[..., 3:], values[..., :3]], -1)
            state.buffer("state").write(swapped.reshape(len(values), -1), state.rows["ROOT_VELOCITY"], chosen)
            state.mark_state_changed()
            return
        lengths = np.linalg.norm(values[..., 3:], axis=-1, keepdims=True)
        if not (np.abs(lengths - 1.0) < 1e-3).all():
            raise ValueError("root_pose: must hold a position and a quaternion (x, y, z, w) of length 1")
        poses = np.concatenate([values[..., :3], values[..., 3:] / lengths], -1).astype(np.float64)
        before = self.read("root_pose", worlds=chosen).astype(np.float64)
        picked = 7 * self.tree_roots[:, None] + np.arange(7)
        rows = state.rows["POSE"].start + picked.ravel()
        trees = state.buffer("state").read(rows, chosen).reshape(before.shape).astype(np.float64)
        turn = multiply(poses[..., 3:], conjugate(before[..., 3:]))
        trees[..., :3] = poses[..., :3] + rotate(turn, trees[..., :3] - before[..., :3])
        trees[..., 3:] = multiply(turn, trees[..., 3:])
        state.buffer("state").write(trees.reshape(len(values), -1).astype(state.float), rows, chosen)
        state.mark_positions_changed(chosen)
        state.mark_state_changed()
