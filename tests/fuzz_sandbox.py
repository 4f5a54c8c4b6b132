"""What becomes of damaged files in the child process that reads them, and of damaged scenes in JSON.

    python tests/fuzz_sandbox.py usd --files 100000 --seed 1
    python tests/fuzz_sandbox.py json --files 100000 --seed 1

print a table and the rate. Files are texts, binary layers and packages, whose prims, bytes or lines are changed; each
has a forked child of its own. A caller must get a scene without NaN, or one line; all else is a failure.
"""

import argparse
import json
import math
import os
import tempfile
import time
import traceback
from collections import Counter
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from unittest import mock

from fuzz import bases, not_a_number
from mutants_of_prims import mutant
from pxr import Sdf, UsdUtils

import fajin
from fajin.scene import Scene
from fajin.scene.serialization import MALFORMED, as_plain, from_json

FAILURES = ("traceback", "NaN", "overlong")
LIMITS = "cpu=5,wall=60,memory=2,output=0.05"
LONGEST = 1_000  # letters of a refusal
STRANGE = (None, True, -1, 0, 2**31, 2**64, 1e308, math.inf, -math.inf, math.nan, "", "x" * 100, [], {}, [[]], {"a": 1})


@dataclass(frozen=True)
class Verdict:
    """What became of one input."""

    kind: str  # scene | refused | died | one of FAILURES
    detail: str = ""


@cache
def seeds(folder: str) -> dict[str, bytes]:
    """Contents of sound files by name: texts, binary layers and packages."""
    found = {}
    for name, text in bases().items():
        place = Path(folder) / f"{name}.usda"
        place.write_text(text)
        layer = Sdf.Layer.FindOrOpen(str(place))
        for suffix in (".usdc", ".usdz"):
            target = place.with_suffix(suffix)
            if suffix == ".usdc":
                layer.Export(str(target))
            else:
                UsdUtils.CreateNewUsdzPackage(str(place.with_suffix(".usdc")), str(target))
            found[target.name] = target.read_bytes()
        found[place.name] = text.encode()
    return found


def damaged(content: bytes, draw: Random) -> bytes:
    """A content with changed, missing or doubled bytes."""
    text = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 5, 50))):
        at, size = draw.randrange(len(text) or 1), draw.choice((1, 1, 4, 8, 100))
        how = draw.randrange(5)
        if how == 0:
            text[at : at + 1] = bytes([draw.randrange(256)])
        elif how == 1:
            del text[at : at + size]
        elif how == 2:
            text[at:at] = text[at : at + size] * draw.choice((1, 1, 30))
        elif how == 3:
            text[at : at + size] = draw.choice((b"\xff", b"\0", b"(", b"[", b"9", b"-", b"@")) * size
        else:
            text[at : at + 8] = draw.choice((2**63, 2**31, 2**16, 1)).to_bytes(8, "little")
    return bytes(text)


def of_usd(seed: int, folder: Path) -> Verdict:
    """What becomes of one damaged file."""
    draw, sound = Random(seed), seeds(str(folder))
    name = draw.choice(sorted(sound))
    path = folder / f"mutant{Path(name).suffix}"
    if path.suffix == ".usda" and draw.random() < 0.5:
        path.write_text(mutant(sound[name].decode(), draw)[0])
    else:
        path.write_bytes(damaged(sound[name], draw))
    try:
        with mock.patch.dict(os.environ, {"FAJIN_LIMITS": f"{LIMITS},root={folder}"}):
            return judged(fajin.read(path))
    except fajin.InvalidScene as error:
        line = str(error)
        kind = "died" if " survives (" in line or " is read within " in line else "refused"
        if " that fajin reads (" in line or " answers with a scene (" in line:
            kind = "traceback"
        return Verdict("overlong" if len(line) > LONGEST or "\n" in line else kind, line)
    except Exception:  # whatever it is, it is what is looked for
        return Verdict("traceback", traceback.format_exc(limit=-1).replace("\n", " "))


def judged(scene: Scene) -> Verdict:
    """What becomes of a scene in the caller: it is compiled, without NaN."""
    try:
        name = not_a_number(scene, fajin.compile(scene))
    except fajin.InvalidScene as error:
        return Verdict("refused", str(error))
    return Verdict("NaN" if name else "scene", name)


@cache
def plain_scenes() -> tuple[str, ...]:
    """Sound scenes in JSON."""
    folder = Path(__file__).parents[1] / "scenes"
    names = ("pendulum", "gripper_mimic", "tendon_finger", "whippletree", "four_bar", "bouncing_ball")
    return tuple(json.dumps(as_plain(fajin.read(folder / f"{name}.usda", trusted=True))) for name in names)


def of_json(seed: int, _: Path) -> Verdict:
    """What becomes of one damaged scene in JSON."""
    draw = Random(seed)
    text = draw.choice(plain_scenes())
    if draw.random() < 0.3:
        text = damaged(text.encode(), draw).decode("utf-8", "replace")
    else:
        value = json.loads(text)
        for _ in range(draw.choice((1, 1, 2, 5))):
            twist(value, draw)
        text = json.dumps(value)
    try:
        return judged(from_json(text))
    except MALFORMED as error:
        return Verdict("refused", str(error)[:LONGEST])
    except Exception:  # whatever it is, it is what is looked for
        return Verdict("traceback", traceback.format_exc(limit=-1).replace("\n", " "))


def twist(value: object, draw: Random) -> None:
    """Change one place of a plain value."""
    while True:
        places = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not places:
            return
        key = draw.choice(places)
        inner = value[key]
        if isinstance(inner, dict | list) and inner and draw.random() < 0.9:
            value = inner
            continue
        how = draw.randrange(4)
        if how == 0:
            del value[key]
        elif how == 1 and isinstance(value, list):
            value.append(inner)
        elif isinstance(inner, float | int) and how == 2:
            value[key] = inner * draw.choice((-1, 0, 1e10, 1e-10, 0.5))
        else:
            value[key] = deepcopy(draw.choice(STRANGE))
        return


KINDS = {"usd": of_usd, "json": of_json}


def main() -> None:
    """Damage files, and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first file; each has the next")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after this time")
    options = parser.parse_args()
    counts, began = Counter(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.files):
            verdict = KINDS[options.kind](seed, Path(folder))
            counts[verdict.kind] += 1
            if verdict.kind in (*FAILURES, "died"):
                print(f"{verdict.kind}: seed {seed}: {verdict.detail}"[:1_000], flush=True)
            if time.monotonic() - began > options.seconds:
                break
    for kind, number in counts.most_common():
        print(f"{number:8d} {100.0 * number / counts.total():6.2f} %  {kind}")
    print(f"{counts.total() / (time.monotonic() - began):.1f} inputs/s")


if __name__ == "__main__":
    main()
