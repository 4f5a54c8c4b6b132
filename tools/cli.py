"""The command `fajin`: its subcommands, and one-line messages for user errors."""

import gc
import re
import sys
from typing import Annotated, Any, cast

import typer

from fajin.tools.author import app as author
from fajin.tools.batch import batch
from fajin.tools.bench.command import bench
from fajin.tools.check import check
from fajin.tools.compare import compare
from fajin.tools.compile import compile
from fajin.tools.convert import convert
from fajin.tools.doctor import doctor
from fajin.tools.envelope import envelope_app
from fajin.tools.inspect import inspect
from fajin.tools.plot import plot
from fajin.tools.render import render
from fajin.tools.report import report
from fajin.tools.simulate import simulate
from fajin.tools.tune import tune
from fajin.tools.view import view

ClickException = cast(Any, typer.BadParameter.__mro__[2])  # typer raises click's exceptions, exports only subclasses

app = typer.Typer(
    help="Simulate robots from USD as PhysX does, and write their motion back to USD.",
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command in (
    *(simulate, view, render, plot, compare, inspect, check, tune, batch, report),
    *(convert, compile, bench, doctor),
):
    app.command()(command)
app.add_typer(author, name="author")
app.add_typer(envelope_app)


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    """Print the version, or the list of commands."""
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


def main() -> None:
    """Run the command line; exit with 2 and one line on stderr for user errors."""
    import fajin
    from fajin.errors import InputError

    gc.set_threshold(200_000)  # start-up creates many long-lived objects
    try:
        sys.exit(app(prog_name="fajin", standalone_mode=False))
    except SystemExit:  # before the classes below, which are imported when they are compared
        raise
    except ClickException as error:
        problem = _message(error)
    except (fajin.InvalidScene, fajin.InvalidSnapshot, fajin.DeviceError, InputError) as error:
        problem = str(error)
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except typer.Abort:
        sys.exit(130)
    print(f"fajin: {' '.join(problem.split())}", file=sys.stderr)
    sys.exit(2)
