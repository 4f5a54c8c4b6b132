"""What becomes of mutated scenes: read, compiled, some stepped; and the command that does it to many of them.

    python tests/fuzz/fuzz_scenes.py --files 100000 --seed 1 --step 500

prints a table. Each thousand files has a process of its own, so that one that dies is counted.
"""

import argparse
import json
import subprocess
import sys
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from mutants_of_prims import mutant
from pxr import Sdf, Tf, Usd
from sound_files import bases

import fajin
from fajin.scene import Scene
from fajin.usd.read.reader import read_stage
from fajin.usd.stage.open_stage import Diagnostics
from fajin.usd_schema import register

LONGEST = 1_000  # letters of a refusal; USD's own words of a file that is none are longer
BLOCK = 1_000  # files of one process


@dataclass(frozen=True)
class Outcome:
    """What became of one text."""

    kind: str  # clean | reported | refused | no USD | stepped | non-finite, said | one of FAILURES
    detail: str = ""
    scene: Scene | None = None


FAILURES = ("traceback", "NaN", "NaN unsaid", "overlong", "silently wrong", "died")


def opened(text: str) -> Usd.Stage | None:
    """A stage in memory; None if the text is not USD."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    try:
        return Usd.Stage.Open(layer) if layer.ImportFromString(text) else None
    except Tf.ErrorException:
        return None


def judged(text: str, step: bool = False) -> Outcome:
    """Read and compile a text, and make some steps of it if wanted."""
    register()
    said = Diagnostics()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            stage = opened(text)
            if stage is None:
                return Outcome("no USD")
            scene = read_stage(stage, said)
            model = fajin.compile(scene)
        except fajin.InvalidScene as error:
            line = str(error)
            return Outcome("refused" if "\n" not in line and len(line) <= LONGEST else "overlong", line)
        except Exception as error:  # whatever it is, it is what is looked for
            return Outcome("traceback", where(error))
    if name := not_a_number(scene, model):
        return Outcome("NaN", name, scene)
    if step:
        return stepped(scene)
    return Outcome("reported" if scene.reports else "clean", scene=scene)


def stepped(scene: Scene) -> Outcome:
    """Make three steps; what is not finite then must be said."""
    try:
        recording = fajin.Simulation(scene).run(seconds=3.0 * scene.dt, fps=1.0 / scene.dt)
    except fajin.NonFinite:
        return Outcome("non-finite, said", scene=scene)
    except fajin.InvalidScene as error:
        return Outcome("refused", str(error))
    except Exception as error:
        return Outcome("traceback", where(error))
    sound = np.isfinite(recording.q).all() and np.isfinite(recording.pose).all()
    return Outcome("stepped" if sound else "NaN unsaid", scene=scene)


def where(error: Exception) -> str:
    """An exception and the line of fajin that it came from."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = " ".join(str(error).split())[:80]
    return f"{type(error).__name__}: {text} @ {Path(last.filename).name}:{last.lineno} {last.name}"


def not_a_number(scene: Scene, model: fajin.Model) -> str:
    """The name of an array of a model, or of a setting of its scene, that holds a NaN; "" if none does."""
    arrays = {name: getattr(model, name) for name in ("q", "qd", "poses", "roots", "coms")} | model.parameters
    arrays |= {"dt": scene.dt, "gravity": scene.gravity, "duration": scene.duration, "fps": scene.fps}
    arrays |= {f"signal {s.dof}": (*s.times, *s.values) for s in scene.signals}
    return next((name for name, array in arrays.items() if np.isnan(np.asarray(array, float)).any()), "")


def meaning(scene: Scene) -> Scene:
    """A scene without what is said of it."""
    return replace(scene, source="", reports=())


@cache
def read_base(name: str) -> Scene:
    """The scene of a text that is not mutated."""
    return judged(bases()[name]).scene


def one(seed: int, step: bool = False, longest: int = 100_000) -> tuple[Outcome, str]:
    """Outcome of the mutant of a seed, and how it was made; a type alone must change nothing, or be reported.

    Scenes with more letters than `longest` are left out.
    """
    random = Random(seed)
    name = random.choice([name for name, text in sorted(bases().items()) if len(text) <= longest])
    text, done = mutant(bases()[name], random)
    outcome = judged(text, step)
    made = f"{seed} {name} {done}"
    if len(done) == 1 and done[0][0] == "change_type_alone" and outcome.scene is not None:
        attribute = done[0][1].split()[1 + done[0][1].startswith("uniform")]
        told = any(attribute in report.attribute for report in outcome.scene.reports)
        if meaning(outcome.scene) != meaning(read_base(name)) and not told:
            return Outcome("silently wrong", done[0][1]), made
    if outcome.kind == "reported" and not {*outcome.scene.reports} - {*read_base(name).reports}:
        return replace(outcome, kind="clean"), made
    return outcome, made


def block(first: int, count: int, step: int) -> None:
    """Print a line for each failure, and the counts of a block of seeds as JSON in the last line."""
    counts = Counter()
    for seed in range(first, first + count):
        outcome, made = one(seed, bool(step) and seed % step == 0)
        counts[outcome.kind] += 1
        if outcome.kind in FAILURES:
            print(f"{outcome.kind}: {outcome.detail} | {made}"[:1_000], flush=True)
    print(json.dumps(counts))


def of_process(first: int, count: int, step: int) -> dict[str, int]:
    """Counts of a block of seeds in a process of its own, whose failures are printed."""
    words = ["--block", "--seed", str(first), "--files", str(count), "--step", str(step)]
    done = subprocess.run([sys.executable, __file__, *words], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    if done.returncode:
        lines.append(f"died: seeds {first} to {first + count - 1}: {done.returncode} {done.stderr[-300:]}")
    print("\n".join(lines if done.returncode else lines[:-1]), end="\n" if len(lines) > 1 else "", flush=True)
    return {"died": 1} if done.returncode else json.loads(lines[-1])


def main() -> None:
    """Run blocks of mutants and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first file; each has the next")
    parser.add_argument("--step", type=int, default=0, help="make steps of every so many")
    parser.add_argument("--block", action="store_true", help="in this process, counts as JSON")
    options = parser.parse_args()
    if options.block:
        return block(options.seed, options.files, options.step)
    counts = Counter()
    try:
        for first in range(options.seed, options.seed + options.files, BLOCK):
            counts.update(of_process(first, min(BLOCK, options.seed + options.files - first), options.step))
    except KeyboardInterrupt:
        print("interrupted: so far")
    for kind, number in counts.most_common():
        print(f"{number:8d} {100.0 * number / sum(counts.values()):6.2f} %  {kind}")


if __name__ == "__main__":
    main()
