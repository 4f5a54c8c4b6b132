"""Reading, its answer and the model take work in proportion to the prims of a file.

Executed lines of Python are counted, for no load of the machine changes their number. Each turn of a loop counts.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from sandbox.bombs import HEAD, chain, pair, star

import fajin
from fajin.model.model import compile
from fajin.scene.serialization import from_json, to_json

FRANKA = Path(fajin.__file__).parents[1] / "tools" / "bench" / "robots" / "franka.usda"
PLACE = '    double3 xformOp:translate = (%s, 0, 1)\n    uniform token[] xformOpOrder = ["xformOp:translate"]\n'
COLLIDES = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]'
BEFORE = 16
"""Parts in the file that is read first, so that what is made once does not count."""
COUNT = 64
CURVED = 0.02
"""Share of a curve; 1 for a count that grows by the square of the parts."""


def boxes(count: int) -> str:
    """Free boxes of different mass: no box is a copy of another."""
    lines = (
        f'def Cube "box{i}" ({COLLIDES})\n{{\n    float physics:mass = {1 + i}\n{PLACE % i}}}\n' for i in range(count)
    )
    return HEAD + "".join(lines)


def references(count: int) -> str:
    """Robots that refer to one file."""
    return HEAD + "".join(
        f'def Xform "env{i}"\n{{\n{PLACE % i}    def "robot" (references = @{FRANKA}@)\n    {{\n    }}\n}}\n'
        for i in range(count)
    )


FILES: dict[str, Callable[[int], str]] = {
    "star": star, "chain": chain, "pair": pair, "boxes": boxes, "references": references,
}  # fmt: skip


def lines(work: Callable[[], Any]) -> int:
    """Return how many lines of Python some work executes in this process."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def read(path: Path) -> None:
    """Read a scene, pass it through its text, as a child process does, and compile it."""
    scene = from_json(to_json(fajin.read(path, trusted=True)))
    if len(scene.articulations) > 1 or scene.articulations[0].joints:
        compile(scene)


@pytest.mark.parametrize("kind", FILES)
def test_twice_the_parts_take_twice_the_work(tmp_path, kind):
    """f(4n) − f(2n) = 2 (f(2n) − f(n)): the ratio is 2 for a line, and 4 for a square."""
    path, counts = tmp_path / "scene.usda", []
    for count in (BEFORE, COUNT, 2 * COUNT, 4 * COUNT):
        path.write_text(FILES[kind](count))
        counts.append(lines(lambda: read(path)))
    _, one, two, four = counts
    assert (four - two) / (two - one) < 2.0 + 2.0 * CURVED
