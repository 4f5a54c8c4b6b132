"""Everything of a simulation that has a name: read and written by world and column, on the host or on the device.

W worlds, D degrees of freedom, L links, A articulations (free bodies among them), in the order of `dof`, `link` and
`articulation`. SI units, radians, world axes; quaternions are (x, y, z, w).
"""

import numpy as np

from . import exchange
from .layout import INFINITE
from .parameters import DECIDING
from .quantity import Quantity
from .rotation import conjugate, multiply, rotate
from .settings import Settings
from .state import State

SEEN = "it follows from the joints; set q, root_pose or root_velocity"
DONE = "it is what the last step did"


class Quantities(Settings):
    """The named quantities, and how their numbers come and go."""

    q = Quantity("Q", "Joint positions [rad | m], (W, D).")
    qd = Quantity("QD", "Joint speeds [rad/s | m/s], (W, D).")
    qdd = Quantity("QDD", "Joint accelerations of the last step [rad/s² | m/s²], (W, D).", readonly=DONE)
    driven = Quantity("DRIVEN", "Efforts that drives and user gave in the last step [N·m | N], (W, D).", readonly=DONE)
    effort = Quantity("EFFORT", "User efforts, until overwritten [N·m | N], (W, D).")
    limit_effort = Quantity(
        "LIMIT_EFFORT", "Efforts of position limits in the last step, as of drives, (W, D).", readonly=DONE
    )
    friction_effort = Quantity(
        "FRICTION_EFFORT", "Efforts of joint friction in the last step, as of drives, (W, D).", readonly=DONE
    )
    speed_limit_effort = Quantity(
        "SPEED_LIMIT_EFFORT", "Efforts of joint speed limits in the last step, as of drives, (W, D).", readonly=DONE
    )
    mimic_effort = Quantity(
        "MIMIC_EFFORT", "Efforts of mimic joints in the last step, as of drives, (W, D).", readonly=DONE
    )
    target_q = Quantity("TARGET_Q", "Drive targets [rad | m], (W, D).")
    target_qd = Quantity("TARGET_QD", "Drive targets [rad/s | m/s], (W, D).")
    stiffness = Quantity("STIFFNESS", "Drive stiffness [N·m/rad | N/m | 1/s²], (W, D).")
    damping = Quantity("DAMPING", "Drive damping [N·m·s/rad | N·s/m | 1/s], (W, D).")
    max_force = Quantity("MAX_FORCE", "Bounds on drive and user effort together [N·m | N], (W, D).")
    lower = Quantity("LOWER", "Lower position limits [rad | m], (W, D).")
    upper = Quantity("UPPER", "Upper position limits [rad | m], (W, D).")
    static_friction = Quantity("STATIC_FRICTION", "Efforts that start a joint [N·m | N], (W, D).")
    dynamic_friction = Quantity("DYNAMIC_FRICTION", "Efforts of a sliding joint [N·m | N], (W, D).")
    viscous_friction = Quantity("VISCOUS_FRICTION", "Efforts per joint speed [N·m·s/rad | N·s/m], (W, D).")
    armature = Quantity("ARMATURE", "Rotor inertias [kg·m² | kg], (W, D).")
    max_velocity = Quantity("MAX_VELOCITY", "Joint speed limits [rad/s | m/s], (W, D).")
    force = Quantity("FORCE", "External forces on links, until overwritten [N], (W, L, 3).", "link", 3)
    torque = Quantity("TORQUE", "External torques on links, until overwritten [N·m], (W, L, 3).", "link", 3)
    force_point = Quantity(
        "FORCE_POINT", "Where a force acts, from the centre of mass, axes of the prim [m], (W, L, 3).", "link", 3
    )
    force_turns = Quantity(
        "FORCE_TURNS", "1 where force and torque are along the axes of the prim, 0 of the world, (W, L).", "link"
    )
    link_pose = Quantity("LINK_POSE", "Positions [m] and orientations of the prims, (W, L, 7).", "link", 7, SEEN)
    link_com_pose = Quantity("POSE", "The same of the centres of mass, axes of the prims, (W, L, 7).", "link", 7, SEEN)
    link_velocity = Quantity(
        "LINK_VELOCITY", "Velocity of the centre of mass, angular velocity [m/s, rad/s], (W, L, 6).", "link", 6, SEEN
    )
    link_acceleration = Quantity(
        "ACCELERATION", "Their accelerations in the last step, classical [m/s², rad/s²], (W, L, 6).", "link", 6, DONE
    )
    root_pose = Quantity("LINK_POSE", "Pose of the root link's prim; moves the robot, (W, A, 7).", "articulation", 7)
    root_velocity = Quantity("LINK_VELOCITY", "Velocity of the root link, as of a link, (W, A, 6).", "articulation", 6)
    root_acceleration = Quantity(
        "ACCELERATION", "Acceleration of the root link, as of a link, (W, A, 6).", "articulation", 6, DONE
    )

    _state: State  # this, `worlds`, the names of the columns and their links come from the simulation

    @classmethod
    def quantity(cls, name: str) -> Quantity:
        """The quantity of that name.

        Raises:
            KeyError: there is none.
        """
        found = getattr(cls, name, None) if isinstance(name, str) else None
        if not isinstance(found, Quantity):
            raise KeyError(f"no quantity {name!r}; there are {', '.join(q.name for q in cls.quantities())}")
        return found

    @classmethod
    def quantities(cls) -> list[Quantity]:
        """All quantities."""
        return [value for base in cls.__mro__ for value in vars(base).values() if isinstance(value, Quantity)]

    def read(self, name: str, out=None, worlds=None):
        """Copy a quantity to an array.

        Args:
            name: of the quantity.
            out: array to fill, of the simulation's precision, contiguous, on its device: NumPy's, PyTorch's, or what
                speaks DLPack; NumPy's is good for every device. None: a new NumPy array.
            worlds: indices of worlds; None for all.

        Returns:
            `out`, or the new array: (W, D), (W, L, n) or (W, A, n). What has no bound is infinite.

        Raises:
            KeyError: no such quantity.
            IndexError: no such world.
            TypeError: `out` is no array, or of another precision.
            ValueError: `out` has another shape, or is on another device.
        """
        quantity, chosen = self.quantity(name), self.chosen(worlds)
        shape = self._shape(quantity, chosen)
        if out is None:
            target = np.empty(shape, self._state.float)
        else:
            target = exchange.adopt(out, f"read({name!r}), out", shape, self._state.device, written=True)
        flat = target.reshape(shape[0], int(np.prod(shape[1:])))
        if quantity.row in self._state.places:
            buffer, rows = self._source(quantity)
            buffer.fill(flat, rows, chosen)
        else:
            rows = self._state.parameters[quantity.row]
            rows = rows[:, self._picked(quantity)] if quantity.of == "link" else rows
            rows = rows if chosen is None or len(rows) == 1 else rows[chosen]
            rows = np.where(np.abs(rows) < INFINITE, rows, np.copysign(np.inf, rows)).astype(self._state.float)
            exchange.copy(np.broadcast_to(rows, flat.shape), flat)
        return target if out is None else out

    def write(self, name: str, values, worlds=None) -> None:
        """Set a quantity from an array, on the device where it is there; what is refused leaves everything as it was.

        Args:
            name: of the quantity.
            values: array as `out` of `read`; NumPy's of any precision.
            worlds: indices of worlds, each once; None for all.

        Raises:
            KeyError, IndexError, TypeError, ValueError: as `read`; ValueError also for what cannot be set.
        """
        quantity, chosen = self.quantity(name), self.chosen(worlds)
        if quantity.readonly:
            raise ValueError(f"{name} cannot be set: {quantity.readonly}")
        shape, what = self._shape(quantity, chosen), f"write({name!r})"
        if isinstance(values, np.ndarray) and values.dtype.kind in "fiu" and values.dtype != self._state.float:
            values = values.astype(self._state.float)
        flat = exchange.adopt(values, what, shape, self._state.device).reshape(shape[0], int(np.prod(shape[1:])))
        if quantity.of == "articulation":
            self._set_roots(name, exchange.on_host(flat).reshape(shape), chosen)
        elif quantity.row in self._state.places:
            self._state.buffer("state").write(flat, self._state.rows[quantity.row], chosen)
            self._state.changed()
            if quantity.row == "Q":
                self._state.moved(chosen)
        elif quantity.of == "link":
            rows = np.array(np.broadcast_to(self._state.parameters[quantity.row], self._all_rows(quantity)))
            worlds = np.arange(self.worlds) if chosen is None else chosen
            rows[np.ix_(worlds, self._picked(quantity))] = exchange.on_host(flat)
            self._set_parameter(quantity.row, rows, None)
        else:
            self._set_parameter(quantity.row, flat, chosen)

    def chosen(self, worlds) -> np.ndarray | None:
        """Indices of worlds, from 0; None for all.

        Raises:
            IndexError: no such world, or one twice.
        """
        if worlds is None:
            return None
        none = not isinstance(worlds, slice) and np.size(worlds) == 0
        try:
            chosen = np.arange(self.worlds)[slice(0) if none else worlds].reshape(-1)
        except IndexError:
            raise IndexError(f"worlds = {worlds}: there are {self.worlds}, counted from 0") from None
        if len(np.unique(chosen)) < len(chosen):
            raise IndexError(f"worlds = {worlds}: names a world twice; name each once")
        return chosen

    def _shape(self, quantity: Quantity, chosen: np.ndarray | None) -> tuple[int, ...]:
        count = self.worlds if chosen is None else len(chosen)
        return count, len(getattr(self, quantity.of)), *quantity.numbers

    def _source(self, quantity: Quantity):
        """Buffer and rows of a quantity that the state says, once it says it."""
        name, rows = self._state.places[quantity.row]
        if name == "links":
            self._state.look()
        elif quantity.row == "POSE":
            self._state.settle()
        if quantity.of != "dof":
            picked = rows.start + self._picked(quantity)
            gaps = np.diff(picked) != 1
            rows = picked if gaps.any() else slice(int(picked[0]), int(picked[-1]) + 1)
        return self._state.buffer(name), rows

    def _picked(self, quantity: Quantity) -> np.ndarray:
        """Rows of a quantity of links or roots among those of all links of the model."""
        width = int(np.prod(quantity.numbers))
        columns = self._links if quantity.of == "link" else self._roots
        return (width * np.array(columns)[:, None] + np.arange(width)).ravel()

    def _all_rows(self, quantity: Quantity) -> tuple[int, int]:
        return self.worlds, self._state.parameters[quantity.row].shape[1]

    def _set_parameter(self, row: str, flat, chosen: np.ndarray | None) -> None:
        """Replace a parameter; one that all worlds share is stored once."""
        varies = self._state.parameters.varies(row)
        if row not in DECIDING and (chosen is not None or varies or not isinstance(flat, np.ndarray)):
            self._state.parameters.lend(row).write(exchange.bounded(flat, INFINITE), slice(0, flat.shape[1]), chosen)
            return
        values = exchange.on_host(flat)
        if chosen is not None:
            rows = np.broadcast_to(self._state.parameters[row], (self.worlds, values.shape[1])).copy()
            rows[chosen] = values
            values = rows
        shared = (values == values[0]).all()
        self._state.parameters[row] = values[:1] if shared else values

    def _set_roots(self, name: str, values: np.ndarray, chosen: np.ndarray | None) -> None:
        """Move the root links, and what hangs on them."""
        state = self._state
        if name == "root_velocity":
            still = [i for i, floats in enumerate(self._floats) if not floats]
            if values[:, still].any():
                raise ValueError(f"root_velocity of {self.articulation[still[0]]} must be 0: its base is fixed")
            swapped = np.concatenate([values[..., 3:], values[..., :3]], -1)
            state.buffer("state").write(swapped.reshape(len(values), -1), state.rows["ROOT"], chosen)
            state.changed()
            return
        lengths = np.linalg.norm(values[..., 3:], axis=-1, keepdims=True)
        if not (np.abs(lengths - 1.0) < 1e-3).all():
            raise ValueError("root_pose: a quaternion (x, y, z, w) must have length 1; give position and quaternion")
        poses = np.concatenate([values[..., :3], values[..., 3:] / lengths], -1).astype(np.float64)
        before = self.read("root_pose", worlds=chosen).astype(np.float64)
        picked = 7 * self.tree_roots[:, None] + np.arange(7)
        rows = state.rows["POSE"].start + picked.ravel()
        trees = state.buffer("state").read(rows, chosen).reshape(before.shape).astype(np.float64)
        turn = multiply(poses[..., 3:], conjugate(before[..., 3:]))
        trees[..., :3] = poses[..., :3] + rotate(turn, trees[..., :3] - before[..., :3])
        trees[..., 3:] = multiply(turn, trees[..., 3:])
        state.buffer("state").write(trees.reshape(len(values), -1).astype(state.float), rows, chosen)
        state.moved(chosen)
        state.changed()
