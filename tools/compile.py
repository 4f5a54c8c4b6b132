"""`fajin compile`: writes a scene to one file that can be simulated without USD and the scene's files."""

from pathlib import Path
from typing import Annotated

import typer

from fajin.tools.cli_options import Overrides, SceneFile


def compile(
    scene: SceneFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this file. Default: SCENE's name with .npz.")
    ] = None,
    overrides: Overrides = None,
) -> None:
    """Compile a scene to one .npz file for simulation on machines without USD."""
    import fajin
    from fajin.atomic_write import make_folder

    path = output or scene.with_suffix(".npz")
    if path.suffix != ".npz":
        raise typer.BadParameter(f"--output {path}: must have the suffix .npz; rename it")
    make_folder(path)
    model = fajin.compile(fajin.read(scene.resolve(), tuple(overrides or ())))
    model.write(path)
    robots = sum(not a.free for a in model.scene.articulations)
    warnings = len(model.scene.reports)
    said = [f"{robots} articulation{'s' * (robots != 1)}", f"{len(model.dof)} degrees of freedom"]
    said += [f"{path.stat().st_size / 1024:,.0f} KiB"]
    said += [f"{warnings} warning{'s' * (warnings > 1)}: fajin inspect {scene}"] if warnings else []
    print(f"wrote {path}: {', '.join(said)}")
