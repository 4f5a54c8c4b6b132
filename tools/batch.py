"""`fajin batch`: many worlds of a scene, each with its own parameters, to tables of numbers."""

from pathlib import Path
from typing import Annotated

import typer

from fajin.tools.cli_options import Device, Precision, Solver, step_length

SHARD = 4096  # worlds
FOLDER_ALONE = {  # what goes without a scene
    *("output", "resume", "workers", "threads", "cluster", "shard", "slurm", "tasks"),
    *("animate", "instancer", "spacing", "fps"),
    *("policy", "stop", "metrics"),  # code that the job names is imported only if it is named here, too
}

SWEEP, STATE, RESULT = "What varies", "How it is simulated", "What comes out"


def batch(  # one parameter an option: typer reads them off the signature
    context: typer.Context,
    scene: Annotated[
        str | None, typer.Argument(metavar="SCENE", help="A USD file; without one, the job that lies in --output.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of the results.")] = ...,
    worlds: Annotated[int, typer.Option(min=0, help="By default as many as grid and table have points.")] = 0,
    seconds: Annotated[
        float | None, typer.Option(help="Length of the motion [s]; by default the file's, or 5.")
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(metavar="SETTING=VALUES", help="All combinations: 10,100,1000, linspace(0,1,11), geomspace(…)."),
    ] = None,
    random: Annotated[
        list[str] | None,
        typer.Option(metavar="SETTING=LAW", help="uniform(low,high), loguniform, normal(mean,deviation), choice(…)."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the random numbers; a world's are its own.")] = 0,
    table: Annotated[
        Path | None, typer.Option(metavar="FILE", help=".csv or .parquet: a column a setting, a row a world.")
    ] = None,
    initial: Annotated[
        Path | None, typer.Option(metavar="STATE.npz", help="A snapshot of one world, or of all, to begin from.")
    ] = None,
    controls: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Events in .json as of simulate, or rows of targets in .npz.")
    ] = None,
    policy: Annotated[
        str | None, typer.Option(metavar="MODULE:FUNCTION", help="Called with the simulation before a step; sets it.")
    ] = None,
    stop: Annotated[
        str | None, typer.Option(metavar="MODULE:FUNCTION", help="Called after a step; says which worlds end, (W,).")
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="Steps between calls of your functions.")] = 1,
    metrics: Annotated[
        str, typer.Option(metavar="LIST", help="all, none, names, and functions of yours: MODULE:FUNCTION.")
    ] = "all",
    record: Annotated[
        str | None, typer.Option(metavar="'worlds=0:16 every=10'", help="Trajectories of these worlds, as zarr.")
    ] = None,
    animate: Annotated[
        str | None, typer.Option(metavar="WORLDS", help="3,17: their motion as USD layers over the scene.")
    ] = None,
    instancer: Annotated[
        bool, typer.Option("--instancer", help="The motion of all worlds side by side, as one USD point instancer.")
    ] = False,
    spacing: Annotated[
        float | None, typer.Option(min=0, help="Between the worlds of --instancer [m]; by default by their size.")
    ] = None,
    fps: Annotated[
        float | None, typer.Option(min=1e-3, help="Frames a second of --animate and --instancer; the file's, or 60.")
    ] = None,
    shard_size: Annotated[
        str,
        typer.Option("--shard-size", "--batch", help="Worlds done and written at once; auto: as many as memory takes."),
    ] = str(SHARD),
    workers: Annotated[int, typer.Option(min=1, help="Processes; they share the threads.")] = 1,
    threads: Annotated[int, typer.Option(min=0, help="CPU threads; 0 is one a core.")] = 0,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Workers: tcp://host:port of Dask, ray://host:port, or ray.")
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="i/N", help="Every N-th shard from i = 0 on; others do theirs. auto: Slurm's.")
    ] = None,
    slurm: Annotated[
        bool, typer.Option("--slurm", help="Print a file for sbatch that does the job; start nothing.")
    ] = False,
    tasks: Annotated[int, typer.Option(min=0, help="Of --slurm's array; by default one a shard, up to 1000.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what lies in the folder.")] = False,
    device: Annotated[Device, typer.Option(help="auto is CUDA where there is one, else CPU.")] = Device.AUTO,
    precision: Annotated[Precision | None, typer.Option(help="Of all numbers; the file's, or f32.")] = None,
    dt: Annotated[str | None, typer.Option(help="Length of a step [s], also 1/120; by default the file's.")] = None,
    solver: Annotated[Solver | None, typer.Option(help="In place of the file's.")] = None,
    position_iterations: Annotated[int | None, typer.Option(help="In place of the file's.")] = None,
    velocity_iterations: Annotated[int | None, typer.Option(help="In place of the file's.")] = None,
    drive: Annotated[
        list[str] | None, typer.Option(metavar="REGEX=KP,KD[,MAX]", help="Gains of the joints so named, in SI.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="PRIM.ATTR=VALUE", help="An attribute's value.")
    ] = None,
) -> None:
    """Simulate a scene in many worlds and write a row of numbers for each.

    A SETTING is NAME:quantity: elbow:stiffness=10 takes the place of the scene's value, link.*:mass*=0.8 is its
    factor, wrist:q+=0.1 is added to it; gravity.z and tool:inertia.xx name one number of several. NAME is a name or a
    regular expression of degrees of freedom, links or articulations; a link's inertia follows its mass.

    Metrics: settling_time, overshoot, rms_error, peak_effort, mean_effort, rms_effort, peak_speed, work, energy,
    time_at_lower, time_at_upper, time_saturated, time_on_envelope; each of every degree of freedom.

    DIR holds metrics/*.parquet (a row a world: its settings, how it ended, metrics as peak_effort:elbow, final state
    as q:elbow), trajectories/*.zarr, broken/world-N.npz (the last states of a world that left the finite numbers) and
    manifest.json. Exit code 3: there are such worlds, the others are done.
    """
    from .batch_run import (
        Request,
        begin_to_read,
        functions_of,
        parse_record,
        parse_size,
        parse_worlds,
        resolve_job,
        run_batch,
    )

    here = workers == 1 and shard_size != "auto" and not cluster and not slurm
    reader = begin_to_read(Path(scene).absolute(), set_ or ()) if scene and here else None
    from fajin.jobs.job import Job  # while the other process is at work
    from fajin.jobs.sweep import points

    from .slurm import sbatch

    given = {name for name in context.params if context.get_parameter_source(name).name == "COMMANDLINE"}
    job = None
    if scene is None:
        others = sorted(given - FOLDER_ALONE - {"scene"})
        if others:
            raise typer.BadParameter(f"--{others[0].strip('_').replace('_', '-')} needs a SCENE; give one")
    else:
        job = Job(
            scene=str(Path(scene).absolute()),
            worlds=worlds or points(grid or (), table, random or ()),
            seconds=seconds,
            shard=parse_size(shard_size) or 1,
            set=tuple(set_ or ()),
            drive=tuple(drive or ()),
            dt=step_length(dt) if dt else None,
            solver=solver.value if solver else None,
            position_iterations=position_iterations,
            velocity_iterations=velocity_iterations,
            device=device.value,
            precision=precision.value if precision else None,
            threads=threads,
            grid=tuple(grid or ()),
            random=tuple(random or ()),
            table=str(table.absolute()) if table else None,
            seed=seed,
            initial=str(initial.absolute()) if initial else None,
            controls=str(controls.absolute()) if controls else None,
            metrics=tuple(filter(None, metrics.split(","))),
            policy=policy,
            stop=stop,
            every=every,
            record=parse_record(record) if record else None,
        )
    request = Request(
        folder=output,
        workers=workers,
        threads=threads,
        resume=resume,
        fit=parse_size(shard_size) is None,
        cluster=cluster,
        shard=shard,
        animate=parse_worlds(animate),
        instancer=instancer,
        spacing=spacing,
        fps=fps,
        functions=functions_of(policy, stop, metrics if "metrics" in given else "") if scene is None else (),
    )
    if slurm:
        if request.animate or instancer or cluster or workers > 1:
            raise typer.BadParameter("--slurm goes without --cluster and --workers; animate what is done afterwards")
        print(sbatch(resolve_job(job, request), output, context, tasks), end="")
        return
    raise typer.Exit(run_batch(job, request, reader))
