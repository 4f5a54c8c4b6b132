"""The job that options of `fajin batch` describe: fields and options of one name have one value."""

from dataclasses import fields
from pathlib import Path
from typing import Any

from fajin.jobs.description.job import FILES, Job
from fajin.jobs.description.sweep import points

from .batch_run import parse_record, parse_size
from .cli_options import step_length

OPTIONS = {"shard": "shard_size", "set": "set_", "contacts": "no_contacts"}
"""Options of other names, by field."""


def names_of_job() -> set[str]:
    """Return the names of options that describe the job, not how it runs."""
    return {OPTIONS.get(field.name, field.name) for field in fields(Job)}


def job_of(options: dict[str, Any]) -> Job:
    """Return the job of a command's options; those that are None, or empty lists, have the job's defaults.

    Args:
        options: values of the options, as typer parses them.

    Raises:
        typer.BadParameter: an option has a value that it cannot have.
    """
    values = {field.name: options[OPTIONS.get(field.name, field.name)] for field in fields(Job)}
    values |= {
        "worlds": values["worlds"] or points(values["grid"] or (), values["table"], values["random"] or ()),
        "shard": parse_size(values["shard"]) or 1,
        "dt": step_length(values["dt"]),
        "contacts": not values["contacts"],
        "metrics": list(filter(None, values["metrics"].split(","))),
        "record": values["record"] and parse_record(values["record"]),
    }
    values |= {name: str(Path(values[name]).absolute()) for name in FILES if values[name]}
    values |= {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    seconds = values.pop("seconds")
    return Job(seconds=seconds, **{name: value for name, value in values.items() if value is not None})
