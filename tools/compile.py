"""`fajin compile`: a scene in one file that needs neither USD nor the scene's files to be simulated."""

from pathlib import Path
from typing import Annotated

import typer


def compile(
    scene: Annotated[Path, typer.Argument(help="A .usda, .usdc, .usd or .usdz file.", metavar="SCENE")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="[SCENE's name].npz beside it.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="PRIM.attribute=value, on top of the file.", metavar="OVERRIDE")
    ] = None,
) -> None:
    """Put everything that a simulation needs of a scene into one .npz file, for machines without USD."""
    import fajin

    path = output or scene.with_suffix(".npz")
    if path.suffix != ".npz":
        raise typer.BadParameter(f"--output {path}: a compiled model is an .npz file; choose that suffix")
    model = fajin.compile(fajin.read(scene.resolve(), tuple(overrides or ())))
    model.write(path)
    robots = sum(not a.free for a in model.scene.articulations)
    warnings = len(model.scene.reports)
    said = [f"{robots} articulation{'s' * (robots != 1)}", f"{len(model.dof)} degrees of freedom"]
    said += [f"{path.stat().st_size / 1024:,.0f} KiB"]
    said += [f"{warnings} warning{'s' * (warnings > 1)}: fajin inspect {scene}"] if warnings else []
    print(f"wrote {path}: {', '.join(said)}")
