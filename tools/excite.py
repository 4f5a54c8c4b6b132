"""`fajin excite SCENE`: motions to run on the real robot, so that its log determines the parameters."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fajin.tools.cli_options import SceneFile, step_length
from fajin.tools.device_options import Threads

if TYPE_CHECKING:
    from fajin.fit.excitation import Motion

LOG_FORMATS = (".csv", ".npz", ".mcap")


def excite(  # one parameter per option: typer reads the signature
    scene: SceneFile,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write targets: .csv for simulate --controls, .npz for batch --controls, or .mcap.",
        ),
    ],
    usda: Annotated[
        Path | None,
        typer.Option(metavar="LAYER", help="Write the targets as time samples, too: a layer over SCENE to simulate."),
    ] = None,
    joint: Annotated[str, typer.Option(metavar="REGEX", help="Select the joints that move.")] = ".*",
    parameters: Annotated[
        str, typer.Option(metavar="P,P,…", help="Determine these parameters, as of fajin fit.")
    ] = "armature,coulomb,viscous,delay",
    seconds: Annotated[float, typer.Option(min=1.0, help="Set the length of a motion [s].")] = 5.0,
    count: Annotated[int, typer.Option(min=1, help="Set the number of motions; several are numbered files.")] = 1,
    candidates: Annotated[int, typer.Option(min=1, help="Set the number of motions to choose from.")] = 60,
    seed: Annotated[int, typer.Option(min=0, help="Seed the random motions.")] = 0,
    noise: Annotated[float, typer.Option(help="Set the noise of the encoders [rad | m].")] = 1e-4,
    dt: Annotated[str | None, typer.Option(help="Set the step, such as 1/500 [s]. Default: the scene's.")] = None,
    threads: Threads = 0,
) -> None:
    """Find motions that determine parameters best: random Fourier series with a smooth start and a hold at the end.

    Motions stay within 80 % of position limits, speeds and efforts, by simulation at the scene's values. Check that the
    robot does not touch itself or anything else: fajin view SCENE --log FILE.
    """
    import fajin
    from fajin.atomic_write import OutputError
    from fajin.fit.excitation import ExcitationOptions, find_motions
    from fajin.scene.overrides import with_settings
    from fajin.tools.table import number, print_table

    if output.suffix not in LOG_FORMATS:
        raise OutputError(f"{output}: must have a suffix of {', '.join(LOG_FORMATS)}; rename it")
    if output.suffix == ".mcap":
        from fajin.recording.mcap_log import check_mcap

        check_mcap(output)
    if usda:
        from fajin.author.layer import check

        check(scene, usda, False)
    source = with_settings(fajin.read(scene), step_length(dt))
    options = ExcitationOptions(joint, seconds, count, candidates, seed, noise, threads)
    found = find_motions(fajin.compile(source), [text for text in parameters.split(",") if text], options)
    rows = [
        [p.name, number(p.start), "–" if p.name in found.identifiability.silent else f"{1.959964 * d:.3g}", p.unit]
        for p, d in zip(found.parameters, found.deviations, strict=True)
    ]
    title = f"Expected 95 % intervals at noise {noise:g}, if the robot is like the scene"
    print_table(title, 1, ("parameter", "start", "±", "unit"), rows)
    for line in found.identifiability.lines():
        print(f"identifiability: {line}")
    print(f"the best of {candidates} motions has intervals {found.gain:.3g} times smaller than the median one")
    for i, motion in enumerate(found.motions):
        path = _numbered(output, i, len(found.motions))
        _write(motion, path, source.dt)
        if usda:
            _write_layer(motion, scene, _numbered(usda, i, len(found.motions)))
        print(f"wrote {path}: {motion.time[-1]:g} s, {len(motion.dof)} joints, {len(motion.time)} rows")


def _numbered(path: Path, i: int, count: int) -> Path:
    """Return the path of one of several files."""
    return path if count == 1 else path.with_name(f"{path.stem}{i + 1}{path.suffix}")


def _write_layer(motion: "Motion", scene: Path, path: Path) -> None:
    """Write the targets as time samples of a layer over the scene, which ends with the motion."""
    from fajin.author.confined_edits import write_edits

    edits = []
    times, seconds = motion.time.tolist(), float(motion.time[-1])
    for name, values in zip(motion.dof, motion.target_q.T.tolist(), strict=True):
        prim, _, token = name.rpartition(":")
        edits.append(("target_samples", prim, {"times": times, "values": values, "axis": token}))
    write_edits(scene, path, [*edits, ("scene", "", {"duration": seconds})], seconds)
    print(f"wrote {path}: a layer over {scene}")


def _write(motion: "Motion", path: Path, dt: float) -> None:
    """Write the targets atomically."""
    import numpy as np

    from fajin.atomic_write import OutputError, commit, staging_directory

    with staging_directory(path) as folder:
        try:
            if path.suffix == ".npz":
                every = max(1, round(float(motion.time[1]) / dt))
                np.savez(folder / path.name, time=motion.time, dof=motion.dof, target_q=motion.target_q, every=every)
            elif path.suffix == ".mcap":
                _write_messages(motion, folder / path.name)
            else:
                heads = [f"target_q {name} [{unit}]" for name, unit in zip(motion.dof, motion.unit, strict=True)]
                rows = np.column_stack((motion.time, motion.target_q))
                head = ",".join(["time [s]", *heads])
                np.savetxt(folder / path.name, rows, "%.9g", ",", header=head, comments="", encoding="utf-8")
            commit(folder / path.name, path)
        except OSError as error:
            raise OutputError.of(path, error) from None


def _write_messages(motion: "Motion", path: Path) -> None:
    """Write the targets as commands of joints."""
    import numpy as np

    from fajin.recording.mcap_log import McapWriter
    from fajin.selection import short_names

    writer, none = McapWriter(path, short_names(motion.dof)), np.zeros(0)
    for time, targets in zip(motion.time.tolist(), motion.target_q, strict=True):
        writer.add(time, (targets, none, none), command=True)
    writer.close()
