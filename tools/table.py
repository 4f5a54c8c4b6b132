"""Tables printed by the commands."""

from collections.abc import Iterable
from math import inf
from typing import Any

PIPE_WIDTH = 240  # columns if the output is not a terminal
SPEED_UNIT = "[N·m·s/rad | N·s/m]"


def table(title: str, text: int, *columns: str) -> Any:
    """Return an empty table whose first `text` columns hold text and whose others hold numbers."""
    from rich import box
    from rich.table import Table

    result = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for i, column in enumerate(columns):
        result.add_column(column, justify="left" if i < text else "right", overflow="fold")
    return result


def number(value: float) -> str:
    """Return a number with six digits, without a sign on zero; infinity as ∞."""
    if abs(value) == inf:
        return "∞" if value > 0.0 else "-∞"
    return f"{value + 0.0:.6g}"


def number_with_spread(scene: Any, owner: str, quantity: str, value: float) -> str:
    """Return a number, with half its 95 % interval if it was fitted: "0.0513 ± 0.002"."""
    fit = scene.fit
    named = {"static": ("coulomb",), "mass": ("mass", "payload")}.get(quantity, (quantity,))
    found = next((p for name in named if fit and (p := fit.of(owner, name))), None)
    if found is None:
        return number(value)
    return f"{number(value)} (at bound)" if found.at_bound else f"{number(value)} ± {1.959964 * found.deviation:.2g}"


def every_axis(owners: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Return all pairs of a joint and one of its axes, of articulations or of a scene (its maximal joints)."""
    return [(joint, axis) for owner in owners for joint in owner.joints for axis in joint.axes]


def print_table(title: str, text: int, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table."""
    result = table(title, text, *columns)
    for row in rows:
        result.add_row(*row)
    console().print(result)


def console() -> Any:
    """Return a console that does not truncate tables if the output is not a terminal."""
    from rich.console import Console

    terminal = Console(highlight=False, markup=False)
    return terminal if terminal.is_terminal else Console(width=PIPE_WIDTH, highlight=False, markup=False)
