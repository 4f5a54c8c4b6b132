"""What is wrong with a file, before a simulation shows it.

    import fajin

    for finding in fajin.check.check("robot.usda"):
        print(finding)  # warning gain-unit: /robot...: message; mend
    changes, left = fajin.check.mend("robot.usda", "robot.mended.usda")

A finding has rule, severity, prim, attribute, value, message, mend and edits; `TABLE` lists the rules. USD's own
validators speak too, under ids that begin with `usd-`.
"""

from .finding import Edit, Finding, Rule, Severity
from .look import check, look
from .mend import mend
from .rules import RULES, TABLE

__all__ = ["RULES", "TABLE", "Edit", "Finding", "Rule", "Severity", "check", "look", "mend"]
