"""The buffers on the device: what every world carries, every parameter, and scratch, for one model and W worlds."""

import numpy as np

from .device import Device, compiling, laws
from .layout import INFINITE, PARAMETERS, SCRATCHES, STATE, rows_of
from .model import Model
from .topology import ARTICULATION, HEAD, KINDS, NODE, TABLES

DECIDING = {"STATIC_FRICTION", "DYNAMIC_FRICTION", "VISCOUS_FRICTION", "MAX_VELOCITY", "LOWER", "UPPER"}
"""Parameters that say which rows a joint has."""

TASKS_PER_WORKER = 4
"""Chunks of worlds a worker takes one after the other, so that no worker waits long for another."""


class State:
    """All arrays of one simulation. Host copies are (worlds, rows); parameters shared by all worlds are (1, rows)."""

    def __init__(self, model: Model, worlds: int, device: Device):
        self.model, self.worlds, self.device = model, worlds, device
        counts = {"D": len(model.dof), "L": len(model.link), "A": len(model.tables["ARTICULATIONS"])}
        self.rows, first = {}, 0
        for name, owner, width, _ in STATE:
            self.rows[name] = slice(first, first + width * counts[owner])
            first += width * counts[owner]
        self.row_count = first
        self.parameters = {name: rows[None].copy() for name, rows in model.parameters.items()}
        self.index = -(-worlds // device.lanes)  # worlds, or packs of them
        self.frame_bytes = device.bits // 8 * self.row_count * self.index * device.lanes
        articulations, mimics = model.tables["ARTICULATIONS"], model.tables["MIMICS"]
        most = articulations[:, ARTICULATION["MIMIC_END"]] - articulations[:, ARTICULATION["MIMIC"]]
        self.coupled = 2 + int(most.max())  # rows of one mimic joint: rate, pace, and its pull on all of its robot
        self.scratch, first = {}, 0  # first scratch row of every table that has any
        for name in SCRATCHES:
            self.scratch[name] = first
            first += len(model.tables[name]) * rows_of(name)
        self.couplings = first
        self.scratch_rows = first + len(mimics) * self.coupled
        self.outside = tuple(len(model.tables[name]) > 0 for name in ("JOINTS", "TENDONS"))
        self.step_work = len(model.nodes) * self.index  # of one step: nodes times packs
        self.float = np.float64 if device.bits == 64 else np.float32
        self._real = None
        self._arrays = {}
        self._flat_parameters = np.empty(0)  # all parameters in the device's order
        self._blocks: dict[str, slice] = {}  # where each lies in there
        self._stale = set(PARAMETERS)

    def start(self) -> None:
        """Put the model's initial state into every world."""
        rows = np.zeros((self.worlds, self.row_count))
        rows[:, self.rows["Q"]], rows[:, self.rows["QD"]] = self.model.q, self.model.qd
        rows[:, self.rows["POSE"]] = self.model.poses.ravel()
        rows[:, self.rows["ROOT"]] = self.model.roots.ravel()
        self.write(rows)
        self.settle()

    def _ndarray(self, name: str, shape: tuple[int, ...]):
        """The device array of that name, made anew when its shape changes."""
        import taichi as ti

        array = self._arrays.get(name)
        if array is None or tuple(array.shape) != shape:
            if self._real is None:
                number = ti.f64 if self.device.bits == 64 else ti.f32
                self._real = ti.types.vector(self.device.lanes, number) if self.device.lanes > 1 else number
            array = self._arrays[name] = ti.ndarray(ti.i32 if name == "topology" else self._real, shape)
        return array

    def _lanes(self, rows: np.ndarray) -> np.ndarray:
        """(worlds, rows) → the device's order; idle lanes repeat the last world."""
        lanes = self.device.lanes
        if not self.device.packed:
            return np.ascontiguousarray(rows.T, self.float)
        full = np.concatenate([rows, np.repeat(rows[-1:], self.index * lanes - len(rows), 0)])
        return np.ascontiguousarray(full.reshape(self.index, lanes, -1).transpose(0, 2, 1), self.float)

    def _flat(self, data: np.ndarray) -> np.ndarray:
        """One element a pack, or a number."""
        return data.reshape(-1, self.device.lanes) if self.device.lanes > 1 else data.reshape(-1)

    def _worlds(self, data: np.ndarray, rows: int) -> np.ndarray:
        """The device's order → (worlds, rows)."""
        if not self.device.packed:
            return data.reshape(rows, self.worlds).T
        packs = data.reshape(self.index, rows, self.device.lanes)
        return packs.transpose(0, 2, 1).reshape(-1, rows)[: self.worlds]

    def read(self) -> np.ndarray:
        """State of all worlds, (worlds, rows)."""
        return self._worlds(self._arrays["state"].to_numpy(), self.row_count)

    def write(self, rows: np.ndarray) -> None:
        """Replace the state of all worlds, (worlds, rows)."""
        self._ndarray("state", (self.row_count * self.index,)).from_numpy(self._flat(self._lanes(rows)))

    def set_parameter(self, name: str, rows: np.ndarray) -> None:
        """Replace a parameter: (1, rows) shared by all worlds, or (worlds, rows)."""
        rows = np.where(np.isinf(rows), np.copysign(INFINITE, rows), rows)
        same_size = rows.shape == self.parameters[name].shape
        self.parameters[name] = rows
        self._stale.add(name)
        if not same_size or name in DECIDING:
            self._blocks.clear()
        if name == "MAX_VELOCITY":
            found = self.model.clamps >= 0
            self.set_parameter("CLAMP_VELOCITY", np.where(found, rows[:, self.model.clamps], INFINITE))

    def _upload(self) -> None:
        """Bring changed parameters to the device, and the topology where it says something else than before."""
        if not self._stale:
            return
        if not self._blocks:
            self._lay_out()
        for name in self._stale:
            self._flat_parameters[self._blocks[name]] = self._block(name)
        self._stale.clear()
        self._ndarray("parameters", (len(self._flat_parameters),)).from_numpy(self._flat_parameters)

    def _block(self, name: str) -> np.ndarray:
        """Rows of a parameter in the device's order."""
        rows, lanes = self.parameters[name], self.device.lanes
        if not self.device.packed:
            return rows.T.reshape(-1)
        spread = self._lanes(rows) if len(rows) > 1 else np.repeat(rows[..., None], lanes, -1)
        return self._flat(spread)

    def _lay_out(self) -> None:
        """Give every parameter its place and write the topology: head, places, nodes, articulations."""
        packed, places, first = self.device.packed, [], 0
        for name in PARAMETERS:
            count, varies = self.parameters[name].shape[1], len(self.parameters[name]) > 1
            size = count * (self.index if varies else 1)
            between_rows, between_worlds = (1, count) if packed else (self.worlds, 1)
            places += [first, between_rows if varies else 1, between_worlds if varies else 0]
            self._blocks[name] = slice(first, first + size)
            first += size
        shape = (first, self.device.lanes) if self.device.lanes > 1 else (first,)
        self._flat_parameters = np.zeros(shape, self.float)
        self._stale = set(PARAMETERS)
        tables = self.model.tables | {"NODES": self._nodes(), "ARTICULATIONS": self._articulations()}
        words = np.concatenate([self._head(), places, *(tables[name].ravel() for name in TABLES)])
        self._ndarray("topology", (len(words),)).from_numpy(words.astype(np.int32))

    def _head(self) -> list[int]:
        first, at = len(HEAD) + 3 * len(PARAMETERS), {}
        for name, table in self.model.tables.items():
            at[name], first = first, first + table.size
        words = {name: rows.start for name, rows in self.rows.items()} | at
        words |= {f"{name}_SCRATCH": first for name, first in self.scratch.items()} | {
            "ROWS": self.row_count,
            "PLACES": self.index,
            "SCRATCH": self.scratch_rows,
            "COUPLINGS": self.couplings,
            "COUPLED": self.coupled,
            "COUNT": len(self.model.tables["ISLANDS"]),
            "DOFS": len(self.model.dof),
            "LINKS": len(self.model.link),
        }
        return [words[name] for name in HEAD]

    def _nodes(self) -> np.ndarray:
        """The model's nodes with the flags that follow from today's parameters."""
        nodes = self.model.nodes.copy()
        joints = nodes[:, NODE["DOF"]] >= 0
        dof = nodes[joints, NODE["DOF"]]
        friction = sum(self.parameters[f"{name}_FRICTION"] for name in ("STATIC", "DYNAMIC", "VISCOUS"))
        nodes[joints, NODE["FRICTION"]] = (friction > 0.0).any(0)[dof]
        nodes[joints, NODE["SPEED_LIMITED"]] = (self.parameters["MAX_VELOCITY"] < INFINITE).any(0)[dof]
        limited = (self.parameters["LOWER"] > -INFINITE) & (self.parameters["UPPER"] < INFINITE)
        nodes[joints, NODE["LIMITED"]] = limited.any(0)[dof]
        nodes[joints, NODE["WRAPS"]] = (nodes[joints, NODE["KIND"]] == KINDS["REVOLUTE"]) & ~limited.all(0)[dof]
        return nodes

    def _articulations(self) -> np.ndarray:
        """The model's articulations with the flags that follow from today's parameters."""
        articulations = self.model.tables["ARTICULATIONS"].copy()
        for words in articulations:
            nodes = self.model.nodes[words[ARTICULATION["ROOT"]] : words[ARTICULATION["END"]]]
            dof = nodes[nodes[:, NODE["DOF"]] >= 0, NODE["DOF"]]
            words[ARTICULATION["CLAMPS"]] = (self.parameters["CLAMP_VELOCITY"][:, dof] < INFINITE).any()
        return articulations

    def settle(self) -> None:
        """Put every link where the joint positions say, from the poses of the roots."""
        self._upload()
        arrays, count = self._arrays, len(self.model.tables["ISLANDS"])
        with compiling(self.device):
            laws(self.device).settle_poses(
                arrays["state"], arrays["parameters"], arrays["topology"], self.index * count
            )

    def run(self, steps: int, every: int, h: float, solver: int) -> np.ndarray | None:
        """Advance by `steps` steps of h [s] in one launch.

        Returns the state after every `every`-th step, (frames, worlds, rows), or None if `every` is 0.
        """
        self._upload()
        count = len(self.model.tables["ISLANDS"])
        tasks = self.index * count
        workers = self.device.workers
        workers = min(tasks, workers * (1 if workers == 1 else TASKS_PER_WORKER)) if workers else tasks
        spare = workers if self.device.packed else self.index
        scratch = self._ndarray("scratch", (self.scratch_rows * spare,))
        frames = steps // every if every else 0
        trace = self._ndarray("trace", (max(1, frames * self.row_count * self.index),))
        arrays = self._arrays
        with compiling(self.device):
            laws(self.device).run(
                arrays["state"], arrays["parameters"], scratch, arrays["topology"], trace,
                steps, every, h, solver, tasks, workers, *self.outside,
            )  # fmt: skip
        if not frames:
            return None
        rows = self._worlds(trace.to_numpy(), frames * self.row_count)
        return rows.reshape(self.worlds, frames, self.row_count).swapaxes(0, 1)

    def ask(self, law: str, words: np.ndarray, width: int, given: tuple[np.ndarray, ...] = ()) -> np.ndarray:
        """What a law of `physics.dynamics` says of every world, (worlds, width).

        Args:
            law: its name.
            words: see `request`.
            width: numbers it answers with.
            given: accelerations or efforts, (worlds, coordinates); then wrenches, (worlds, 6 links).
        """
        self._upload()
        rows = self.index * self.device.lanes  # of idle lanes, too
        result, sheets = np.zeros((rows, width), self.float), []
        for numbers in (*given, np.zeros((1, 1)), np.zeros((1, 1)))[:2]:
            sheets.append(np.zeros((rows, numbers.shape[1]), self.float))
            sheets[-1][: len(numbers)] = numbers
        most = self.device.workers * (1 if self.device.workers == 1 else TASKS_PER_WORKER)
        workers = min(self.index, most) if most else self.index
        packed = self.device.packed  # the scratch of `run` may have another size there
        rows = self.scratch_rows * (workers if packed else self.index)
        scratch = self._ndarray("scratch of ask" if packed else "scratch", (rows,))
        arrays = self._arrays
        with compiling(self.device):
            laws(self.device, "dynamics").answer(
                arrays["state"], arrays["parameters"], scratch, arrays["topology"],
                words, *sheets, result, self.index, workers, law,
            )  # fmt: skip
        return result[: self.worlds]
