"""Queries of a state without a step: poses and velocities of links, read-outs, equations of motion."""

import numpy as np

from .bounds import check_array, most_numbers
from .buffer import Buffer, NativeArray, as_input
from .compiled_kernel import launch
from .dlpack import Adopted, scaled
from .dynamics_units import query_units
from .parameters import Parameters
from .stage_units import StageUnits
from .state_rows import StateRows


class StateQueries(StateRows):
    """Base class of `State`, which has the arrays."""

    parameters: Parameters
    units: StageUnits | None
    _arrays: dict[str, NativeArray]
    _coms: np.ndarray
    _stale_worlds: np.ndarray  # (packs, lanes): poses do not match joints and roots
    _link_state_valid: bool  # whether the buffer "links" matches the state

    def buffer(self, name: str) -> Buffer:
        """Return a buffer with rows of every world: state | results | sleep | links | contacts."""
        raise NotImplementedError

    def scratch(self) -> NativeArray:
        """Return the scratch of all workers of a launch."""
        raise NotImplementedError

    def mark_positions_changed(self, worlds: np.ndarray | None = None) -> None:
        """Mark joint or root positions of worlds (None: all) as changed; `sync_poses` then updates their links."""
        stale, last = self._stale_worlds.reshape(-1), self.worlds - 1
        stale[slice(None) if worlds is None else worlds] = True
        stale[last + 1 :] = stale[last]  # idle lanes are copies of the last world

    def mark_state_changed(self) -> None:
        """Mark the buffer "links" as outdated after the state was set."""
        self._link_state_valid = False

    def sync_poses(self) -> None:
        """Compute link poses from joint positions and root poses in the worlds marked as changed."""
        self.parameters.upload()
        stale, pose = self._stale_worlds, self.layout.rows["POSE"]
        places = np.flatnonzero(stale.any(1))
        if not len(places):
            return
        others = ~stale[places, None]
        memory = self.buffer("state").memory if others.any() else np.empty(0)
        kept = memory[places, pose] if memory.size else memory  # a pack moves as a whole: its other worlds keep theirs
        self._launch_forward_kinematics(as_input(places.astype(np.int32)))
        if memory.size:
            memory[places, pose] = np.where(others, kept, memory[places, pose])
        stale.fill(False)
        self.mark_state_changed()

    def _launch_forward_kinematics(self, places: np.ndarray) -> None:
        arrays, count = self._arrays, len(self.model.tables["ISLANDS"])
        tasks = len(places) * count
        workers = min(tasks, self.device.workers) if self.device.packed else tasks
        launch(
            self.device, "kernels", "forward_kinematics_kernel",
            states=arrays["state"], parameters=arrays["parameters"], topology=arrays["topology"],
            places=places, tasks=tasks, workers=workers,
        )  # fmt: skip

    def update_link_state(self) -> None:
        """Compute the buffer "links" from the state."""
        self.sync_poses()
        if self._link_state_valid:
            return
        self._link_state_valid = True
        scratch, links, arrays = self.scratch(), self.buffer("links"), self._arrays
        launch(
            self.device, "link_state", "link_state_kernel",
            states=arrays["state"], parameters=arrays["parameters"], scratch=scratch, topology=arrays["topology"],
            coms=self._coms, links=links.array, articulations=len(self.model.tables["ARTICULATIONS"]),
            places=self.batch.packs, workers=self.batch.workers_of_worlds,
        )  # fmt: skip

    def read_out(
        self, words: np.ndarray, units: np.ndarray, values: Adopted, strides: tuple[int, int], places: np.ndarray
    ) -> None:
        """Fill rows of an array for the places `places`; see `physics.readout`.

        Call `sync_poses` before if poses of links that joints move are among them.

        Args:
            words: rows of the array, see `physics.readout.readout_kernel`.
            units: factor of each row.
            values: array.
            strides: numbers from a row to the next one, and from a world to the next one.
            places: worlds (or packs).
        """
        self.parameters.upload()
        arrays, idle = self._arrays, self._arrays["results"]
        launch(
            self.device, "readout", "readout_kernel",
            states=arrays["state"], results=idle, monitors=arrays.get("monitors", idle), topology=arrays["topology"],
            coms=self._coms, words=words, units=units, values=values,
            places=as_input(places), row_stride=strides[0], world_stride=strides[1], tasks=len(places),
            workers=min(len(places), self.device.workers) if self.device.packed else len(places),
        )  # fmt: skip

    def query_dynamics(self, law: str, words: np.ndarray, width: int, given: tuple[np.ndarray, ...] = ()) -> np.ndarray:
        """Return the result of a law of `physics.dynamics_kernel` for every world, (worlds, width).

        Args:
            law: name of the law.
            words: see `request`.
            width: numbers per world in the result.
            given: accelerations or efforts, (worlds, coordinates); then wrenches, (worlds, 6 links).
        """
        self.sync_poses()
        rows = self.batch.packs * self.device.lanes  # including idle lanes
        check_array(rows, law, max(width, *(numbers.shape[1] for numbers in given), 1), most_numbers(self.device))
        result, sheets = np.zeros((rows, width), self.float), []
        units = query_units(self.model, law, words) if self.units else None
        if units:
            given = tuple(numbers / of[: numbers.shape[1]] for numbers, of in zip(given, units, strict=False))
        for numbers in (*given, np.zeros((1, 1)), np.zeros((1, 1)))[:2]:
            sheets.append(np.zeros((rows, numbers.shape[1]), self.float))
            sheets[-1][: len(numbers)] = numbers
        scratch, arrays = self.scratch(), self._arrays
        launch(
            self.device, "dynamics_kernel", "evaluate", (law,),
            states=arrays["state"], parameters=arrays["parameters"], scratch=scratch, topology=arrays["topology"],
            words=as_input(words), given=as_input(sheets[0]), link_forces=as_input(sheets[1]), result=result,
            worlds=self.batch.packs, workers=self.batch.workers_of_worlds,
        )  # fmt: skip
        return scaled(result[: self.worlds], units.result) if units else result[: self.worlds]
