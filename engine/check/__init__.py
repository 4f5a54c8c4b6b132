"""Checks of USD files: rules, findings and fixes.

    import fajin

    for finding in fajin.check.check("robot.usda"):
        print(finding)  # warning gain-unit: /robot...: message; fix
    changes, left = fajin.check.fix("robot.usda", "robot.fixed.usda")

A finding has rule, severity, prim, attribute, value, message, fix and edits; `TABLE` lists the rules. Findings of
OpenUSD's validators have ids that begin with `usd-`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .file_check import check
from .finding import Edit, Finding, Rule, Severity

if TYPE_CHECKING:
    from .fixes import fix
    from .rules import RULES, TABLE
    from .runner import check_stage

__all__ = ["RULES", "TABLE", "Edit", "Finding", "Rule", "Severity", "check", "check_stage", "fix"]
_PLACES = {"RULES": "rules", "TABLE": "rules", "check_stage": "runner", "fix": "fixes"}


def __getattr__(name: str) -> Any:
    """Import the requested name on first use, with USD, which a child process needs and this one does not."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
