"""Running of a batch job from its checks to its summary, including interruption."""

import os
import re
import shlex
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fajin.tools.progress import progress
from fajin.tools.signals import interruptible
from fajin.tools.simulate_messages import message_of_reports
from fajin.tools.table import print_message

if TYPE_CHECKING:
    from fajin.jobs.description.job import Job, Record
    from fajin.jobs.execution.worker_pool import WorkerPool
    from fajin.jobs.results.job_folder import Summary
    from fajin.scene_file import SceneRequest


@dataclass(frozen=True)
class Request:
    """The requested work on a job."""

    folder: Path
    workers: int
    threads: int
    resume: bool
    fit: bool  # choose the largest shards that fit in memory
    cluster: str | None
    shard: str | None
    animate: tuple[int, ...]
    instancer: bool
    spacing: float | None
    fps: float | None
    functions: tuple[tuple[str, str], ...]  # (option, "module:function") repeated for a job without a scene


def run_batch(job: "Job | None", request: Request, reader: "SceneRequest | None" = None) -> int:
    """Run a job, or the job in the folder if it is None; print a summary; return the exit code.

    reader: its scene, which a process reads already.
    """
    from fajin.jobs.description.prepared_job import prepare
    from fajin.jobs.execution.connection import open_worker_pool
    from fajin.jobs.results import job_folder as jobs
    from fajin.jobs.results.animation import check_replayed_worlds
    from fajin.jobs.shards.partition import ShardSubset
    from fajin.jobs.shards.result_table import has_arrow
    from fajin.jobs.shards.shard import path_of

    job = resolve_job(job, request)
    if reader:
        jobs.warm_up(job)
        prepare(job, reader)
    check_replayed_worlds(prepare(job), request.animate)
    for message in message_of_reports(prepare(job).scene):
        print_message(message)
    if not has_arrow():
        print_message("note: pyarrow is not installed: tables are .csv; pip install pyarrow")
    portion = ShardSubset.parse(request.shard, os.environ) if request.shard else None
    processes = 0 if request.cluster else request.workers
    with open_worker_pool(request.cluster, request.workers) as workers:
        resume = request.resume or bool(request.animate) or request.instancer
        flaws = jobs.start(job, request.folder, resume, processes, portion)
        for i, flaw in flaws.items():
            if flaw:
                print_message(f"{path_of(request.folder, i)}: {flaw}; the shard is run again")
        shards = list(flaws)
        began = time.perf_counter()
        code, reason = _done(job, request.folder, shards, workers)
    seconds = time.perf_counter() - began
    summary, mine = jobs.summarize(job, request.folder), jobs.summarize(job, request.folder, portion)
    files = [] if code else _shown(job, request)
    if reason:
        print_message(" ".join(reason.split()))
    print(_summary_line(job, request, summary, shards, seconds))
    for file in files:
        print(f"wrote {file}")
    return code or (3 if mine.broken else 0)


def resolve_job(job: "Job | None", request: Request) -> "Job":
    """Return the requested job, or the job in the folder if it is None; with `fit`, in the largest shards that fit."""
    from fajin.jobs.results import manifest
    from fajin.jobs.results.job_folder import fit_shard_size

    if job is None:
        return replace(manifest.job_of(request.folder, request.functions), threads=request.threads)
    if not request.fit:
        return job
    if request.shard:
        raise typer.BadParameter("--shard: must have a fixed --shard-size, equal on all machines; add a number")
    if (request.folder / manifest.NAME).exists():
        return replace(job, shard=manifest.read_manifest(request.folder)["job"]["shard"])
    job, each, most = fit_shard_size(job, request.workers)
    print(
        f"{each / 1e6:.3g} MB per world; {most:,} worlds fit in memory at once"
        f"{f', in each of {request.workers} processes' * (request.workers > 1)}: {job.shards} shards of {job.shard:,}",
        file=sys.stderr,
    )
    return job


def _done(job: "Job", folder: Path, shards: list[int], workers: "WorkerPool") -> tuple[int, str]:
    """Run shards; return the exit code, and why not all of them are finished."""
    from fajin.jobs.results import job_folder as jobs

    try:
        with interruptible() as wish, progress(sum(len(job.worlds_of(i)) for i in shards), "worlds") as show:

            def tell(done: float) -> None:
                show(done)
                if wish.stop:
                    raise KeyboardInterrupt

            jobs.run(job, folder, shards, workers, tell)
    except KeyboardInterrupt:
        return 130, "interrupted"
    except OSError as error:
        return 2, str(error)
    return 0, ""


def _shown(job: "Job", request: Request) -> list[Path]:
    """Write the requested animations; return the files to open."""
    from fajin.jobs.description.prepared_job import prepare
    from fajin.jobs.results.animation import animate, write_instanced

    work = prepare(job)
    files = animate(work, request.animate, request.folder, request.fps) if request.animate else []
    files += [write_instanced(work, request.folder, request.fps, request.spacing)] if request.instancer else []
    return files


def _summary_line(job: "Job", request: Request, summary: "Summary", asked: list[int], seconds: float) -> str:
    """Return the summary line, with the speed of the shards that were asked for."""
    from fajin.jobs.description.prepared_job import prepare

    folder = request.folder
    parts = [f"{folder}: {summary.worlds:,} of {job.worlds:,} worlds, {summary.shards} of {job.shards} shards"]
    if asked and summary.shards == job.shards and not request.shard:
        steps = prepare(job).steps * sum(len(job.worlds_of(i)) for i in asked)
        parts.append(f"{steps / seconds:,.0f} steps/s in {seconds:.3g} s on {summary.device}")
    if summary.broken:
        parts.append(f"{summary.broken:,} not finite (end = non-finite; last states in {folder / 'broken'})")
    if summary.shards < job.shards:
        words = [word for option, text in job.functions for word in (f"--{option}", text)]
        go_on = f"continue with fajin batch -o {shlex.join([str(folder), *words])} --resume"
        parts.append(f"other machines run the rest, or {go_on}" if request.shard else go_on)
    elif request.shard:
        parts.append("complete")
    return "; ".join(parts)


def parse_record(text: str) -> "Record":
    """Parse "worlds=0:16 every=10"."""
    from fajin.jobs.description.job import Record

    match = re.fullmatch(r"worlds=(\d+):(\d+)(?:[ ,]+every=(\d+))?", text.strip())
    if not match or int(match[1]) >= int(match[2]) or match[3] == "0":
        raise typer.BadParameter(f"--record {text}: must be like 'worlds=0:16 every=10': first, end, steps per frame")
    return Record(int(match[1]), int(match[2]), int(match[3] or 1))


def functions_of(policy: str | None, stop: str | None, metrics: str) -> tuple[tuple[str, str], ...]:
    """Return (option, text) of the user functions repeated to continue a job."""
    own = [("policy", policy), ("stop", stop), *(("metrics", text) for text in metrics.split(","))]
    return tuple((option, text) for option, text in own if text)


def parse_size(text: str) -> int | None:
    """Parse "4096"; return None for "auto"."""
    if text == "auto":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise typer.BadParameter(f"--shard-size {text}: must be a number of worlds, at least 1, or auto")
    return int(text)


def parse_worlds(text: str | None) -> tuple[int, ...]:
    """Parse "3,17"."""
    try:
        return tuple(int(world) for world in (text or "").split(",") if text)
    except ValueError:
        raise typer.BadParameter(f"--animate {text}: must be indices of worlds, such as 3,17") from None
