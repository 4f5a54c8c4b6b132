"""What is wrong with a file, before a simulation shows it.

    import fajin

    for finding in fajin.check.check("robot.usda"):
        print(finding)  # warning gain-unit: /robot...: message; mend
    changes, left = fajin.check.fix("robot.usda", "robot.mended.usda")

A finding has rule, severity, prim, attribute, value, message, mend and edits; `TABLE` lists the rules. USD's own
validators speak too, under ids that begin with `usd-`.
"""

from .finding import Edit, Finding, Rule, Severity
from .fix import fix
from .rules import RULES, TABLE
from .runner import check, check_stage

__all__ = ["RULES", "TABLE", "Edit", "Finding", "Rule", "Severity", "check", "check_stage", "fix"]
