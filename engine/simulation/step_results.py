"""Results of the last step, which steps may leave out: efforts of rows, forces, accelerations of links, contacts."""

from dataclasses import replace

from ..device.buffer import Buffer
from ..device.copies_buffer import CopiesBuffer
from ..device.copies_state import AnyState

ALWAYS = ("QDD",)
"""Rows of results that all steps write."""


def leave_out_results(state: AnyState) -> None:
    """Let steps leave out results, which cannot be read from now on."""
    state.features = replace(state.features, results=False)


def result_buffer(state: AnyState, row: str, name: str) -> Buffer | CopiesBuffer:
    """Return the buffer that has a row of results, and note that results are read.

    Args:
        state: worlds of a simulation on the device.
        row: row of the buffer.
        name: what is read, for the message.

    Raises:
        ValueError: steps leave the row out.
    """
    if row not in ALWAYS:
        if not state.features.results:
            raise ValueError(f"results = False: must be True to read {name}; pass results=True to Simulation or Env")
        state.reads_results = True
    return state.buffer("results")
