"""Choice of metrics by name: those of degrees of freedom and of links, and functions of the user."""

from collections.abc import Iterable

from .. import InvalidJob
from .contact_metrics import LINK_METRICS
from .joint_metrics import METRICS, Metric

NAMED: dict[str, Metric] = {**METRICS, **LINK_METRICS}
"""All metrics by name."""


def chosen(texts: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the metrics and the functions "module:function" among texts; "all" selects all metrics, "none" none.

    Raises:
        InvalidJob: unknown metric.
    """
    names, functions = [], []
    for text in texts:
        if ":" in text:
            functions.append(text)
        elif text == "all":
            names += NAMED
        elif text in NAMED:
            names.append(text)
        elif text != "none":
            raise InvalidJob(
                f"--metrics {text}: must be all, none, {', '.join(NAMED)}, or your function as module:function"
            )
    return tuple(dict.fromkeys(names)), tuple(dict.fromkeys(functions))
