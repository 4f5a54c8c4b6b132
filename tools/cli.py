"""The command `fajin`: its subcommands, and one-line messages for user errors."""

import gc
import io
import os
import re
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Annotated, Any, TextIO, cast

import typer

from .interrupts import INTERRUPTED
from .signals import no_interrupt_lost

ClickException = cast(Any, typer.BadParameter.__mro__[2])  # typer raises click's exceptions, exports only subclasses

COMMANDS = {
    **{name: name for name in ("demo", "simulate", "view", "render", "plot", "compare", "inspect", "check", "tune")},
    **{name: name for name in ("fit", "excite")},
    **{name: name for name in ("train", "play")},
    **{name: name for name in ("batch", "report", "convert", "compile")},
    "bench": "bench.command",
    "doctor": "doctor",
}
"""Modules of the commands in the order of the help; a module has a function of the command's name."""

SUMMARIES = {
    "demo": "Simulate a robot that fajin brings, and play its motion.",
    "simulate": "Simulate a scene; write its motion as a layer, or a log.",
    "view": "Look at a motion, or run a scene, in a browser.",
    "render": "Draw a motion as a picture or film; no GPU, no display.",
    "plot": "Plot positions, speeds and efforts of joint logs.",
    "compare": "Compare two logs: error, bias and delay of each joint.",
    "inspect": "Show robots, joints, masses and unused attributes.",
    "check": "Find errors in a scene, and fix them in a layer.",
    "tune": "Find gains for a natural frequency and damping ratio.",
    "fit": "Fit parameters of a robot to logs of the real one.",
    "excite": "Find motions to record for a fit.",
    "train": "Train a policy on the CPU by reinforcement learning.",
    "play": "Play a policy in many worlds, or beside PhysX.",
    "batch": "Simulate a scene in many worlds, each with its own values.",
    "report": "Show what the settings of a batch did to its metrics.",
    "convert": "Convert a URDF or MJCF robot to USD, with drives.",
    "compile": "Write everything a simulation needs into one .npz file.",
    "bench": "Measure speed beside MuJoCo and PhysX.",
    "doctor": "Check this installation.",
    "author": "Write drives, limits, friction and more in a layer.",
    "envelope": "Find what a motor can do, from data or measurements.",
}
"""Of lines that the list of commands does not cut at 80 columns."""

GROUPS = {"author": "app", "envelope": "envelope_app"}
"""Names of the groups of commands in the modules of these groups."""


class NullOutput(io.TextIOBase):
    """A stream for what nobody reads."""

    def write(self, text: str) -> int:
        """Return the length of a text."""
        return len(text)


PIPE_CLOSED = 1
"""Exit code after the reader of stdout has closed it, as Python and rich have it."""


@cache
def command_line(name: str | None) -> typer.Typer:
    """Return the command line with one command, or with all.

    Typer reads the signature of every command that it has, which takes as long as all the rest of `--help`.
    """
    app = typer.Typer(
        help="Simulate robots from USD as PhysX does, and write their motion back to USD.",
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(about)
    for command, module in COMMANDS.items():
        if name in (None, command):
            app.command(short_help=SUMMARIES[command])(getattr(import_module(f"fajin.tools.{module}"), command))
    for group, place in GROUPS.items():
        if name in (None, group):
            commands = getattr(import_module(f"fajin.tools.{group}"), place)
            app.add_typer(commands, name=group, short_help=SUMMARIES[group])
    return app


def about(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    limits: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=VALUE,…",
            help="Limit the reading of USD files: cpu, wall [s], memory, output [GB], root (folder of layers); or "
            "none. Default: cpu=60,wall=300,memory=4,output=0.5.",
        ),
    ] = None,
) -> None:
    """Print the version, or the list of commands; set the limits of reading, also for child processes."""
    if limits is not None:
        from fajin.sandbox.limits import VARIABLE, Limits

        Limits.parse(limits)
        os.environ[VARIABLE] = limits
    if version:
        from importlib.metadata import version as installed

        print(f"fajin {installed('fajin')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


def _message(error: Any) -> str:
    """Return the message of a usage error, with the nearest option or command for an unknown one."""
    from fajin.selection import suggestion

    context, option = getattr(error, "ctx", None), getattr(error, "option_name", "")
    if context is not None and option:
        names = [name for parameter in context.command.params for name in parameter.opts]
        return f"No such option: {option}{suggestion(option, names) or f'; see {context.command_path} --help'}"
    command = re.match(r"No such command '(.*?)'", error.format_message())
    if context is not None and command:
        names = context.command.list_commands(context)
        return f"No such command: {command[1]}{suggestion(command[1], names) or f'; see {context.command_path} --help'}"
    return error.format_message()


def help_text(words: list[str]) -> str | None:
    """Return the help that `fajin WORDS` asks for, or None if it asks for anything else.

    Nothing is parsed: for the value of any option, also of --help, typer loads pydantic, twice as long as all the rest.
    """
    *names, last = words or [""]
    if last != "--help" or not names or names[0] not in {*COMMANDS, *GROUPS}:
        return None
    command: Any = typer.main.get_command(command_line(names[0]))
    context = _context(command, "fajin", None)
    for name in names:
        command = command.get_command(context, name) if hasattr(command, "get_command") else None
        if command is None:
            return None
        context = _context(command, name, context)
    return command.get_help(context)


def _context(command: Any, name: str, parent: Any) -> Any:
    """Return the context of a command with the command's own settings."""
    return command.context_class(command, info_name=name, parent=parent, **command.context_settings)


def main() -> None:
    """Run the command line; exit with 2 and one line on stderr for user errors, with 130 after an interrupt."""
    gc.set_threshold(200_000)  # start-up creates many long-lived objects
    sys.stdout, sys.stderr = (stream or NullOutput() for stream in (sys.stdout, sys.stderr))  # the shell closed it
    with no_interrupt_lost():
        code = exit_code()
    sys.exit(_flushed(code))


def exit_code() -> Any:
    """Run the command line; return the exit code, after a line on stderr for user errors."""
    asked = help_text(sys.argv[1:])
    if asked is not None:
        typer.echo(asked)
        return 0
    import fajin
    from fajin.errors import InputError
    from fajin.tools.progress import print_log

    print_log()
    try:
        known = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] in {*COMMANDS, *GROUPS} else None
        return command_line(known)(prog_name="fajin", standalone_mode=False)
    except SystemExit as end:  # before the classes below, which are imported when they are compared
        return end.code
    except BrokenPipeError:
        return PIPE_CLOSED
    except ClickException as error:
        problem = _message(error)
    except (fajin.InvalidScene, fajin.InvalidSnapshot, fajin.DeviceError, InputError) as error:
        problem = str(error)
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    _complain(problem)
    return 2


def _complain(problem: str) -> None:
    """Print one line on stderr, if that takes it."""
    from fajin.errors import LONGEST_LINE, shorten

    try:
        print(f"fajin: {shorten(' '.join(problem.split()), LONGEST_LINE)}", file=sys.stderr, flush=True)
    except OSError:
        _discard(sys.stderr)


def _discard(stream: TextIO) -> None:
    """Send to nowhere what a stream still holds: Python flushes once more when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _flushed(code: Any) -> Any:
    """Flush stdout; return the exit code, which is not 0 if stdout takes no more."""
    try:
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            _complain(f"standard output: {error.strerror}")
        _discard(sys.stdout)
        return code or (PIPE_CLOSED if isinstance(error, BrokenPipeError) else 2)
    return code
