"""Rows of the table of parameters: a number on the device, and what host, files and users need to know about it."""

from typing import NamedTuple


class Parameter(NamedTuple):
    """A parameter, as a row of `layout.PARAMETERS` describes it."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]  # of the row, not that of tuples
    owner: str  # shape letter of `layout`
    width: int
    meaning: str  # with the unit
    name: str
    scene: str  # HOLDER or HOLDER.FIELD of the scene that has the value; "" if it is computed otherwise
    decides: bool  # True if the value decides which rows a joint has, or whether a link has external forces
    values: str  # key of VALUES; "" if users cannot set the parameter
    source: str  # parameter whose values the host writes here, too; "" for none

    @property
    def field(self) -> str:
        """Return the name of its field of a simulation, as `sim.NAME`, in batch jobs and in the documents."""
        return self.name.lower().replace("maximal_joint_", "maximal_") if self.values else ""

    @property
    def holder(self) -> str:
        """Return the part of the scene that has the value: axis | drive | envelope | friction | limit | link."""
        return self.scene.partition(".")[0]

    @property
    def attribute(self) -> str:
        """Return the name of the value in the holder."""
        return self.scene.partition(".")[2] or self.name.lower().removeprefix("maximal_joint_")

    @property
    def unbounded(self) -> bool:
        """Return whether a value may be infinite, which means that there is no bound."""
        return self.values.endswith("inf")


VALUES = {
    "any": "finite",
    "any,inf": "a number or infinite",
    ">0": "positive and finite",
    ">=0": "finite and 0 or more",
    ">=0,inf": "0 or more, or infinite",
    "definite": "a positive definite matrix",
}
"""Rules for the values of a parameter that users can set; `simulation.value_rules` checks them."""


def read_parameters(table: str) -> dict[str, Parameter]:
    """Return the parameters of a table: name, owner, width, scene, values and meaning per line, "-" for none.

    "!" before the scene marks a parameter that decides; "=" in its place precedes the parameter that it follows from.
    """
    rows = (line.split(None, 5) for line in table.strip().splitlines())
    return {
        name: Parameter(
            *(index, owner, int(width), meaning, name),
            *("" if scene.startswith("=") else scene.strip("!-"), scene.startswith("!"), values.strip("-")),
            scene[1:] if scene.startswith("=") else "",
        )
        for index, (name, owner, width, scene, values, meaning) in enumerate(rows)
    }
