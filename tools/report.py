"""`fajin report`: what varied in a batch, what it did to each metric, and the worst worlds."""

from pathlib import Path
from typing import Annotated

import typer

from fajin.tools.cli_options import Browser, Port


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a batch.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write this .html. Default: a browser.")
    ] = None,
    metric: Annotated[
        str, typer.Option(help="Show this metric first. Default: the one that depends most on a setting.")
    ] = "",
    films: Annotated[
        int, typer.Option(min=0, max=24, metavar="N", help="Simulate and film the N worlds with its greatest values.")
    ] = 3,
    port: Port = 0,
    browser: Browser = True,
) -> None:
    """Show settings against metrics of a batch: rank correlations, distributions, and the worst worlds."""
    from fajin.errors import InputError
    from fajin.jobs.results.metrics_table import read_metrics
    from fajin.tools.report_films import film_worlds
    from fajin.tools.show_page import show_page, write_page
    from fajin.visual.look.report import BatchTable, report_page

    if output is not None and output.suffix != ".html":
        raise InputError(f"{output}: must have the suffix .html; rename it")
    columns, units = read_metrics(folder)
    place = folder.name if folder.is_absolute() else folder  # a page that is mailed does not name the user's folders
    table = BatchTable.of(columns)
    shown = table.find_metric(metric) if metric else table.strongest()[0]
    worst = table.worst(shown, films) if table.metrics else []
    drawn = film_worlds(folder, worst) if worst else []
    command = f"fajin batch -o {place} --animate WORLD"
    html = report_page(table, folder.resolve().name, units, command, shown, drawn).html()
    if output:
        write_page(html, output)
    else:
        show_page(html, port, browser)
