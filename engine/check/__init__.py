"""Checks of USD files: rules, findings and fixes.

    import fajin

    for finding in fajin.check.check("robot.usda"):
        print(finding)  # warning gain-unit: /robot...: message; fix
    changes, left = fajin.check.fix("robot.usda", "robot.fixed.usda")

A finding has rule, severity, prim, attribute, value, message, fix and edits; `TABLE` lists the rules. Findings of
OpenUSD's validators have ids that begin with `usd-`.
"""

from .finding import Edit, Finding, Rule, Severity
from .fix import fix
from .rules import RULES, TABLE
from .runner import check, check_stage

__all__ = ["RULES", "TABLE", "Edit", "Finding", "Rule", "Severity", "check", "check_stage", "fix"]
