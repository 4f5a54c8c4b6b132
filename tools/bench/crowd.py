"""Files of quadrupeds among boxes for `fajin bench robots --contacts`: `crowd100` has 100 of them and 300 boxes.

Every quadruped stands in a cell of its own, with one box that falls onto its back and two, one on the other, that touch
the boxes and feet around them as they move.
"""

import re
import tempfile
from functools import cache
from pathlib import Path

from .boxes import BEFORE_BOXES, BOX, HALF, PEER, PEER_BOX

ROBOT = Path(__file__).parent / "robots" / "quadruped.usda"
CELL = 0.6  # [m] between two quadrupeds, which are 0.5 long
BOXES = ((0.0, 0.0, 0.37 + 0.05 + HALF + 0.02), (0.3, 0.0, HALF), (0.3, 0.02, 3.02 * HALF))
"""Places of the boxes of a cell [m]: above the trunk, and between two robots."""


def block_of(text: str, begin: str, end: str) -> str:
    """Return the lines of a text from the first one that has `begin` to the next one that is `end`."""
    lines = text.splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if begin in line)
    last = next(i for i in range(first, len(lines)) if lines[i].rstrip() == end)
    return "".join(lines[first : last + 1])


@cache
def crowd_file(count: int) -> Path:
    """Write the scene of `count` quadrupeds and their boxes, and the same for MuJoCo beside it; return its path."""
    path = Path(tempfile.mkdtemp(prefix="fajin-bench-")) / f"crowd{count}.usda"
    text, peer = ROBOT.read_text(), ROBOT.with_suffix(".xml").read_text()
    robot = block_of(text, 'def Xform "quadruped"', " " * 12 + "}")
    body = block_of(peer, '<body name="trunk"', "    </body>")
    actuators = block_of(peer, "<actuator>", "  </actuator>").splitlines(keepends=True)[1:-1]
    side = max(1, round(count**0.5))
    parts, bodies, drives, boxes = [], [], [], []
    for i in range(count):
        x, y = CELL * (i % side), CELL * (i // side)
        named = re.sub(r'(PhysicsRevoluteJoint ")', rf"\1r{i}_", robot).replace("quadruped", f"quadruped{i}")
        parts.append(named.replace("(0, 0, 0.37)", f"({x:.6g}, {y:.6g}, 0.37)", 1))
        moved = re.sub(r'name="', f'name="r{i}_', body)
        bodies.append(moved.replace('pos="0 0 0.37"', f'pos="{x:.6g} {y:.6g} 0.37"', 1))
        drives += [re.sub(r'(name="act_| joint=")', rf"\1r{i}_", line) for line in actuators]
        boxes += [(x + dx, y + dy, z) for dx, dy, z in BOXES]
    parts += [BOX % (number, *place) for number, place in enumerate(boxes)]
    path.write_text(f"{BEFORE_BOXES}{''.join(parts)}        }}\n    }}\n}}\n")
    bodies += [PEER_BOX % place for place in boxes]
    head = PEER.replace("<option", '<compiler angle="radian" autolimits="true" />\n  <option', 1)
    path.with_suffix(".xml").write_text(
        f"{head}{''.join(bodies)}  </worldbody>\n  <actuator>\n{''.join(drives)}  </actuator>\n</mujoco>\n"
    )
    return path
