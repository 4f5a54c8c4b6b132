"""Reading, its answer and the model take work in proportion to the prims of a file.

Executed lines of Python are counted, for no load of the machine changes their number. Each turn of a loop counts.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from paths import SCENES
from sandbox.bombs import HEAD, chain, pair, star

import fajin
from fajin.model.model import compile
from fajin.scene.serialization import from_json, to_json

ROBOT = SCENES / "double_pendulum.usda"
PLACE = '    double3 xformOp:translate = (%s, 0, 1)\n    uniform token[] xformOpOrder = ["xformOp:translate"]\n'
COLLIDES = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"]'
BEFORE = 16
"""Parts in the file that is read first, so that what is made once does not count."""
COUNT = 64
LARGER = {"equal boxes": 4 * COUNT}
"""Counts of what is numbered instead of listed from some two hundred parts on."""
CURVED = 0.02
"""Share of a curve; 1 for a count that grows by the square of the parts."""


def boxes(count: int, heavier: float = 1.0) -> str:
    """Free boxes of different mass: no box is a copy of another."""
    lines = (
        f'def Cube "box{i}" ({COLLIDES})\n{{\n    float physics:mass = {1 + heavier * i}\n{PLACE % i}}}\n'
        for i in range(count)
    )
    return HEAD + "".join(lines)


def equal_boxes(count: int) -> str:
    """Free boxes that differ in their places only."""
    return boxes(count, 0.0)


def references(count: int, file: Path = ROBOT) -> str:
    """Robots that refer to one file."""
    return HEAD + "".join(
        f'def Xform "env{i}"\n{{\n{PLACE % i}    def "robot" (references = @{file}@)\n    {{\n    }}\n}}\n'
        for i in range(count)
    )


def loops(count: int) -> str:
    """Robots with a joint that closes a loop."""
    return references(count, SCENES / "four_bar.usda")


FILES: dict[str, Callable[[int], str]] = {
    "star": star, "chain": chain, "pair": pair, "boxes": boxes, "equal boxes": equal_boxes, "references": references,
    "loops": loops,
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


SHARE = 0.25
"""Largest share of the work for a box that is read by itself which a box takes that equals another one."""


def read(path: Path) -> None:
    """Read a scene, pass it through its text, as a child process does, and compile it."""
    scene = from_json(to_json(fajin.read(path, trusted=True)))
    if len(scene.articulations) > 1 or scene.articulations[0].joints:
        compile(scene)


@pytest.mark.parametrize("kind", FILES)
def test_twice_the_parts_take_twice_the_work(tmp_path, kind):
    """f(4n) − f(2n) = 2 (f(2n) − f(n)): the ratio is 2 for a line, and 4 for a square."""
    path, counts, least = tmp_path / "scene.usda", [], LARGER.get(kind, COUNT)
    for count in (BEFORE, least, 2 * least, 4 * least):
        path.write_text(FILES[kind](count))
        counts.append(lines(lambda: read(path)))
    _, one, two, four = counts
    assert (four - two) / (two - one) < 2.0 + 2.0 * CURVED


def test_a_box_that_equals_another_one_is_not_read_again(tmp_path):
    """Its place is: the work for further boxes, by that for boxes of different mass."""
    path, more = tmp_path / "scene.usda", []
    for kind in (boxes, equal_boxes):
        counts = []
        for count in (BEFORE, COUNT, 2 * COUNT):
            path.write_text(kind(count))
            counts.append(lines(lambda: to_json(fajin.read(path, trusted=True))))
        more.append(counts[2] - counts[1])
    assert more[1] < SHARE * more[0]
