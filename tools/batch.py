"""`fajin batch`: many worlds of a scene, each with its own parameters, simulated to tables of metrics."""

from pathlib import Path
from typing import Annotated

import typer

from fajin.device.names import DeviceName
from fajin.tools.cli_options import (
    AttributeOverrides,
    DriveOverrides,
    NoContacts,
    PositionIterations,
    Seconds,
    SolverOverride,
    TimeStep,
    VelocityIterations,
    is_given,
)
from fajin.tools.device_options import DeviceChoice, PrecisionChoice, Threads

SHARD = 4096  # worlds
CODE = {"policy", "stop", "metrics"}  # options that name code, which is imported only if they are given again


def batch(  # one parameter per option: typer reads the signature
    context: typer.Context,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Write the results to this folder.")],
    scene: Annotated[
        str | None, typer.Argument(metavar="SCENE", help="A USD file. Default: the job in --output.")
    ] = None,
    worlds: Annotated[int, typer.Option(min=0, help="Set the number of worlds; 0: the points of grid and table.")] = 0,
    seconds: Seconds = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SETTING=VALUES", help="Simulate all combinations: 10,100,1000, linspace(0,1,11), geomspace(…)."
        ),
    ] = None,
    random: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SETTING=LAW", help="Draw values: uniform(low,high), loguniform, normal(mean,deviation), choice(…)."
        ),
    ] = None,
    degrees: Annotated[
        bool, typer.Option("--degrees", help="Take angles of --grid and --random as degrees, not radians.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed the random numbers of all worlds.")] = 0,
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Read values from .csv or .parquet: one column per setting, one row per world."
        ),
    ] = None,
    initial: Annotated[
        Path | None, typer.Option(metavar="STATE.npz", help="Start from a snapshot of one world or of all worlds.")
    ] = None,
    controls: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Apply events (.json, .csv, .parquet, as simulate) or rows (.npz)."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:FUNCTION", help="Call this function with the simulation before steps, to control it."
        ),
    ] = None,
    stop: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:FUNCTION", help="Call this function after steps; it returns the worlds to end, (W,)."
        ),
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="Set the steps between calls of your functions.")] = 1,
    metrics: Annotated[
        str,
        typer.Option(metavar="LIST", help="Select metrics: all, none, names, or functions MODULE:FUNCTION."),
    ] = "all",
    record: Annotated[
        str | None, typer.Option(metavar="'worlds=0:16 every=10'", help="Record trajectories of these worlds as zarr.")
    ] = None,
    animate: Annotated[
        str | None,
        typer.Option(
            metavar="WORLDS", help="Write the motion of these worlds, such as 3,17, as USD layers over the scene."
        ),
    ] = None,
    instancer: Annotated[
        bool,
        typer.Option("--instancer", help="Write the motion of all worlds side by side as one USD point instancer."),
    ] = False,
    spacing: Annotated[
        float | None,
        typer.Option(min=0, help="Set the distance of worlds in --instancer [m]. Default: from their size."),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(
            min=1e-3, help="Set frames per second of --animate and --instancer. Default: the scene's, else 60."
        ),
    ] = None,
    shard_size: Annotated[
        str,
        typer.Option("--shard-size", "--batch", help="Set the worlds per shard; auto: as many as fit in memory."),
    ] = str(SHARD),
    workers: Annotated[int, typer.Option(min=1, help="Set the number of processes, which share the threads.")] = 1,
    threads: Threads = 0,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Run on a cluster: tcp://host:port (Dask), ray://host:port, or ray."),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(metavar="i/N", help="Run only shards i, i+N, i+2N, …; auto reads i/N from Slurm or Kubernetes."),
    ] = None,
    slurm: Annotated[bool, typer.Option("--slurm", help="Print a job script for sbatch and exit.")] = False,
    tasks: Annotated[
        int, typer.Option(min=0, help="Set the array size of --slurm; 0: one per shard, at most 1000.")
    ] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the job in the folder.")] = False,
    device: DeviceChoice = DeviceName.AUTO,
    precision: PrecisionChoice = None,
    dt: TimeStep = None,
    solver: SolverOverride = None,
    position_iterations: PositionIterations = None,
    velocity_iterations: VelocityIterations = None,
    no_contacts: NoContacts = False,
    contact_slots: Annotated[
        int | None,
        typer.Option(
            min=1, help="Set the most near pairs of colliders of an island. Default: 64 per articulation, 8 per body."
        ),
    ] = None,
    drive: DriveOverrides = None,
    set_: AttributeOverrides = None,
) -> None:
    """Simulate a scene in many worlds and write one table row per world.

    A SETTING is NAME:quantity: elbow:stiffness=10 replaces the scene's value, link.*:mass*=0.8 multiplies it and
    wrist:q+=0.1 adds to it; gravity.z and tool:inertia.xx select one component. NAME is a name or a regular expression
    of degrees of freedom, links or articulations. Values are in SI units and radians. A link's inertia scales with its
    mass.

    Metrics: settling_time, overshoot, rms_error, peak_effort, mean_effort, rms_effort, peak_speed, work, energy,
    time_at_lower, time_at_upper, time_saturated, time_on_envelope; each per degree of freedom. Of contacts:
    contact_time, peak_contact_force, slip_distance, penetration; each per link with colliders.

    DIR holds metrics/*.parquet, or .csv without pyarrow (one row per world: settings, how it ended, metrics as
    elbow:peak_effort, final state as elbow:final_q), trajectories/*.zarr, broken/world-N.npz (last states
    of non-finite worlds) and manifest.json.
    Exit code 3: some worlds became non-finite; all others are complete.
    """
    from fajin.scene_file import SceneRequest

    from .batch_run import (
        Request,
        functions_of,
        parse_size,
        parse_worlds,
        resolve_job,
        run_batch,
    )

    here = workers == 1 and shard_size != "auto" and not cluster and not slurm
    reader = SceneRequest(Path(scene).absolute(), set_ or (), files=True) if scene and here else None
    from .batch_job import job_of, names_of_job  # while the other process is at work
    from .slurm import sbatch

    given = {name for name in context.params if is_given(context, name)}
    job = job_of(context.params) if scene else None
    if job is None and (others := sorted(given & names_of_job() - CODE - {"threads"})):
        raise typer.BadParameter(f"--{others[0].strip('_').replace('_', '-')} needs a SCENE; add one")
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
            raise typer.BadParameter(
                "--slurm: must not be combined with --cluster, --workers or --animate; animate afterwards"
            )
        print(sbatch(resolve_job(job, request), output, context, tasks), end="")
        return
    raise typer.Exit(run_batch(job, request, reader))
