"""`fajin check SCENE`: findings in a file, with fixes."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from fajin.tools.cli_options import SceneFile

LINES = 5  # places shown per rule
FAILED = 2  # exit status if there are errors


def check(  # one parameter per option: typer reads the signature
    scene: SceneFile,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON as described in docs/checking.md.")] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Write fixes to the layer of -o, over the scene.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="LAYER", help="Write the fixes of --fix to this layer.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="RULE", help="Apply only this rule; repeatable.")] = None,
    skip: Annotated[list[str] | None, typer.Option(metavar="RULE", help="Skip this rule; repeatable.")] = None,
    joint: Annotated[str | None, typer.Option(metavar="REGEX", help="Print only findings on matching joints.")] = None,
    profile: Annotated[
        str, typer.Option(metavar="NAME", help="Check a SimReady profile, too: robot-body-neutral | robot-body-isaac.")
    ] = "",
    every: Annotated[bool, typer.Option("--all", help=f"Print every place. Default: {LINES} per rule.")] = False,
) -> None:
    """Check a scene and print findings with fixes. Exit status 0 without errors, 2 with errors."""
    import fajin
    from fajin.check.profile_codes import PROFILES

    if profile and profile not in PROFILES:
        raise typer.BadParameter(f"--profile {profile}: must be {' or '.join(PROFILES)}; name one of them")
    if fix != (output is not None):
        raise typer.BadParameter("--fix, -o LAYER: must be used together; add the missing one")
    chosen, left_out = known(only), known(skip)
    named = expression(joint) if joint else None

    def wanted(finding: Any) -> bool:
        here = named is None or any(map(named.fullmatch, (finding.prim, finding.prim.rpartition("/")[2])))
        return here and finding.rule not in left_out and (not chosen or finding.rule in chosen)

    changes: list[Any] = []
    if output is not None:
        from .confined_command import confine_command

        confine_command("check", scene, output)
        changes, findings = fajin.check.fix(scene, output, wanted, profile)
    else:
        findings = fajin.check.check(scene, profile=profile)
    findings = [stern(finding) if strict else finding for finding in findings if wanted(finding)]
    if as_json:
        print(json.dumps(document(scene, findings, changes, output), indent=2, ensure_ascii=False))
    else:
        from fajin.tools.table import print_lines

        print_lines([*mended(changes, output), *text(scene if output is None else output, findings, every)])
    if any(finding.severity.value == "error" for finding in findings):
        raise typer.Exit(FAILED)


def expression(text: str) -> re.Pattern[str]:
    """Return a regular expression; raise BadParameter if it is none."""
    try:
        return re.compile(text)
    except re.error as error:
        raise typer.BadParameter(f"--joint {text}: must be a regular expression ({error}); correct it") from None


def known(names: list[str] | None) -> set[str]:
    """Return the rules of these names; raise BadParameter for an unknown rule."""
    from fajin.check import RULES
    from fajin.selection import suggestion

    for name in names or ():
        if name not in RULES and not name.startswith(("usd-", "simready-")):
            near = suggestion(name, RULES)
            raise typer.BadParameter(f"{name}: must be a rule, one of {', '.join(RULES)}, usd-…{near}")
    return set(names or ())


def stern(finding: Any) -> Any:
    """Return a warning as an error, and other findings unchanged."""
    from fajin.check import Severity

    return replace(finding, severity=Severity.ERROR) if finding.severity is Severity.WARNING else finding


def counts(findings: Iterable[Any]) -> dict[str, int]:
    """Return the number of errors, warnings and notes."""
    number = Counter(finding.severity.value for finding in findings)
    return {f"{name}s": number[name] for name in ("error", "warning", "note")}


def document(scene: Path, findings: list[Any], changes: list[Any], output: Path | None) -> dict[str, Any]:
    """Return the document that --json prints."""
    result = {"scene": str(scene), **counts(findings), "findings": [plain(vars(finding)) for finding in findings]}
    if output is not None:
        written = [{"prim": c.prim, "attribute": c.attribute, "before": c.before, "after": c.after} for c in changes]
        result |= {"layer": str(output), "changes": plain(written)}
    return result


def plain(value: Any) -> Any:
    """Return a value as plain JSON: records as objects; vectors and quaternions as lists, the real part first."""
    if is_dataclass(value):
        return plain(vars(value))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "GetImaginary"):
        return [value.GetReal(), *value.GetImaginary()]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return [plain(item) for item in value] if hasattr(value, "__iter__") else str(value)


def mended(changes: list[Any], output: Path | None) -> list[str]:
    """Return the lines that report the changes of --fix."""
    if output is None:
        return []
    if not changes:
        return [f"{output}: no automatic fix applies; the layer is empty", ""]
    from fajin.html import count

    return [
        f"{output}: {count(len(changes), 'change')}; delete it to undo them",
        *(f"  {change}" for change in changes),
        "",
    ]


def text(scene: Path | None, findings: list[Any], every: bool) -> list[str]:
    """Return the findings as lines by severity and rule; findings that differ only in prim share a line."""
    from fajin.check import RULES
    from fajin.html import count

    number = counts(findings)
    number_of_each = ", ".join(count(n, name.removesuffix("s")) for name, n in number.items() if n)
    lines = [f"{scene}: {number_of_each or 'no findings'}"]
    for severity in ("error", "warning", "note"):
        here = [finding for finding in findings if finding.severity.value == severity]
        for rule in dict.fromkeys(finding.rule for finding in here):
            places = alike(finding for finding in here if finding.rule == rule)
            shown = places if every else places[:LINES]
            own = "A requirement of the SimReady profile." if rule.startswith("simready-") else "USD's own validator."
            sentence = RULES[rule].sentence if rule in RULES else own
            if severity == "note" and rule == "unused-attribute":
                sentence = "These attributes have no effect here, and the motion is the same without them."
            lines += ["", f"{severity} {rule}: {sentence}", *(f"  {place}" for place in shown)]
            lines += [f"  and {len(places) - len(shown)} more; --all shows them"] if len(places) > len(shown) else []
    fixable = sum(bool(finding.edits) for finding in findings)
    return [*lines, "", f"--fix -o LAYER fixes {count(fixable, 'finding')}"] if fixable else lines


def alike(findings: Iterable[Any]) -> list[str]:
    """Return one line per group of findings that differ only in their prim."""
    groups: dict[tuple, list[Any]] = {}
    for finding in findings:
        groups.setdefault(finding.kind, []).append(finding)
    lines = []
    for group in groups.values():
        message, fix = group[0].message, group[0].fix
        more = f" and {len(group) - 1} more" if len(group) > 1 else ""
        needed = "" if fix.startswith("none required") else f"; {fix}"
        lines.append(f"{group[0].place}{more}: {message}{needed}")
    return lines
