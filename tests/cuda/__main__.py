"""fajin's CUDA path on a machine without a GPU: python tests/cuda COMMAND; the README beside this file says more.

registers [SCENE...]   what NVIDIA's assembler says of the step of a large launch: registers, stack, spills
counts SCENE...        what a step of one world executes and touches
traffic [SCENE...]     lines and bytes of a step, and its rate on an H100 by a model of the caches
launches [SCENE...]    time of the host for a launch and for exchanges with NumPy
run COMMAND...         any command, in a process to which CUDA seems to be there
parity [WORDS...]      PhysX's trajectories, every simulation sent to CUDA; further words are pytest's
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from assembler import assemble, assembler
from emulation import GCC, HERE, environment, largest_module
from launches import host_times_apart
from motion import motion
from traffic import LINE, SHARED_MEMORY, Trace, predict, trace_of

import fajin
from fajin.device.batch import warps_at_once
from fajin.device.state import LARGE_LAUNCH

SCENES = HERE.parent.parent / "scenes"
KINDS = {
    "trees": HERE.parent / "recorded" / "robots" / "isaac_cartpole.drive.usda",
    "floating, sleeping": SCENES / "floating_chain.usda",
    "mimics, sleeping": SCENES / "gripper_mimic.usda",
    "tendons, sleeping": SCENES / "tendon_finger.usda",
    "maximal joints, sleeping": SCENES / "four_bar.usda",
}
"""A scene for each set of parts that a kernel is compiled with."""

BENCHED = [HERE.parent.parent / "tools" / "bench" / "robots" / f"{robot}.usda" for robot in ("franka", "g1")]
WORLDS = (4224, 8448, 16896, 21120, 33792, 67584, 126720, 131072)
"""Worlds whose traffic is predicted: 1 to 16 warps on each multiprocessor of an H100, and more than run at once."""

PARITY = ("parity/test_parity.py", "laws/test_statistics.py", "dynamics/test_identities.py")


def compiled(scene: Path | str, folder: Path, precision: str = "f32") -> Path:
    """The module with the step of a scene, compiled and not run."""
    motion(folder / "out.npz", environment(folder, run=False), scene=str(scene), device="cuda", worlds=[LARGE_LAUNCH],
           steps=1, precision=precision)  # fmt: skip
    return largest_module(folder)


def registers(args: argparse.Namespace) -> None:
    """Print a row for each scene and architecture."""
    scenes = {Path(scene).name: scene for scene in args.scenes} or KINDS
    heads = f"{'PTX [kB]':>9s} {'registers':>9s} {'stack':>6s} {'spilled [B]':>11s} {'warps':>6s}"
    print(f"{'step of':24s} {'arch':6s} {heads}")
    for name, scene in scenes.items():
        with tempfile.TemporaryDirectory() as folder:
            module = compiled(scene, Path(folder), args.precision)
            for arch in args.archs.split(","):
                it, size = assemble(module, arch), module.stat().st_size / 1000
                spilled = f"{it.spill_stores}+{it.spill_loads}"
                print(f"{name:24s} {arch:6s} {size:9.0f} {it.registers:9d} {it.stack:6d} {spilled:>11s} {it.warps:6d}")


def counts(args: argparse.Namespace) -> None:
    """Print what a step of one world executes."""
    heads = f"{'instructions':>12s} {'flop':>8s} {'loads, stores':>13s} {'of pointers':>11s} {'of words':>9s}"
    print(f"{'step of':24s} {heads}")
    for scene in args.scenes:
        each = executed(scene, args.worlds, args.steps, args.precision)
        real = "." + args.precision
        flop = sum(n * (2 if name.startswith("fma") else 1) for name, n in each.items()
                   if name.endswith(real) and name.split(".")[0] in ("add", "sub", "mul", "fma"))  # fmt: skip
        memory, loads = _of(each, "ld", "st"), _of(each, "ld")
        pointers, words = (sum(n for name, n in loads.items() if name.endswith(end)) for end in ("u64", "u32"))
        print(f"{Path(scene).name:24s} {sum(each.values()):12,.0f} {flop:8,.0f} {sum(memory.values()):13,.0f} "
              f"{pointers:11,.0f} {words:9,.0f}")  # fmt: skip


def executed(scene: str, worlds: int, steps: int, precision: str = "f32") -> dict[str, float]:
    """Instructions of a step of one world, by operation: of a launch of so many steps, divided by their number."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "counts.json"
        motion(folder / "out.npz", environment(folder, FAKE_CUDA_COUNT=str(file)), scene=scene, device="cuda",
               worlds=[worlds], steps=steps, precision=precision)  # fmt: skip
        launches = (json.loads(line)["executed"] for line in file.read_text().splitlines())
        step = max(launches, key=lambda counted: sum(counted.values()))
    return {name: count / worlds / steps for name, count in step.items()}


def traffic(args: argparse.Namespace) -> None:
    """Print lines and accesses of a step, and a row for each number of worlds."""
    for scene in args.scenes or BENCHED:
        with tempfile.TemporaryDirectory() as name:
            warps = assemble(compiled(scene, Path(name), args.precision), "sm_90").warps
        trace = traced(str(scene), args.steps, args.precision)
        warps = min(warps, args.warps or chosen_warps(str(scene), args.precision))
        hot = ", ".join(f"{trace.touched(least):,} of them {least} times or more" for least in (2, 5, 10))
        about = f"{trace.touched(1):,} lines, {hot}; {trace.loads:,.0f} loads, {trace.writes:,.0f} stores"
        print(f"{Path(scene).name}: {about}, {trace.instructions / trace.steps:,.0f} instructions, {warps} warps")
        print(f"{'worlds':>9s} {'L1 [%]':>7s} {'L2 [%]':>7s} {'DRAM [kB]':>9s} {'L2 [kB]':>8s} {'M steps/s':>9s}")
        for worlds in args.worlds:
            it = predict(trace, worlds, warps)
            print(f"{worlds:9,d} {100 * it.near_misses:7.0f} {100 * it.far_misses:7.0f} {it.memory / 1e3:9.1f} "
                  f"{it.far / 1e3:8.1f} {it.rate / 1e6:9.0f}")  # fmt: skip


def chosen_warps(scene: str, precision: str = "f32") -> int:
    """Most warps of an H100's multiprocessor at once that fajin chooses for a scene of trees."""
    model = fajin.compile(fajin.read(scene))
    nodes = 0 if len(model.tables["PAIRS"]) else -(-len(model.tables["NODES"]) // len(model.tables["ISLANDS"]))
    return warps_at_once(nodes, SHARED_MEMORY // LINE, int(precision[1:]))


def traced(scene: str, steps: int, precision: str = "f32", worlds: int = 64) -> Trace:
    """The accesses of one world, or copy, in a launch of so many steps."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "trace"
        motion(folder / "out.npz", environment(folder, FAKE_CUDA_TRACE=str(file)), scene=scene, device="cuda",
               worlds=[worlds], steps=steps, precision=precision)  # fmt: skip
        launches = [json.loads(line) for line in file.read_text().splitlines()]
        step = max(launches, key=lambda launch: launch["accesses"])
        return trace_of(np.fromfile(step["launch"], np.uint64, step["accesses"]), steps, step["instructions"])


def _of(each: dict[str, float], *operations: str) -> dict[str, float]:
    return {name: n for name, n in each.items() if name.split(".")[0] in operations}


def launches(args: argparse.Namespace) -> None:
    """Print a row for each scene."""
    for scene in args.scenes or BENCHED:
        with tempfile.TemporaryDirectory() as folder:
            env = environment(Path(folder), run=False)
            found = host_times_apart(env, Path(folder) / "times.json", str(scene), args.worlds)
        times = ", ".join(f"{what} {time:,.0f} µs" for what, time in found.items())
        print(f"{Path(scene).name}, {args.worlds:,} worlds: {times}")


def run(args: argparse.Namespace) -> None:
    """Run a command, and end with its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        raise SystemExit(subprocess.run(args.words, env=environment(Path(folder)), check=False).returncode)


def parity(args: argparse.Namespace) -> None:
    """Run the tests of parity with the plugin that sends simulations to CUDA."""
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
    files = [str(HERE.parent / name) for name in PARITY]
    args.words = [sys.executable, "-m", "pytest", "-p", "on_cuda", "--dist", "load", *(args.words or ["-q"]), *files]
    run(args)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for command in (registers, counts, traffic, launches):
        options = commands.add_parser(command.__name__)
        options.set_defaults(command=command)
        options.add_argument("scenes", nargs="+" if command is counts else "*")
        options.add_argument("--precision", default="f32")
    commands.choices["traffic"].add_argument("--worlds", type=int, nargs="+", default=WORLDS)
    commands.choices["traffic"].add_argument(
        "--steps", type=int, default=8, help="of a launch; the last writes results"
    )
    commands.choices["traffic"].add_argument(
        "--warps", type=int, help="most warps of a multiprocessor at once. Default: those that fajin chooses"
    )
    commands.choices["registers"].add_argument("--archs", default="sm_86,sm_90")
    commands.choices["counts"].add_argument("--worlds", type=int, default=32)
    commands.choices["counts"].add_argument("--steps", type=int, default=1)
    commands.choices["launches"].add_argument("--worlds", type=int, default=4096)
    for command in (run, parity):
        commands.add_parser(command.__name__).set_defaults(command=command)
    commands.choices["run"].add_argument("words", nargs=argparse.REMAINDER)
    args, words = parser.parse_known_args()
    if args.command is parity:
        args.words = words
    elif words:
        parser.error(f"unrecognized arguments: {' '.join(words)}")
    for tool, there, remedy in (
        ("gcc", GCC, "install it"),
        ("ptxas", assembler(), "pip install nvidia-cuda-nvcc-cu12"),
    ):
        if not there and (tool == "gcc" or args.command in (registers, traffic)):
            parser.error(f"{tool} is not here; {remedy}")
    args.command(args)


if __name__ == "__main__":
    main()
