"""Files that made USD crash, wait or fill the memory, through `fajin inspect`: one line each, within seconds.

    python tests/sandbox/bombs.py

prints exit code, wall time, processor time of the command with its children, lines of errors, and the first line.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'
BODY = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
MASS = "    float physics:mass = 1\n    float3 physics:diagonalInertia = (1, 1, 1)\n"


def link(name: str) -> str:
    """A body."""
    return f'def Xform "{name}" ({BODY})\n{{\n{MASS}}}\n'


def joint(name: str, first: str, second: str) -> str:
    """A revolute joint."""
    ends = f"    rel physics:body0 = </r/{first}>\n    rel physics:body1 = </r/{second}>\n"
    return f'def PhysicsRevoluteJoint "{name}"\n{{\n{ends}}}\n'


def robot(*parts: str) -> str:
    """An articulation."""
    return f'{HEAD}def Xform "r" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])\n{{\n{"".join(parts)}}}\n'


def star(count: int) -> str:
    """Links on one base."""
    return robot(link("b"), *(link(f"l{i}") + joint(f"j{i}", "b", f"l{i}") for i in range(count)))


def chain(count: int) -> str:
    """Links in a row."""
    return robot(link("l0"), *(link(f"l{i + 1}") + joint(f"j{i}", f"l{i}", f"l{i + 1}") for i in range(count)))


def pair(count: int) -> str:
    """Joints between two links."""
    return robot(link("a"), link("b"), *(joint(f"j{i}", "a", "b") for i in range(count)))


def doubled(levels: int, about: str = "") -> str:
    """References of which each leads to two of the next."""
    prims = [f'def "l{i}"\n{{\n    def "a" (references = </l{i + 1}>{about})\n    {{\n    }}\n'
             f'    def "b" (references = </l{i + 1}>{about})\n    {{\n    }}\n}}\n' for i in range(levels)]  # fmt: skip
    return HEAD + "".join(prims) + f'def "l{levels}"\n{{\n}}\n'


def leads(arc: str, target: str) -> str:
    """A layer that leads to a file."""
    if arc == "subLayers":
        return HEAD.replace(")\n", f"    subLayers = [@{target}@]\n)\n") + 'def "r"\n{\n}\n'
    return f'{HEAD}def "r" ({arc} = @{target}@</r>)\n{{\n}}\n'


BOMBS: dict[str, Callable[[], str]] = {
    "brackets, 400 KB": lambda: f'{HEAD}def "r"\n{{\n    float[] a = {"[" * 400_000}\n}}\n',
    "parentheses, 200,000": lambda: f'{HEAD}def "r"\n{{\n    float[] a = {"(" * 200_000}\n}}\n',
    "dictionaries, 50,000": lambda: HEAD.replace(
        ")\n", "customLayerData = {\n" + "dictionary d = {\n" * 50_000 + "}\n" * 50_001 + ")\n"
    ),
    "braces, 30,000": lambda: HEAD + 'def "p"\n{\n' * 30_000 + "}\n" * 30_000,
    "pipe by reference": lambda: leads("references", "pipe.usda"),
    "pipe by payload": lambda: leads("payload", "pipe.usda"),
    "pipe as sublayer": lambda: leads("subLayers", "pipe.usda"),
    "device by reference": lambda: leads("references", "/dev/zero"),
    "web address": lambda: leads("references", "https://example.org/a.usda"),
    "itself": lambda: leads("references", "bomb.usda"),
    "references doubled 25 times": lambda: doubled(25),
    "and instanced": lambda: doubled(25, "; instanceable = true"),
    "payloads doubled 25 times": lambda: doubled(25).replace("references", "payload"),
    "inherits doubled 25 times": lambda: doubled(25).replace("references", "inherits"),
    "1,500,000 prims": lambda: HEAD + "".join(f'def "p{i}"\n{{\n}}\n' for i in range(1_500_000)),
    "star of 3,000 joints": lambda: star(3_000),
    "chain of 2,000 joints": lambda: chain(2_000),
    "pair with 2,000 joints": lambda: pair(2_000),
    "name of 2 MB": lambda: f'{HEAD}def "{"x" * 2_000_000}"\n{{\n}}\n',
    "mesh with an index of -1": lambda: (
        f'{HEAD}def Mesh "m" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{{\n'
        "    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n    int[] faceVertexCounts = [3]\n"
        "    int[] faceVertexIndices = [0, 1, -1]\n}\n"
    ),
}
"""Texts of `bomb.usda`; beside it lies a pipe."""


def measure(folder: Path, text: str, limits: str = "") -> tuple[int, float, float, str]:
    """Return exit code, wall time and processor time [s] of a command with limits, and its errors."""
    (folder / "bomb.usda").write_text(text)
    env = {**os.environ, "FAJIN_LIMITS": limits}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", CODE, "inspect", "bomb.usda"], cwd=folder, env=env, capture_output=True, text=True
    )
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, wall, cpu, done.stderr


CODE = """import subprocess, sys
from fajin.sandbox import request
from fajin.tools.cli import main
try: main()
finally:
    for _, server in request._idle:
        server.stdin.close()
        server.wait()
"""
"""The command, which waits for the process that reads, so that its processor time counts."""


def main() -> None:
    """Print a line per file."""
    print("exit  wall s   cpu s  lines  file: error")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.mkfifo(folder / "pipe.usda")
        for bomb, text in BOMBS.items():
            code, wall, cpu, said = measure(folder, text())
            lines = said.strip().splitlines()
            print(f"{code:4d} {wall:7.1f} {cpu:7.1f} {len(lines):6d}  {bomb}: {''.join(lines[:1])[:120]}", flush=True)
    print(f"load {psutil.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
